package markdown

import (
	"bytes"
	"slices"
	"strings"
)

// Fence is the opening line of fenced code.
type Fence struct {
	Mark   byte // ` or ~ or :
	Length int
	Info   []byte // the text after the marks
}

// OpenFence reads an opening fence at the start of line: three or more backticks or tildes, or
// colons followed by the word delta. More than three colons with another word are a longer fence.
func OpenFence(line []byte) (Fence, bool) {
	f := Fence{Mark: line[0]}
	f.Length = run(line, f.Mark)
	f.Info = line[f.Length:]
	if f.Length < 3 {
		return f, false
	}
	switch f.Mark {
	case '`':
		return f, bytes.IndexByte(f.Info, '`') < 0 // otherwise it is an inline code span
	case ':':
		return f, f.Is("delta") || f.Length > 3 && !onlySpace(f.Info)
	}
	return f, true
}

// ClosedBy reports whether a line ends the fence.
func (f Fence) ClosedBy(line []byte) bool {
	n := run(line, f.Mark)
	return n >= f.Length && onlySpace(line[n:])
}

// maxAttributes is how many bytes of a fence's attributes are searched for its class.
const maxAttributes = 200

// maxWord is longer than any known word after a fence.
const maxWord = 16

// Is reports whether the fence's first word is one of words: "delta {#x}", "Delta json",
// "{.delta}".
func (f Fence) Is(words ...string) bool {
	info := bytes.Trim(f.Info, " \t")
	if len(info) < maxWord && slices.Contains(words, string(info)) {
		return true
	}
	if isSmall(info) {
		return false // as most words
	}
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
		return false
	}
	return slices.Contains(words, strings.ToLower(string(info)))
}

// isSmall reports whether a text has only small letters.
func isSmall(text []byte) bool {
	for _, c := range text {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// InlineComment returns the length of text up to the end of an HTML comment that begins before
// limit: 0 if none begins there, -1 if neither that one nor any later one ends.
func InlineComment(text []byte, limit int) int {
	start := bytes.Index(text[:limit], []byte("<!--"))
	if start < 0 {
		return 0
	}
	end := bytes.Index(text[start:], []byte("-->"))
	if end < 0 {
		return -1
	}
	return start + end + len("-->")
}

// cursor is a position in one line. Tabs extend to the next multiple of four columns.
type cursor struct {
	line []byte // without its line ending
	pos  int
	col  int
	owed int // remaining columns of the tab before pos
}

// indent returns the columns of white space before the next character, and that character's offset.
// At the end of a blank line next is len(line).
func (c *cursor) indent() (width, next int) {
	col := c.col + c.owed
	next = c.pos
	for ; next < len(c.line); next++ {
		switch c.line[next] {
		case ' ':
			col++
		case '\t':
			col += 4 - col%4
		default:
			return col - c.col, next
		}
	}
	return col - c.col, next
}

// skip consumes n columns of white space, which may be part of a tab.
func (c *cursor) skip(n int) {
	for n > 0 {
		switch {
		case c.owed > 0:
			take := min(n, c.owed)
			c.owed -= take
			c.col += take
			n -= take
		case c.pos < len(c.line) && c.line[c.pos] == ' ':
			c.pos++
			c.col++
			n--
		case c.pos < len(c.line) && c.line[c.pos] == '\t':
			c.pos++
			c.owed = 4 - c.col%4
		default:
			return
		}
	}
}

// take consumes the white space before next, and n bytes of marker.
func (c *cursor) take(width, next, n int) {
	c.col += width + n
	c.owed = 0
	c.pos = next + n
}

// enterQuote consumes a block quote marker and one space after it.
func (c *cursor) enterQuote() bool {
	width, next := c.indent()
	if width > 3 || next == len(c.line) || c.line[next] != '>' {
		return false
	}
	c.take(width, next, 1)
	c.skip(1)
	return true
}

// enterItem consumes a list marker. Only a non-empty item with number 1 interrupts a paragraph.
func (c *cursor) enterItem(interrupts bool) (container, bool) {
	width, next := c.indent()
	n := markerLength(c.line[next:])
	if n == 0 || IsBreak(c.line[next:]) {
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

func isOne(marker []byte) bool {
	return string(bytes.TrimLeft(marker[:len(marker)-1], "0")) == "1"
}

// markerLength returns the length of a list marker at the start of rest, or 0.
func markerLength(rest []byte) int {
	n := 0
	switch {
	case rest[0] == '-' || rest[0] == '+' || rest[0] == '*':
		n = 1
	case isDigit(rest[0]):
		for n < len(rest) && isDigit(rest[n]) {
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

func isHeading(rest []byte) bool {
	n := run(rest, '#')
	return n <= 6 && (n == len(rest) || rest[n] == ' ' || rest[n] == '\t')
}

// isUnderline reports whether rest is the underline of a setext heading.
func isUnderline(rest []byte) bool {
	return onlySpace(rest[run(rest, rest[0]):])
}

// IsBreak reports whether rest is a thematic break: three or more of *, - or _ and nothing else.
func IsBreak(rest []byte) bool {
	if len(rest) == 0 || rest[0] != '*' && rest[0] != '-' && rest[0] != '_' {
		return false
	}
	n := 0
	for _, c := range rest {
		switch c {
		case rest[0]:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// run counts the leading bytes of b that equal c.
func run(b []byte, c byte) int {
	n := 0
	for n < len(b) && b[n] == c {
		n++
	}
	return n
}

func onlySpace(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
