// Package markdown finds the blocks of a Markdown text: fenced code, verbatim HTML and running
// text, distinguishing block quotes and indented code. All readers of messages (deltas, lessons,
// verdicts, rosters) use this scanner, so that they agree on what a message only shows.
package markdown

import (
	"bytes"
	"iter"
)

// maxNesting bounds the nesting of quotes and lists; anything deeper is text.
const maxNesting = 32

// Version is a version of the rules by which texts are read. A session keeps the one it began with.
type Version int

// The versions.
const (
	First Version = 1 + iota
	Second
	Third
)

const byteOrder = "\ufeff" // the mark before some texts

// Kind is the kind of a block.
type Kind int

// The kinds of blocks. Indented code and quoted text have none.
const (
	Prose    Kind = iota // running text, lists, headings and text between HTML tags
	Fenced               // fenced code
	Verbatim             // an HTML comment, <pre>, <script> and the like
)

// Block is a block of a text.
type Block struct {
	Kind   Kind
	Start  int // of the content, in bytes
	End    int
	Line   int   // of the first line, from 1: that of the opening fence
	Fence  Fence // of Fenced
	Closed bool  // Fenced: it has a closing fence
	Quoted bool  // it is in a block quote

	// Only the second version sets the following.
	Draft    bool   // it is in reasoning
	Damage   string // how its fence is not well formed, although it was read
	Doubtful bool   // a delta fence in a fence of the same length: an example, or the outer one is damaged
	Indented bool   // a delta fence in indented code
	Shown    bool   // it is between tags such as <example>; if Doubtful, it may be, or is in reasoning
}

// Own reports whether a block is the author's own text: neither a draft, nor a quotation, nor
// something that is only shown.
func (b *Block) Own() bool { return !b.Draft && !b.Quoted && !b.Doubtful && !b.Indented && !b.Shown }

// container is a block quote, or a list item with the indentation of its content.
type container struct {
	quote  bool
	indent int
	empty  bool // an item without content yet: a blank line ends it
}

// leafKind is the kind of a block without nested structure.
type leafKind int

const (
	leafNone leafKind = iota
	leafParagraph
	leafFence
	leafHTML
)

// leaf is the innermost open block.
type leaf struct {
	kind   leafKind
	fence  Fence
	closed bool // it has a closing fence
	html   htmlKind
	line   int // where it was opened
	start  int // where its content begins

	// Only the second version uses the following.
	damage   string
	indented bool // in indented code
	deep     bool // its marks may be indented by any width
	unbound  bool // it has left its containers
	json     jsonState
	tagLine  int // the line of the first reasoning tag at the start of a line in it, or 0
	tagAt    int
	lone     bool // it closes reasoning that no tag has opened
	opener   int  // the line of the first opening fence of other marks in it, or 0
	openerAt int
	searched bool // no later fence in it ends where it does
}

// scanner finds the block structure of a text as CommonMark defines it, in one pass. It knows just
// enough to locate fences: quotes, lists, HTML blocks, indented code and lazy continuation lines.
type scanner struct {
	src    []byte
	rules  Version
	yield  func(Block) bool
	stack  []container
	quotes int // number of quotes in stack
	leaf   leaf
	line   int    // number of the current line
	start  int    // offset of the current line
	text   []byte // the current line, without its line ending
	next   int    // offset of the line after it
	end    int    // where the current line of the source ends, and where the next one begins
	after  int
	prose  Block
	done   bool

	// Only the second version uses the following.
	longer     bool // the text has fences of more than three marks
	partial    bool // the next line is the rest of the current one
	doubt      bool // in a fence around a delta fence, up to doubtEnd
	doubtOpens bool // the line at doubtEnd opens another fence
	doubtEnd   int
	balance    balance
	reasoning
}

// Blocks returns the blocks of src in text order. The first version leaves out quoted prose. The
// second one knows reasoning, and resumes after a damaged fence.
func Blocks(src []byte, rules Version) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		s := &scanner{src: src, rules: rules, yield: yield}
		if rules >= Second {
			s.findTags()
		}
		s.scan()
		s.shows.mark(s.blocks)
		if rules >= Third && s.tagged {
			s.transcript()
		}
		if s.longer {
			s.balance.make(src)
			s.wraps.parts = append(s.wraps.parts, s.balance.strays...)
		}
		for _, b := range s.wraps.mark(src, s.blocks, rules) {
			if !yield(b) {
				return
			}
		}
	}
}

func (s *scanner) scan() {
	if bytes.HasPrefix(s.src, []byte(byteOrder)) {
		s.start = len(byteOrder)
		if s.rules >= Third {
			s.balance.from = s.start
		}
	}
	s.balance.third = s.rules >= Third
	s.spare = 4 * len(s.src)
	s.lines()
	for s.leaf.kind != leafNone && s.rewind() {
		s.lines()
	}
	s.closeTo(0)
	s.flush()
	s.endReasoning()
}

func (s *scanner) lines() {
	for s.start < len(s.src) && !s.done {
		if !s.partial {
			s.line++
			s.findEnd()
		}
		s.next = s.after
		s.text = s.src[s.start:s.end]
		s.scanLine(cursor{line: s.text})
		s.start = s.next
	}
}

// findEnd finds the end of the line that begins at s.start.
func (s *scanner) findEnd() {
	s.end, s.after = len(s.src), len(s.src)
	if i := bytes.IndexByte(s.src[s.start:], '\n'); i >= 0 {
		s.end = s.start + i
		s.after = s.end + 1
	}
	if s.end > s.start && s.src[s.end-1] == '\r' {
		s.end--
	}
}

// scanLine adds one line to the open blocks, or opens new ones.
func (s *scanner) scanLine(c cursor) {
	matched := len(s.stack)
	if !s.partial && !s.leaf.unbound {
		matched = s.match(&c)
	}
	s.partial = false
	if s.doubt && s.start >= s.doubtEnd {
		s.endDoubt()
		if !s.doubtOpens {
			return
		}
		c, matched = cursor{line: s.text}, 0
	}
	if matched == len(s.stack) {
		switch s.leaf.kind {
		case leafFence:
			s.inFence(&c)
			return
		case leafHTML:
			if s.leaf.html != htmlTag || s.rules == First {
				s.inHTML(&c)
				return
			}
		}
	} else if s.leaf.kind != leafParagraph {
		if s.rules >= Second && s.leavesItem(&c, matched) {
			s.inFence(&c)
			return
		}
		if s.rewind() {
			return
		}
		s.closeTo(matched)
	}
	if !s.splitAtTag(&c, matched) {
		s.open(&c, matched)
	}
}

// match returns how many of the open containers the line continues.
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

// open reads what the rest of the line begins: containers, then one leaf.
func (s *scanner) open(c *cursor, matched int) {
	for {
		width, at := c.indent()
		paragraph := s.leaf.kind == leafParagraph
		interrupts := paragraph && matched == len(s.stack)
		switch {
		case at == len(c.line):
			s.closeTo(matched)
			s.addProse()
			return
		case width > 3:
			s.indentedLine(c.line[at:], matched)
			return
		case isLetter(c.line[at]): // most lines: no marks
			if s.rules == First || !s.openDamaged(c.line[at:], matched, "") {
				s.addText(matched)
			}
			return
		case s.openContainer(c, matched, interrupts):
			matched = len(s.stack)
			continue
		case s.rules >= Second && s.openDamaged(c.line[at:], matched, ""):
			return
		case s.openLeaf(c.line[at:], matched, interrupts):
			return
		}
		s.addText(matched)
		return
	}
}

// indentedLine reads a line that is indented as code. It may continue a paragraph.
func (s *scanner) indentedLine(rest []byte, matched int) {
	if s.leaf.kind == leafParagraph || s.betweenTags() {
		if s.rules == First || !s.openDamaged(rest, matched, damageIndented) {
			s.addText(matched)
		}
		return
	}
	s.closeTo(matched) // indented code is only shown
	if f, ok := OpenFence(rest); s.rules >= Second && ok && f.isDelta() {
		s.leaf = leaf{kind: leafFence, fence: f, line: s.line, start: s.next, indented: true}
	}
}

func (s *scanner) openContainer(c *cursor, matched int, interrupts bool) bool {
	if matched >= maxNesting {
		return false
	}
	probe := *c
	k := container{quote: probe.enterQuote()}
	if !k.quote {
		var ok bool
		if k, ok = probe.enterItem(interrupts); !ok {
			return false
		}
	}
	s.closeTo(matched)
	s.stack = append(s.stack, k)
	if k.quote {
		s.quotes++
	}
	*c = probe
	return true
}

func (s *scanner) openLeaf(rest []byte, matched int, interrupts bool) bool {
	switch c := rest[0]; {
	case c == '`' || c == '~' || c == ':':
		f, ok := OpenFence(rest)
		if !ok {
			return false
		}
		s.closeTo(matched)
		s.leaf = leaf{kind: leafFence, fence: f, line: s.line, start: s.next, json: jsonState{at: s.next}}
		return true
	case c == '<':
		return s.openHTML(rest, matched)
	case c == '#' && isHeading(rest), (c == '=' || c == '-') && interrupts && isUnderline(rest), IsBreak(rest):
		s.closeTo(matched)
		s.addProse()
		return true
	}
	return false
}

// inFence reads a line inside a fence: its end, or its content.
func (s *scanner) inFence(c *cursor) {
	if s.rules >= Second {
		s.inDamaged(c)
		return
	}
	width, at := c.indent()
	if width <= 3 && s.leaf.fence.ClosedBy(c.line[at:]) {
		s.leaf.closed = true
		s.closeLeaf(s.start)
	}
}

func (s *scanner) openHTML(rest []byte, matched int) bool {
	kind := htmlStart(rest, s.leaf.kind == leafParagraph)
	at := s.start + len(s.text) - len(rest)
	if kind == htmlNone || kind == htmlComment && s.straysAt(at) || kind == htmlVerbatim && !s.opensVerbatim(at) {
		return false
	}
	s.closeTo(matched)
	s.leaf = leaf{kind: leafHTML, html: kind, line: s.line, start: s.start}
	s.htmlLine(rest)
	return true
}

func (s *scanner) inHTML(c *cursor) {
	_, at := c.indent()
	if s.leaf.html == htmlTag && at == len(c.line) {
		s.closeLeaf(s.start)
		s.addProse()
		return
	}
	if s.tagged && s.leaf.html != htmlTag {
		s.noteTag(c.line[at:])
	}
	s.htmlLine(c.line[at:])
}

// betweenTags reports whether the line before is HTML that is not verbatim. The second version reads
// what follows such a line as any other text, except that it is not indented code.
func (s *scanner) betweenTags() bool { return s.leaf.kind == leafHTML && s.leaf.html == htmlTag }

// htmlLine reads a line of an HTML block. Text between tags is prose; a comment or <pre> is not.
func (s *scanner) htmlLine(rest []byte) {
	if s.leaf.html == htmlTag {
		s.addProse()
	} else if s.leaf.html.endsIn(rest) {
		if s.leaf.html == htmlCDATA && s.tagged {
			s.breakAt(s.start + len(s.text) - len(rest) + bytes.Index(rest, []byte("]]>")) + len("]]>"))
		}
		s.closeLeaf(s.next)
	}
}

// closeTo closes the leaf and all containers except the first n.
func (s *scanner) closeTo(n int) {
	s.closeLeaf(s.start)
	for _, k := range s.stack[n:] {
		if k.quote {
			s.quotes--
		}
	}
	s.stack = s.stack[:n]
}

func (s *scanner) closeLeaf(end int) {
	l := &s.leaf
	if l.kind == leafNone || l.kind == leafParagraph {
		l.kind = leafNone
		return
	}
	b := Block{
		Kind: Fenced, Start: l.start, End: end, Line: l.line, Fence: l.fence, Closed: l.closed, Quoted: s.quotes > 0,
		Damage: l.damage, Indented: l.indented,
	}
	if l.kind == leafHTML {
		b.Kind = Verbatim
	}
	isText := l.html == htmlTag
	*l = leaf{}
	if !isText {
		s.flush()
		s.emit(b)
	}
}

// emit yields a block, or collects it while a later tag may make it reasoning.
func (s *scanner) emit(b Block) {
	b.Draft, b.Doubtful = len(s.within) > 0, s.doubt
	switch {
	case s.tagged || s.longer:
		s.blocks = append(s.blocks, b)
	case !s.done:
		s.done = !s.yield(b)
	}
}

// addText reads a line of a paragraph, which may continue one in containers that it left.
func (s *scanner) addText(matched int) {
	if s.leaf.kind != leafParagraph && !s.betweenTags() {
		s.closeTo(matched)
		s.leaf = leaf{kind: leafParagraph}
	}
	s.addProse()
}

// addProse makes the current line prose. The first version leaves out quoted prose.
func (s *scanner) addProse() {
	quoted := s.quotes > 0
	if quoted && s.rules == First {
		return
	}
	if s.prose.End != s.start || s.prose.Line == 0 || s.prose.Quoted != quoted {
		s.flush()
		s.prose = Block{Kind: Prose, Start: s.start, Line: s.line, Closed: true, Quoted: quoted}
	}
	s.prose.End = s.next
}

// flush yields the collected prose.
func (s *scanner) flush() {
	if s.prose.Line > 0 {
		s.emit(s.prose)
	}
	s.prose = Block{}
}
