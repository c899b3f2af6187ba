// Package tokens counts the tokens of a text with a real tokenizer, offline.
//
// A count is that of o200k_base, the encoding of the newer OpenAI models; others
// differ from it by some per cent, so whoever plans with counts leaves room. The
// package promises that counting never fails, whatever the text is, that the time
// it takes grows with the length of the text and no faster, and that a count is
// never more than the bytes of a valid text. It must not know what is counted, or
// what for.
package tokens

import (
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// Counter counts tokens. The zero value works; one Counter serves a whole program,
// from any number of goroutines. It must not be copied.
type Counter struct {
	once    sync.Once
	encoder encoder // nil where the vocabulary could not be loaded
}

// encoder is what is needed of a tokenizer.
type encoder interface {
	Count(text string) (int, error)
}

// New makes a Counter. The vocabulary is loaded when it is first needed, which
// takes about 30 ms.
func New() *Counter { return &Counter{} }

// Warm loads the vocabulary in the background and returns at once, so that the
// first count need not wait for it. Calling it is never necessary, and calling it
// twice does no harm.
func (c *Counter) Warm() {
	go c.load()
}

func (c *Counter) load() encoder {
	c.once.Do(func() {
		if codec, err := tokenizer.Get(tokenizer.O200kBase); err == nil {
			c.encoder = codec
		}
	})
	return c.encoder
}

// Count gives the number of tokens in a text. Bytes that are no UTF-8 are counted
// as the replacement character that would be sent in their place; the names of
// special tokens are text like any other. Should the tokenizer fail, every byte
// counts as a token, which is more than any tokenizer would say.
func (c *Counter) Count(text string) int {
	text = mended(text)
	if text == "" {
		return 0
	}
	e := c.load()
	total := strings.Count(text, unknown)
	for stretch := range stretches(text) {
		total += count(e, stretch)
	}
	return total
}

// unknown is the one character that the library's vocabulary lacks, and passes over: as
// many of them as somebody likes would cost nothing.
const unknown = "\x7f"

func count(e encoder, text string) int {
	if e == nil {
		return len(text) - strings.Count(text, unknown) // these are counted already
	}
	n, err := e.Count(text)
	if err != nil {
		return len(text) - strings.Count(text, unknown)
	}
	return n
}

// mended gives the text that a model would get to see.
func mended(text string) string { return strings.ToValidUTF8(text, "\ufffd") }
