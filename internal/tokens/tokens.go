// Package tokens counts the tokens of text with a real tokenizer, offline.
//
// A count is that of o200k_base, the encoding of the newer OpenAI models. Other encodings differ by
// some per cent, so callers must leave room. Counting never fails, takes time linear in the length
// of the text, and never returns more than the number of bytes of a valid text. The package must
// not know what is counted, or why.
package tokens

import (
	"iter"
	"strings"
	"sync"
	"unicode"

	"github.com/tiktoken-go/tokenizer"
)

// Counter counts tokens. It counts each line once, since most messages share most of their lines, and
// remembers a bounded number of them. The zero value is usable and safe for concurrent use. Do not copy it.
type Counter struct {
	once    sync.Once
	encoder encoder // nil if the vocabulary could not be loaded
	mu      sync.RWMutex
	lines   map[string]int
}

// At most this many lines of at most this length are remembered.
const (
	mostLines   = 1 << 13
	longestLine = 1 << 11
)

type encoder interface {
	Count(text string) (int, error)
}

// New returns a Counter. The vocabulary is loaded on first use, which takes about 30 ms.
func New() *Counter { return &Counter{} }

// Warm loads the vocabulary in the background, to speed up the first count. It is idempotent.
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

// Count returns the number of tokens in text. Invalid UTF-8 is counted as the replacement
// characters that would be sent; the names of special tokens are plain text. If the tokenizer
// fails, every byte counts as a token, which is an upper bound.
func (c *Counter) Count(text string) int {
	total, others := c.countKnown(text)
	for _, line := range others {
		total += c.countLine(line)
	}
	return total
}

// countKnown counts the remembered lines, and returns the others.
func (c *Counter) countKnown(text string) (total int, others []string) {
	c.mu.RLock() // one lock for all lines: locking for each would cost more than the lookup
	defer c.mu.RUnlock()
	for text != "" {
		n := cut(text)
		if tokens, ok := c.lines[text[:n]]; ok {
			total += tokens
		} else {
			others = append(others, text[:n])
		}
		text = text[n:]
	}
	return total, others
}

func (c *Counter) countLine(line string) int {
	n := c.countWhole(line)
	if len(line) > longestLine {
		return n
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lines == nil || len(c.lines) >= mostLines { // recurring lines are soon remembered again
		c.lines = make(map[string]int)
	}
	c.lines[strings.Clone(line)] = n // a copy, so that the whole text is not kept alive
	return n
}

// countWhole counts a text without what is remembered.
func (c *Counter) countWhole(text string) int {
	text = validText(text)
	if text == "" {
		return 0
	}
	e := c.load()
	total := strings.Count(text, unknown)
	before, n := "", 0
	for stretch := range stretches(text) {
		if stretch != before { // a run of one letter has many equal stretches
			before, n = stretch, count(e, stretch)
		}
		total += n
	}
	return total
}

// unknown is the only character that the library's vocabulary lacks and skips without counting.
const unknown = "\x7f"

func count(e encoder, text string) int {
	if e == nil {
		return len(text) - strings.Count(text, unknown) // these are already counted
	}
	n, err := e.Count(text)
	if err != nil {
		return len(text) - strings.Count(text, unknown)
	}
	return n
}

// validText returns the text that a model would see.
func validText(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// Limits of what is passed to the tokenizer at once. Its matcher rescans a run of white space for
// each line end in it: 100 KB of blank lines with a space in each would take ten seconds. For a word
// it sorts all pairs of letters: 16 MB of one letter would take 600 MB. For any text it makes a copy of
// four bytes per character.
const (
	longestBlank = 256      // characters of a run of white space
	longestWord  = 4 << 10  // characters of a run of letters, or of signs
	longestText  = 64 << 10 // bytes after which a text is split at the next line that allows it
)

// stretches splits a text within runs that are too long, and between lines. In a run, a split can
// raise the count by a token or two; between lines it changes nothing.
func stretches(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, length, last := 0, 0, digit
		for i, r := range text {
			kind := kindOf(r)
			if kind != last {
				last, length = kind, 0
			}
			if length++; length > kind.longest() || i-start >= longestText && text[i-1] == '\n' && separable(text[i:]) {
				if !yield(text[start:i]) {
					return
				}
				start, length = i, 1
			}
		}
		yield(text[start:])
	}
}

// kind is a kind of characters. The tokenizer matches runs of one kind, roughly.
type kind int

const (
	digit kind = iota // at most three are matched at once
	blank
	letter
	sign
)

func kindOf(r rune) kind {
	switch {
	case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
		return letter
	case unicode.IsSpace(r):
		return blank
	case unicode.IsNumber(r):
		return digit
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return letter
	}
	return sign
}

// longest returns the longest run of this kind.
func (k kind) longest() int {
	switch k {
	case digit:
		return longestText
	case blank:
		return longestBlank
	}
	return longestWord
}

// cut returns the end of the first lines of a text that can be counted separately. The encoding
// never joins text across a line end, except blank lines, other white space and slashes.
func cut(text string) int {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		if at += i + 1; separable(text[at:]) {
			return at
		}
	}
}

// separable reports whether a text can be counted separately from the line before it.
func separable(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return line != "" && line[0] != '/' && strings.ContainsFunc(line, isInk)
}

func isInk(r rune) bool { return !unicode.IsSpace(r) }
