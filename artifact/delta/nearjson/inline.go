package nearjson

import "bytes"

// CodeSpans follows the inline code of a running text, up to an offset.
type CodeSpans struct {
	at   int
	open int // the length of the marks that begin a code span, or 0
	from int // where they are
	end  int // where marks of that length follow, once looked up
}

// Holds reports whether an offset is in inline code. Offsets must not fall.
func (c *CodeSpans) Holds(text []byte, pos int) bool {
	for c.at < pos {
		next := bytes.IndexByte(text[c.at:pos], '`')
		to := pos
		if next >= 0 {
			to = c.at + next
		}
		if c.open > 0 && hasBlankLine(text[c.at:to]) {
			c.open = 0
		}
		if c.at = to; next < 0 {
			break
		}
		n := marks(text[c.at:])
		switch c.open {
		case 0:
			c.open, c.from, c.end = n, c.at, 0
		case n:
			c.open = 0
		}
		c.at += n
	}
	if c.open == 0 || c.open > 2 { // more are a damaged fence
		return false
	}
	if bytes.IndexByte(text[c.from:pos], '\n') < 0 {
		return true
	}
	if c.end <= pos {
		c.end = closing(text, pos, c.open)
	}
	if c.end < 0 {
		c.open = 0
	}
	return c.open > 0
}

// Pass leaves out the text up to an offset, whose marks are its own.
func (c *CodeSpans) Pass(to int) { c.at = max(c.at, to) }

// closing returns where marks of a length are in the paragraph behind an offset, or -1.
func closing(text []byte, at, length int) int {
	for {
		next := bytes.IndexByte(text[at:], '`')
		if next < 0 || hasBlankLine(text[at:at+next]) {
			return -1
		}
		at += next
		n := marks(text[at:])
		if n == length {
			return at
		}
		at += n
	}
}

// marks counts the backticks at the start of a text.
func marks(text []byte) int { return len(text) - len(bytes.TrimLeft(text, "`")) }

func hasBlankLine(text []byte) bool {
	for {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			return false
		}
		text = bytes.TrimLeft(text[i+1:], " \t\r")
		if len(text) > 0 && text[0] == '\n' {
			return true
		}
	}
}
