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
	"iter"
	"strings"
	"sync"
	"unicode"

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

// longestBlank is how many characters of white space in a row the tokenizer gets
// to see. Its matcher looks at the rest of such a run again for each line end in
// it: 100 KB of blank lines with a space in each would take ten seconds.
const longestBlank = 256

// stretches cuts a text within runs of white space that are too long, and nowhere
// else. Texts that anybody would write are one stretch; in the others a cut can
// make the count a token or two higher than it is.
func stretches(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, blank := 0, 0
		for i, r := range text {
			if !unicode.IsSpace(r) {
				blank = 0
				continue
			}
			if blank == longestBlank {
				if !yield(text[start:i]) {
					return
				}
				start, blank = i, 0
			}
			blank++
		}
		yield(text[start:])
	}
}

// Remembering is a Counter for who counts texts of which most lines are the same
// each time, as the messages of many sessions are: it counts a line once. Its
// counts are those of the Counter. The zero value does not work: see Remember.
type Remembering struct {
	counter *Counter
	mu      sync.RWMutex
	lines   map[string]int
}

// What is remembered is bounded: so many lines, none longer than that.
const (
	mostLines   = 1 << 13
	longestLine = 1 << 11
)

// Remember makes a Remembering of a Counter.
func Remember(c *Counter) *Remembering {
	return &Remembering{counter: c, lines: make(map[string]int)}
}

// Count gives the number of tokens in a text.
func (r *Remembering) Count(text string) int {
	total, news := r.known(text)
	for _, line := range news {
		total += r.learn(line)
	}
	return total
}

// known counts the lines that are remembered, and gives the others.
func (r *Remembering) known(text string) (total int, news []string) {
	r.mu.RLock() // once for all of them: a lock for each would cost more than the look
	defer r.mu.RUnlock()
	for text != "" {
		n := cut(text)
		if tokens, ok := r.lines[text[:n]]; ok {
			total += tokens
		} else {
			news = append(news, text[:n])
		}
		text = text[n:]
	}
	return total, news
}

// cut gives the end of the first lines of a text that can be counted by themselves.
// The encoding never joins what stands before a line end with what stands after it,
// but for white space (a blank line belongs to the line end before it) and slashes.
func cut(text string) int {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
		next, _, _ := strings.Cut(text[at:], "\n")
		if next != "" && next[0] != '/' && strings.ContainsFunc(next, isInk) {
			return at
		}
	}
}

func isInk(r rune) bool { return !unicode.IsSpace(r) }

// learn counts a line, and remembers it.
func (r *Remembering) learn(line string) int {
	n := r.counter.Count(line)
	if len(line) > longestLine {
		return n
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lines) >= mostLines { // what is always the same is soon there again
		clear(r.lines)
	}
	r.lines[strings.Clone(line)] = n // not a part of a text that would be kept for it
	return n
}
