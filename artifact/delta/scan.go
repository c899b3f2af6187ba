package delta

import "bytes"

// maxNesting is how deep quotes and lists may stand in one another; what stands
// deeper is text. It bounds the work on a line.
const maxNesting = 32

// regionKind says what a stretch of a reply is.
type regionKind int

const (
	regionProse   regionKind = iota // running text, lists and headings
	regionDelta                     // a block that calls itself a delta
	regionLoose                     // a fence that may hold one: ```json, or without a word
	regionSkipped                   // a delta block that is only shown: quoted, nested, commented
)

// region is a stretch of a reply; start and end are the bytes of its content.
type region struct {
	kind   regionKind
	start  int
	end    int
	line   int    // of the opening fence
	mark   byte   // of the fence
	closed bool   // it has a closing fence
	why    string // regionSkipped: the flag
}

// container is a block quote, or a list item with the columns that its
// content is indented by.
type container struct {
	quote  bool
	indent int
	empty  bool // an item that has no content yet: a blank line ends it
}

// scanner finds the block structure of a reply as CommonMark defines it, line by
// line, in one pass. It knows just enough to tell where fences are: quotes,
// lists, fences, HTML blocks, indented code and paragraphs with their lazy lines.
type scanner struct {
	src    []byte
	emit   func(region) bool // false: enough
	stack  []container
	quotes int // how many of stack are quotes
	leaf   leaf
	line   int // number of the current line
	start  int // offset of the current line
	prose  region
	done   bool
}

// scan gives the regions of src to emit, in the order of the text.
func scan(src []byte, emit func(region) bool) {
	s := &scanner{src: src, emit: emit}
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		s.start = len("\ufeff")
	}
	for s.start < len(src) && !s.done {
		end := len(src)
		next := end
		if i := bytes.IndexByte(src[s.start:], '\n'); i >= 0 {
			end = s.start + i
			next = end + 1
		}
		if end > s.start && src[end-1] == '\r' {
			end--
		}
		s.line++
		s.scanLine(cursor{line: src[s.start:end]}, next)
		s.start = next
	}
	s.closeTo(0)
	s.flush()
}

// scanLine puts one line into the open blocks, or opens new ones.
func (s *scanner) scanLine(c cursor, next int) {
	matched := s.match(&c)
	if matched == len(s.stack) {
		switch s.leaf.kind {
		case leafFence:
			s.inFence(&c)
			return
		case leafHTML:
			s.inHTML(&c, next)
			return
		}
	} else if s.leaf.kind != leafParagraph {
		s.closeTo(matched)
	}
	s.open(&c, matched, next)
}

// match finds how many of the open containers the line goes on with.
func (s *scanner) match(c *cursor) int {
	for i := range s.stack {
		k := &s.stack[i]
		if k.quote {
			if !c.enterQuote() {
				return i
			}
			continue
		}
		width, next := c.indent()
		switch {
		case next == len(c.line):
			if k.empty {
				return i
			}
		case width < k.indent:
			return i
		default:
			c.skip(k.indent)
			k.empty = false
		}
	}
	return len(s.stack)
}

// open reads what the rest of the line begins: containers, and then one leaf.
func (s *scanner) open(c *cursor, matched, next int) {
	for {
		width, at := c.indent()
		paragraph := s.leaf.kind == leafParagraph
		interrupts := paragraph && matched == len(s.stack)
		switch {
		case at == len(c.line):
			s.blankLine(matched, next)
			return
		case width > 3:
			if paragraph {
				s.text(matched, next)
			} else {
				s.closeTo(matched) // indented code: shown, not meant
			}
			return
		case s.openContainer(c, matched, interrupts):
			matched = len(s.stack)
			continue
		case s.openLeaf(c.line[at:], matched, interrupts, next):
			return
		}
		s.text(matched, next)
		return
	}
}

// openContainer opens a quote or a list item, if one begins here.
func (s *scanner) openContainer(c *cursor, matched int, interrupts bool) bool {
	if matched >= maxNesting {
		return false
	}
	probe := *c
	if probe.enterQuote() {
		s.closeTo(matched)
		s.push(container{quote: true})
		*c = probe
		return true
	}
	item, ok := probe.enterItem(interrupts)
	if !ok {
		return false
	}
	s.closeTo(matched)
	s.push(item)
	*c = probe
	return true
}

func (s *scanner) push(k container) {
	s.stack = append(s.stack, k)
	if k.quote {
		s.quotes++
	}
}

// closeTo closes the leaf and all containers but the first n.
func (s *scanner) closeTo(n int) {
	s.closeLeaf(s.start)
	for _, k := range s.stack[n:] {
		if k.quote {
			s.quotes--
		}
	}
	s.stack = s.stack[:n]
}

// text is a line of a paragraph. Where the line has left containers behind
// whose paragraph is still open, it belongs to that paragraph all the same.
func (s *scanner) text(matched, next int) {
	if s.leaf.kind != leafParagraph {
		s.closeTo(matched)
		s.leaf = leaf{kind: leafParagraph}
	}
	s.addProse(next)
}

// blankLine ends a paragraph, and the quotes that the line does not go on with.
func (s *scanner) blankLine(matched, next int) {
	s.closeTo(matched)
	s.addProse(next)
}

// addProse makes the current line prose, unless it is quoted.
func (s *scanner) addProse(next int) {
	if s.quotes > 0 {
		return
	}
	if s.prose.end != s.start || s.prose.line == 0 {
		s.flush()
		s.prose = region{kind: regionProse, start: s.start, line: s.line, closed: true}
	}
	s.prose.end = next
}

// flush hands on the prose that was collected.
func (s *scanner) flush() {
	if s.prose.line > 0 && !s.done {
		s.done = !s.emit(s.prose)
	}
	s.prose = region{}
}

// give hands on a region, after the prose before it.
func (s *scanner) give(r region) {
	s.flush()
	if !s.done {
		s.done = !s.emit(r)
	}
}
