package delta

import (
	"bytes"
	"unicode"
)

// clues are the words of a running text that the rules look for. Most texts have none, so one pass
// over the text tells which rules need to read it at all.
type clues struct {
	operation bool // ADD, EDIT or KILL
	change    bool // another word in capitals that announces a change
	listed    bool // a line that begins with marks and then an operation
	delta     bool // the word delta, in any case
	forwarded bool // a word above another author's message
	keys      bool // a name of the format
}

// clueBytes are the bytes at which the words are recognised.
var clueBytes = func() (is [256]bool) {
	for _, c := range []byte("AEKURP\ngG:dDcp\"") {
		is[c] = true
	}
	return is
}()

// cluesOf returns the clues of a text.
func cluesOf(text []byte) (c clues) {
	c.listed = beginsOperation(text)
	for i, b := range text {
		if !clueBytes[b] {
			continue
		}
		rest := text[i:]
		switch b {
		case '\n':
			c.listed = c.listed || beginsOperation(rest[1:])
		case 'A':
			c.operation = c.operation || hasPrefix(rest, Add)
		case 'E':
			c.operation = c.operation || hasPrefix(rest, Edit)
		case 'K':
			c.operation = c.operation || hasPrefix(rest, Kill)
		case 'U':
			c.change = c.change || hasPrefix(rest, "UPDATE")
		case 'R':
			c.change = c.change || hasPrefix(rest, "REMOVE")
		case 'd', 'D':
			c.delta = c.delta || begins(rest, "delta")
			c.change = c.change || b == 'D' && (hasPrefix(rest, "DELTA") || hasPrefix(rest, "Delta") || hasPrefix(rest, "DELETE"))
		case 'g', 'G':
			c.forwarded = c.forwarded || endsWith(text[:i], "essa") && hasPrefix(rest, "ge") || endsWith(text[:i], "ESSA") && hasPrefix(rest, "GE")
		case 'c':
			c.keys = c.keys || hasPrefix(rest, "ction") && (endsWith(text[:i], "a") || endsWith(text[:i], "se"))
		case 'p':
			c.keys = c.keys || hasPrefix(rest, "peration")
		case 'P':
			c.keys = c.keys || hasPrefix(rest, "PERATION")
		case '"':
			c.keys = c.keys || hasPrefix(rest, `"op"`)
		case ':':
			c.forwarded = c.forwarded || endsWith(text[:i], "wrote") || endsWith(text[:i], "Subject")
		}
	}
	return c
}

func hasPrefix(text []byte, word string) bool {
	return len(text) >= len(word) && string(text[:len(word)]) == word
}

func endsWith(text []byte, word string) bool {
	return len(text) >= len(word) && string(text[len(text)-len(word):]) == word
}

// mayAnnounce reports whether a line of the text may announce a change.
func (c clues) mayAnnounce() bool { return c.operation || c.change || c.listed }

// beginsOperation reports whether the first word of a line, behind marks, may be an operation.
func beginsOperation(line []byte) bool {
	if len(line) == 0 || isLetter(line[0]) {
		return false
	}
	for i, b := range line {
		switch {
		case b == '\n':
			return false
		case b >= 0x80:
			return beginsBehind(line)
		case isLetter(b):
			return isOperationWord(line[i:])
		}
	}
	return false
}

// beginsBehind is beginsOperation for a line with other marks than those of ASCII.
func beginsBehind(line []byte) bool {
	line, _, _ = bytes.Cut(line, []byte("\n"))
	i := bytes.IndexFunc(line, unicode.IsLetter)
	return i > 0 && isOperationWord(line[i:])
}

func isOperationWord(b []byte) bool {
	return begins(b, "add") || begins(b, "edit") || begins(b, "kill") || begins(b, "delta")
}
