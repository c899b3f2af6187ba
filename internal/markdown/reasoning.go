package markdown

import "bytes"

// reasoning finds the reasoning in a text, which tags enclose. Blocks are collected until the end
// of the text, because a lone closing tag makes all before it reasoning.
type reasoning struct {
	tagged    bool     // the text has tags
	glued     bool     // the marks of its channels were lost
	within    []string // the families of the open tags
	from      int      // where the outermost open tag begins
	final     bool     // a final channel has begun
	spans     []span   // the complete reasoning so far, with its tags
	blocks    []Block
	drafts    int  // the first blocks, which are drafts in any case
	deeper    int  // the number of open tags below maxDepth
	protected int  // tags before this offset do not count: they are in JSON or a comment
	noComment bool // no comment ends after this point
	noPatch   bool // no search/replace block ends after this point
	spare     int  // remaining bytes that may be read again
	shows     shows
}

// maxDepth bounds the tags that are told apart; deeper ones are counted.
const maxDepth = 64

type span struct{ from, to int }

// WithoutReasoning returns a text without its reasoning: what other agents are shown.
func WithoutReasoning(src []byte) []byte {
	out := cutReasoning(src, func([]byte) []byte { return nil })
	if len(out) == len(src) {
		return src
	}
	return bytes.TrimLeft(out, " \t\r\n")
}

// BlankReasoning returns a text without its reasoning in which all lines keep their numbers.
func BlankReasoning(src []byte) []byte {
	return cutReasoning(src, func(cut []byte) []byte { return bytes.Repeat([]byte("\n"), bytes.Count(cut, []byte("\n"))) })
}

func cutReasoning(src []byte, instead func([]byte) []byte) []byte {
	spans := Reasoning(src)
	if len(spans) == 0 {
		return src
	}
	var out []byte
	at := 0
	for _, r := range spans {
		out = append(append(out, src[at:r[0]]...), instead(src[r[0]:r[1]])...)
		at = r[1]
	}
	return append(out, src[at:]...)
}

// Reasoning returns where the reasoning of a text begins and ends, tags included.
func Reasoning(src []byte) [][2]int {
	s := &scanner{src: src, rules: Second, yield: func(Block) bool { return true }}
	if s.findTags(); !s.tagged {
		return nil
	}
	s.scan()
	var all [][2]int
	for _, r := range s.spans {
		all = append(all, [2]int{r.from, r.to})
	}
	return all
}

// gluedFinal is what remains of <|start|>assistant<|channel|>final<|message|> without its marks.
const gluedFinal = "assistantfinal"

// findTags prepares for the tags of the text.
func (s *scanner) findTags() {
	s.glued = bytes.HasPrefix(s.src, []byte("analysis")) && bytes.Contains(s.src, []byte(gluedFinal))
	s.tagged = s.glued || mayHoldTags(s.src)
}

// apply lets the tag from s.start to end take effect.
func (s *scanner) apply(t tag, end int) {
	s.closeTo(0)
	s.flush()
	if t.kind == tagShow || t.kind == tagShown {
		s.shows.apply(t, len(s.blocks), s.beginsLine(end))
		return
	}
	was := len(s.within) > 0
	at := s.innermost(t.family)
	switch {
	case t.kind == tagOpen && len(s.within) == maxDepth:
		s.deeper++
	case t.kind == tagClose && s.deeper > 0:
		s.deeper--
	case t.kind == tagOpen && (t.family != channel || at < 0):
		if !was {
			s.from = s.start
		}
		s.within = append(s.within, t.family)
	case t.kind == tagFinal && !s.final, t.kind == tagClose && !was:
		s.final = s.final || t.kind == tagFinal
		s.within, was, s.from, s.spans = nil, true, 0, nil
		s.draftAll()
	case t.kind == tagFinal:
		s.within = nil
	case t.kind != tagOpen && at >= 0:
		s.within = s.within[:at]
	}
	if was && len(s.within) == 0 {
		s.spans = append(s.spans, span{s.from, end})
	}
}

// innermost returns the index of the innermost open tag of a family, or -1.
func (s *scanner) innermost(family string) int {
	at := len(s.within) - 1
	for at >= 0 && s.within[at] != family {
		at--
	}
	return at
}

// draftAll marks all blocks before the tag as drafts.
func (s *scanner) draftAll() {
	for i := range s.blocks[s.drafts:] {
		s.blocks[s.drafts+i].Draft = true
	}
	s.drafts = len(s.blocks)
}

// endReasoning ends the reasoning whose tag never closes.
func (s *scanner) endReasoning() {
	if len(s.within) > 0 {
		s.spans = append(s.spans, span{s.from, len(s.src)})
	}
}

// splitAtTag lets the first tag of the line take effect. The parts of the line before and after it
// are then read as lines of their own. It returns false if no tag counts in the line.
func (s *scanner) splitAtTag(c *cursor, matched int) bool {
	if !s.tagged || s.doubt {
		return false
	}
	width, at := c.indent()
	if at == len(c.line) || s.quotedLine(*c, matched) {
		return false
	}
	switch c.line[at] {
	case '`', '~', ':':
		if _, ok := OpenFence(c.line[at:]); ok {
			return false
		}
	}
	begin := s.start + at
	end := s.start + len(c.line)
	if width > 3 && s.leaf.kind != leafParagraph {
		end = begin + 1 // in indented code only a tag at the start of the line counts
	}
	t, from, n := s.findTag(begin, end)
	switch {
	case n == 0:
		return false
	case from > begin:
		c.line = c.line[:from-s.start]
		s.text = c.line
		s.breakAt(from)
		s.open(c, matched)
		return true
	}
	s.start = from
	s.apply(t, from+n)
	s.breakAt(from + n)
	return true
}

// breakAt ends the current line at an offset; what follows is read as a line of its own, unless it
// is blank.
func (s *scanner) breakAt(at int) {
	if onlySpace(s.src[at:max(at, s.end)]) {
		return
	}
	s.next, s.partial = at, true
}

// quotedLine reports whether a line is in a block quote, or begins one.
func (s *scanner) quotedLine(c cursor, matched int) bool {
	for _, k := range s.stack[:matched] {
		if k.quote {
			return true
		}
	}
	for range maxNesting {
		width, at := c.indent()
		if width > 3 || at == len(c.line) {
			return false
		}
		if c.enterQuote() {
			return true
		}
		if _, ok := c.enterItem(false); !ok {
			return false
		}
	}
	return false
}

// maxTicks is the longest run of backticks that is looked up as the mark of a code span.
const maxTicks = 32

// findTag returns the first tag that begins in a part of a line and counts: outside code spans,
// comments and JSON. n is its length, or 0.
func (s *scanner) findTag(from, to int) (t tag, at, n int) {
	lone := [maxTicks + 1]bool{} // code spans of this length do not end in the line
	for i := max(from, s.protected); i < to; i++ {
		switch s.src[i] {
		case '\\':
			if i+1 < to && (s.src[i+1] == '<' || s.src[i+1] == '[' || s.src[i+1] == '`') {
				i++
			}
		case '`':
			i = s.skipCode(i, to, &lone) - 1
		case '{':
			if end := s.objectEnd(i); end > 0 {
				s.protected = end
				i = end - 1
			}
		case gluedFinal[0]:
			if s.glued && bytes.HasPrefix(s.src[i:], []byte(gluedFinal)) {
				return tag{tagFinal, channel}, i, len(gluedFinal)
			}
		case '<', '[', "◁"[0]:
			if end := max(s.patchEnd(i), s.commentEnd(i)); end > 0 {
				s.protected = end
				i = end - 1
			} else if t, n = readTag(s.src[i:]); n > 0 {
				return t, i, n
			}
		}
	}
	return tag{}, 0, 0
}

// skipCode returns where the code span that begins at an offset ends, or its marks if it does not.
func (s *scanner) skipCode(at, to int, lone *[maxTicks + 1]bool) int {
	n := run(s.src[at:to], '`')
	from := at + n
	if n > maxTicks || lone[n] {
		return from
	}
	for i := from; i < to; {
		next := bytes.IndexByte(s.src[i:to], '`')
		if next < 0 {
			break
		}
		i += next
		m := run(s.src[i:to], '`')
		i += m
		if m == n {
			return i
		}
	}
	lone[n] = true
	return from
}

// objectEnd returns where the JSON object that begins at an offset ends, or 0 if none does.
func (s *scanner) objectEnd(at int) int {
	rest := bytes.TrimLeft(s.src[at+1:min(len(s.src), at+1+maxTagLength)], " \t\r\n")
	if len(rest) == 0 || rest[0] != '"' || s.spare < 0 {
		return 0
	}
	var j jsonState
	end, ok := j.object(s.src, at)
	if !ok {
		s.spare -= end - at
		return 0
	}
	return end
}

// commentEnd returns the end of the comment that begins at an offset, or 0.
func (s *scanner) commentEnd(at int) int {
	if s.noComment || !bytes.HasPrefix(s.src[at:], []byte("<!--")) {
		return 0
	}
	end := InlineComment(s.src[at:], len("<!--"))
	if s.noComment = end < 0; s.noComment {
		return 0
	}
	return at + end
}

// patchEnd returns the end of the search/replace block that begins at an offset, or 0. Its text is
// not that of the reply.
func (s *scanner) patchEnd(at int) int {
	const first, last = "<<<<<<<", ">>>>>>>"
	if s.noPatch || !bytes.HasPrefix(s.src[at:], []byte(first)) || at > 0 && s.src[at-1] != '\n' {
		return 0
	}
	text := s.src[at:]
	next := bytes.Index(text, []byte("\n"+first))
	if next >= 0 {
		text = text[:next]
	}
	end := bytes.Index(text, []byte("\n"+last))
	if end < 0 {
		s.noPatch = next < 0
		return 0
	}
	return at + end + 1 + len(last)
}

// noteTag remembers the first line in a fence or in verbatim HTML that begins with a tag around
// reasoning or verbatim HTML. It counts if the block turns out not to end.
func (s *scanner) noteTag(rest []byte) {
	if s.leaf.tagLine > 0 || len(rest) == 0 || s.doubt || s.quotes > 0 {
		return
	}
	if f := s.leaf.fence; f.Length > 3 && !f.isData() && len(s.within) == 0 {
		return // a longer fence shows what is in it, closed or not
	}
	switch rest[0] {
	case '<', '[', "◁"[0]:
		t, n := tag{}, 0
		if s.tagged {
			t, n = readTag(rest)
		}
		verbatim := false
		if rest[0] == '<' && s.leaf.kind == leafFence {
			kind := htmlStart(rest, true)
			verbatim = kind == htmlComment || kind == htmlVerbatim
		}
		if verbatim || n > 0 && (len(s.within) == 0 || t.kind != tagOpen) {
			s.leaf.tagLine, s.leaf.tagAt = s.line, s.start+len(s.text)-len(rest)
		}
	}
}

// rewind ends an open fence that has no end: after its JSON, or at the first tag in it. It returns
// false if there is no such place, else reading resumes there.
func (s *scanner) rewind() bool {
	l := &s.leaf
	if l.kind == leafNone || l.kind == leafParagraph || l.indented {
		return false
	}
	at, line := s.afterJSON()
	if l.tagLine > 0 && l.tagAt >= s.protected && (at == 0 || l.tagAt < at) {
		at, line = l.tagAt, l.tagLine-1
	}
	if l.opener > 0 && (at == 0 || l.openerAt < at) {
		at, line = l.openerAt, l.opener-1
	}
	if at == 0 || s.spare < s.next-at {
		return false
	}
	s.spare -= s.next - at
	s.damage(damageMissing)
	s.closeLeaf(at)
	s.start = at
	s.closeTo(0)
	s.line, s.next = line, at
	return true
}
