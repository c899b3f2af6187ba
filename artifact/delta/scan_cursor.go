package delta

// cursor walks along one line. Columns count tabs as CommonMark does: up to the
// next multiple of four.
type cursor struct {
	line []byte // without its line ending
	pos  int
	col  int
	owed int // columns of the tab before pos that nobody has taken yet
}

// indent gives the columns of white space before the next character, and where
// that character stands; at the end of a blank line next is len(line).
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

// skip takes n columns of white space, which may be a part of a tab.
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

// take passes the white space before next, and n bytes of marker.
func (c *cursor) take(width, next, n int) {
	c.col += width + n
	c.owed = 0
	c.pos = next + n
}

// blank tells whether nothing but white space is left.
func (c *cursor) blank() bool {
	_, next := c.indent()
	return next == len(c.line)
}

// enterQuote takes the mark of a block quote and the one space that belongs to it.
func (c *cursor) enterQuote() bool {
	width, next := c.indent()
	if width > 3 || next == len(c.line) || c.line[next] != '>' {
		return false
	}
	c.take(width, next, 1)
	c.skip(1)
	return true
}
