package delta

import (
	"bytes"
	"slices"
	"strings"
)

// fenceWord is what the first word behind a fence makes of it.
type fenceWord int

const (
	wordOther fenceWord = iota
	wordDelta           // delta
	wordLoose           // json, or nothing: a delta may stand in it by mistake
)

// fence is the opening line of a fenced block.
type fence struct {
	mark   byte
	length int
	word   fenceWord
	closed bool
}

// parseFence reads an opening fence: three or more backticks, tildes, or, where
// the word delta follows, colons. More than three colons with another word show
// what stands in them, as longer fences do.
func parseFence(rest []byte) (fence, bool) {
	mark := rest[0]
	n := run(rest, mark)
	if n < 3 {
		return fence{}, false
	}
	info := rest[n:]
	if mark == '`' && bytes.IndexByte(info, '`') >= 0 {
		return fence{}, false // code within a line
	}
	f := fence{mark: mark, length: n, word: wordOf(info)}
	if mark == ':' && f.word != wordDelta {
		f.word = wordOther
		return f, n > 3 && !onlySpace(info)
	}
	return f, true
}

// closedBy tells whether a line ends the fence.
func (f *fence) closedBy(rest []byte) bool {
	n := run(rest, f.mark)
	return n >= f.length && onlySpace(rest[n:])
}

// maxAttributes is how far into the attributes of a fence its class is looked for.
const maxAttributes = 200

// maxWord is longer than any word that means something behind a fence.
const maxWord = 16

// wordOf judges an info string by its first word, whatever its case and
// whatever attributes follow: "delta {#x}", "Delta json", "{.delta}".
func wordOf(info []byte) fenceWord {
	info = bytes.Trim(info, " \t")
	if after, ok := bytes.CutPrefix(info, []byte("{")); ok {
		if i := bytes.Index(after[:min(len(after), maxAttributes)], []byte(".delta")); i > 0 {
			after = after[i:] // "{#x .delta}"
		}
		info = bytes.TrimLeft(after, " .")
	}
	if end := bytes.IndexAny(info[:min(len(info), maxWord)], " \t{},;:"); end >= 0 {
		info = info[:end]
	}
	if len(info) >= maxWord {
		return wordOther
	}
	word := strings.ToLower(string(info))
	switch {
	case word == "delta":
		return wordDelta
	case slices.Contains([]string{"", "json", "jsonc", "json5", "jsonl", "ndjson", "js", "javascript", "deltas"}, word):
		return wordLoose
	}
	return wordOther
}

// enterItem takes the mark of a list item and the space that belongs to it. An
// item that interrupts a paragraph must not be empty, and must be number 1.
func (c *cursor) enterItem(interrupts bool) (container, bool) {
	width, next := c.indent()
	n := markerLength(c.line[next:])
	if n == 0 || isBreak(c.line[next:]) {
		return container{}, false
	}
	marker := c.line[next : next+n]
	c.take(width, next, n)
	space, after := c.indent()
	empty := after == len(c.line)
	if interrupts && (empty || (n > 1 && !isOne(marker))) {
		return container{}, false
	}
	if empty || space > 4 {
		space = 1
	}
	c.skip(space)
	return container{indent: width + n + space, empty: empty}, true
}

// isOne tells whether an ordered marker counts from 1.
func isOne(marker []byte) bool {
	digits := bytes.TrimLeft(marker[:len(marker)-1], "0")
	return len(digits) == 1 && digits[0] == '1'
}

// markerLength gives the length of a list marker at the front of rest, or 0.
func markerLength(rest []byte) int {
	n := 0
	switch {
	case rest[0] == '-' || rest[0] == '+' || rest[0] == '*':
		n = 1
	case rest[0] >= '0' && rest[0] <= '9':
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n > 9 || n == len(rest) || (rest[n] != '.' && rest[n] != ')') {
			return 0
		}
		n++
	}
	if n > 0 && n < len(rest) && rest[n] != ' ' && rest[n] != '\t' {
		return 0
	}
	return n
}
