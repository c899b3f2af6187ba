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
	written   bool // what may be a key before a colon or the like
	forwarded bool // a word that ends a line above another author's message
	header    bool // what begins a line above another author's message
}

// clueBytes are the bytes at which the words are recognised.
var clueBytes = func() (is [256]bool) {
	for _, c := range []byte("AEKURD\n:=|>") {
		is[c] = true
	}
	return is
}()

// cluesOf returns the clues of a text.
func cluesOf(text []byte) (c clues) {
	c.beginLine(text)
	for i, b := range text {
		if clueBytes[b] {
			c.look(text, i)
		}
	}
	return c
}

func (c *clues) look(text []byte, i int) {
	rest := text[i:]
	switch text[i] {
	case '\n':
		c.beginLine(rest[1:])
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
	case 'D':
		c.change = c.change || hasPrefix(rest, "DELTA") || hasPrefix(rest, "Delta") || hasPrefix(rest, "DELETE")
	case ':':
		c.endKey(text[:i])
		c.written = c.written || endsKey(text[:i])
	default:
		c.written = c.written || endsKey(text[:i])
	}
}

// endKey looks at what is before a colon.
func (c *clues) endKey(before []byte) {
	if len(before) == 0 {
		return
	}
	switch before[len(before)-1] | 0x20 {
	case 'e':
		c.forwarded = c.forwarded || endsIn(before, "wrote") || endsIn(before, "essage")
	case 't':
		c.forwarded = c.forwarded || bytes.HasSuffix(before, []byte("Subject"))
	case 'm':
		c.header = c.header || endsIn(before, "from")
	}
}

// endsKey reports whether a text may end in a key of writtenOperation, perhaps in quotation marks.
func endsKey(text []byte) bool {
	for n := len(text); n > 1; n-- {
		switch c := text[n-1]; {
		case c >= 0x80, c == ' ', c == '\t', c == '"', c == '\'', c == '*', c == '_', c == '`', c == '\\':
			continue
		case c == ';':
			return true
		default:
			return begins(text[n-2:], "on") || begins(text[n-2:], "op")
		}
	}
	return false
}

// beginLine looks at the beginning of a line.
func (c *clues) beginLine(line []byte) {
	if len(line) == 0 || isLetter(line[0]) || line[0] == '\n' {
		return
	}
	at := 0
	for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
		at++
	}
	c.header = c.header || hasPrefix(line[at:], "--")
	c.listed = c.listed || beginsOperation(line)
}

func hasPrefix(text []byte, word string) bool {
	return len(text) >= len(word) && string(text[:len(word)]) == word
}

// endsIn reports whether a text ends in a word of small letters, in any case.
func endsIn(text []byte, word string) bool {
	return len(text) >= len(word) && begins(text[len(text)-len(word):], word)
}

// mayAnnounce reports whether a line of the text may announce a change.
func (c clues) mayAnnounce() bool { return c.operation || c.change || c.listed }

// beginsOperation reports whether the first word of a line, behind marks, may be an operation.
func beginsOperation(line []byte) bool {
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
	switch b[0] | 0x20 {
	case 'a':
		return begins(b, "add")
	case 'd':
		return begins(b, "delta")
	case 'e':
		return begins(b, "edit")
	case 'k':
		return begins(b, "kill")
	}
	return false
}

// hasDelta reports whether a text has the word delta, in any case.
func hasDelta(text []byte) bool {
	for i, b := range text {
		if b|0x20 == 'd' && begins(text[i:], "delta") {
			return true
		}
	}
	return false
}
