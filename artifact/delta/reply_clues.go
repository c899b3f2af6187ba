package delta

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"brenner/artifact/delta/itemform"
	"brenner/artifact/delta/synonyms"
)

// clues are the words of a running text that the rules look for. Most texts have none, so one pass
// over the text tells which rules need to read it at all.
type clues struct {
	operation bool // ADD, EDIT or KILL
	order     bool // a word for an operation, or delta, in any case
	proposal  bool // a word for a change near an id, or the title of a new item
	later     bool // one that only the third reader knows
	clause    bool // one that only the fifth reader knows
	forwarded bool // a line that may be above another author's message
}

// cluesOf returns the clues of a text.
func cluesOf(text []byte) (c clues) {
	c.beginLine(text)
	c.read(text)
	return c
}

// ordersOf returns the clues of a text but for that of another author's message.
func ordersOf(text []byte) clues {
	c := clues{forwarded: true} // so that it is not looked for
	c.read(text)
	c.forwarded = false
	return c
}

func (c *clues) read(text []byte) { itemform.EachClue(text, func(i int) { c.look(text, i) }) }

func (c *clues) look(text []byte, i int) {
	rest := text[i:]
	if strings.IndexByte("yqmtjv", text[i]) >= 0 {
		if !c.later {
			c.later = itemform.AddsAt(text, i)
			c.clause = c.clause || itemform.AddsManyAt(text, i)
		}
		return
	}
	if text[i] >= utf8.RuneSelf {
		c.clause = c.clause || itemform.IsOtherNew(rest)
		return
	}
	if !c.proposal && isIDAt(text, i) {
		c.propose(text, i)
	}
	switch text[i] {
	case '\n':
		c.beginLine(rest[1:])
	case ':':
		c.endLine(text, i)
	case 'H', 'T', 'X', 'C', 'P', 'N':
		c.beginItem(rest)
	case 'A', 'E', 'K':
		c.beginItem(rest)
		c.operation = c.operation || beginsOperation(rest)
		c.order = c.order || synonyms.OperationAt(text, i) > 0
	case 'd':
		c.later = c.later || itemform.AddsAt(text, i)
		c.order = c.order || isInsideOperation(text, i) || begins(rest, "delta")
	default:
		c.order = c.order || synonyms.OperationAt(text, i) > 0 || begins(rest, "delta")
	}
}

// isInsideOperation reports whether a d is the second letter of a word for an operation.
func isInsideOperation(text []byte, i int) bool {
	return i > 0 && (text[i-1] == 'a' || text[i-1] == 'e') && synonyms.OperationAt(text, i-1) > 0
}

// beginItem looks for words that call an item new.
func (c *clues) beginItem(text []byte) {
	switch text[0] {
	case 'N':
		c.proposal = c.proposal || hasPrefix(text, "New ")
		c.clause = c.clause || itemform.IsOtherNew(text)
	case 'P':
		c.later = c.later || hasPrefix(text, "Proposed ")
	case 'A':
		c.later = c.later || hasPrefix(text, "A new ") || hasPrefix(text, "A further ") || hasPrefix(text, "An additional ") || hasPrefix(text, "Additional ")
	}
}

func beginsOperation(text []byte) bool {
	return hasPrefix(text, Add) || hasPrefix(text, Edit) || hasPrefix(text, Kill)
}

// endLine looks at a line that ends in a colon, or has a name of a header before it.
func (c *clues) endLine(text []byte, i int) {
	if i == 0 || c.forwarded {
		return
	}
	if i+1 == len(text) || text[i+1] == '\n' || text[i+1] == '\r' {
		line := text[max(0, i-150) : i+1]
		if c.forwarded = itemform.IsForwardClue(line[bytes.LastIndexByte(line, '\n')+1:]); c.forwarded {
			return
		}
	}
	switch before := text[:i]; text[i-1] | 0x20 {
	case 't':
		c.forwarded = endsIn(before, "subject") || endsIn(before, "objet")
	case 'f':
		c.forwarded = endsIn(before, "betreff")
	case 'd':
		c.forwarded = endsIn(before, "fwd")
	}
}

// beginLine looks at the beginning of a line.
func (c *clues) beginLine(line []byte) {
	if len(line) < 2 || isLetter(line[0]) || line[0] == '\n' || c.forwarded {
		return
	}
	line = unindented(line)
	if len(line) > 1 && (line[0] == line[1] && strings.IndexByte("-=*_~", line[0]) >= 0 || strings.IndexByte("#[\xe2", line[0]) >= 0) {
		c.forwarded = itemform.IsForwardClue(line)
	}
}

// unindented returns a line without the spaces and tabs before it.
func unindented(line []byte) []byte {
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		line = line[1:]
	}
	return line
}

func hasPrefix(text []byte, word string) bool {
	return len(text) >= len(word) && string(text[:len(word)]) == word
}

// endsIn reports whether a text ends in a word of small letters, in any case.
func endsIn(text []byte, word string) bool {
	return len(text) >= len(word) && begins(text[len(text)-len(word):], word)
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

// announces reports whether a text may announce changes to a reader.
func (c *clues) announces(r *reader) bool {
	return c.order || c.operation || c.proposal || c.later && r.third || c.clause && r.opt.Reader.Since(FifthReader)
}
