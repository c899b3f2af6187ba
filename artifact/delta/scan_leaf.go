package delta

import "bytes"

// leafKind is the kind of block that lines without further structure are in.
type leafKind int

const (
	leafNone leafKind = iota
	leafParagraph
	leafFence
	leafHTML
)

// leaf is the innermost open block.
type leaf struct {
	kind  leafKind
	fence fence
	html  htmlKind
	line  int // where it was opened
	start int // where its content begins
	shown int // line of the first delta fence that merely stands in it, or 0
}

// openLeaf opens a leaf other than a paragraph, if one begins with rest.
func (s *scanner) openLeaf(rest []byte, matched int, interrupts bool, next int) bool {
	switch c := rest[0]; {
	case c == '`' || c == '~' || c == ':':
		return s.openFence(rest, matched, next)
	case c == '<':
		return s.openHTML(rest, matched, next)
	case c == '#' && isHeading(rest),
		c == '=' && interrupts && isUnderline(rest),
		c == '-' && interrupts && isUnderline(rest),
		isBreak(rest):
		s.closeTo(matched)
		s.addProse(next)
		return true
	}
	return false
}

func (s *scanner) openFence(rest []byte, matched, next int) bool {
	f, ok := parseFence(rest)
	if !ok {
		return false
	}
	s.closeTo(matched)
	s.leaf = leaf{kind: leafFence, fence: f, line: s.line, start: next}
	if s.quotes > 0 && f.word == wordDelta {
		s.give(region{kind: regionSkipped, start: s.start, end: s.start, line: s.line, why: FlagQuoted})
	}
	return true
}

// inFence is a line inside a fence: its end, or its content.
func (s *scanner) inFence(c *cursor) {
	width, at := c.indent()
	if width <= 3 && s.leaf.fence.closedBy(c.line[at:]) {
		s.leaf.fence.closed = true
		s.closeLeaf(s.start)
		return
	}
	s.noteShown(c.line[at:])
}

// noteShown remembers the first line that shows a delta inside another block: a
// delta fence, quoted or not. A fence of JSON, or of nothing, in which any fence
// or quotation stands is no JSON: somebody shows a text there.
func (s *scanner) noteShown(rest []byte) {
	if s.leaf.shown > 0 || s.quotes > 0 || len(rest) == 0 {
		return
	}
	shows := s.leaf.kind == leafFence && s.leaf.fence.word == wordLoose
	inner := bytes.TrimLeft(rest, "> \t")
	if quoted := rest[0] == '>'; quoted && shows {
		s.leaf.shown = s.line
		return
	}
	if len(inner) == 0 || (inner[0] != '`' && inner[0] != '~' && inner[0] != ':') {
		return
	}
	f, ok := parseFence(inner)
	if ok && (f.word == wordDelta || shows) || shows && inner[0] != ':' && run(inner, inner[0]) >= 3 {
		s.leaf.shown = s.line
	}
}

// closeLeaf ends the innermost block; its content ends at end.
func (s *scanner) closeLeaf(end int) {
	l := s.leaf
	s.leaf = leaf{}
	if s.quotes > 0 {
		return
	}
	switch l.kind {
	case leafFence:
		r := region{start: l.start, end: max(end, l.start), line: l.line, mark: l.fence.mark, closed: l.fence.closed}
		switch l.fence.word {
		case wordDelta:
			r.kind = regionDelta
			s.give(r)
			return
		case wordLoose:
			if l.shown == 0 {
				r.kind = regionLoose
				s.give(r)
			}
		}
		s.giveShown(l.shown, FlagNested)
	case leafHTML:
		s.giveShown(l.shown, FlagCommented)
	}
}

func (s *scanner) giveShown(line int, why string) {
	if line > 0 {
		s.give(region{kind: regionSkipped, line: line, why: why, start: s.start, end: s.start})
	}
}

func (s *scanner) openHTML(rest []byte, matched, next int) bool {
	kind := htmlStart(rest, s.leaf.kind == leafParagraph)
	if kind == htmlNone {
		return false
	}
	s.closeTo(matched)
	s.leaf = leaf{kind: leafHTML, html: kind, line: s.line, start: s.start}
	s.htmlLine(rest, next)
	return true
}

func (s *scanner) inHTML(c *cursor, next int) {
	if s.leaf.html == htmlTag && c.blank() {
		s.closeLeaf(s.start)
		s.addProse(next)
		return
	}
	_, at := c.indent()
	s.htmlLine(c.line[at:], next)
}

// htmlLine is a line of an HTML block. What stands between tags is said, so it
// is prose; what stands in a comment or in <pre> is not.
func (s *scanner) htmlLine(rest []byte, next int) {
	if s.leaf.html == htmlTag {
		s.addProse(next)
		return
	}
	s.noteShown(rest)
	if s.leaf.html.endsIn(rest) {
		s.closeLeaf(s.start)
	}
}

func isHeading(rest []byte) bool {
	n := run(rest, '#')
	return n <= 6 && (n == len(rest) || rest[n] == ' ' || rest[n] == '\t')
}

// isUnderline finds the line under a heading of two lines.
func isUnderline(rest []byte) bool {
	return onlySpace(rest[run(rest, rest[0]):])
}

// isBreak finds a thematic break: three or more of *, - or _ and nothing else.
func isBreak(rest []byte) bool {
	mark := rest[0]
	if mark != '*' && mark != '-' && mark != '_' {
		return false
	}
	n := 0
	for _, c := range rest {
		switch c {
		case mark:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// run counts how often c stands at the front of b.
func run(b []byte, c byte) int {
	n := 0
	for n < len(b) && b[n] == c {
		n++
	}
	return n
}

func onlySpace(b []byte) bool { return len(bytes.TrimLeft(b, " \t")) == 0 }
