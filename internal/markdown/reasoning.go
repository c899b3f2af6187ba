package markdown

import "bytes"

// reasoning finds the reasoning in a text, which tags enclose. Blocks are collected until the end
// of the text, because a lone closing tag makes all before it reasoning.
type reasoning struct {
	tagged      bool             // the text has tags or comments
	marker      string           // words that end the reasoning like a tag, or ""
	markerAt    int              // where they are, if only one place counts
	closes      map[string]int   // where the last closing tag of a family is that begins or ends a line
	inline      map[string][]int // where its other closing tags are
	within      []string         // the families of the open tags
	from        int              // where the outermost open tag begins
	vague       int              // the blocks before it, if it does not begin its line; else -1
	final       bool             // a final channel has begun
	spans       []span           // the complete reasoning so far, with its tags
	blocks      []Block
	drafts      int    // the first blocks, which are drafts in any case
	calls       []span // the blocks of calls
	called      int    // the first block of the call that has begun, or -1
	deeper      int    // the number of open tags below maxDepth
	protected   int    // tags before this offset do not count: they are in JSON or a comment
	found       int    // the tag at which the line was split last
	begins      bool   // the last tag begins its line
	comment     int    // the first end of a comment behind commentFrom, or behind the text
	commentFrom int
	noPatch     bool // no search/replace block ends after this point
	spare       int  // remaining bytes that may be read again
	shows       shows
	wraps       wraps
	verbatim    int // where the last verbatim HTML ends, or 1; 0 if not known
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

// apply lets the tag from s.start to end take effect.
func (s *scanner) apply(t tag, end int) {
	s.closeTo(0)
	s.flush()
	s.endCall(&t)
	s.noteShown(t, end)
	if t.kind == tagShow || t.kind == tagShown {
		s.shows.apply(t, len(s.blocks), t.family == aside || s.beginsLine(end))
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
		s.push(t.family)
	case t.kind == tagFinal && !s.final, t.kind == tagClose && !was:
		s.final = s.final || t.kind == tagFinal
		s.within, was, s.from, s.spans, s.shows, s.wraps = nil, true, 0, nil, shows{}, wraps{last: end, names: s.wraps.names}
		s.draftAll(t.kind == tagFinal)
	case t.kind != tagOpen && was:
		s.pop(t, at)
	}
	if was && len(s.within) == 0 {
		s.spans = append(s.spans, span{s.from, end})
	}
}

// noteShown remembers the tag of a turn, or one that closes what no tag has opened.
func (s *scanner) noteShown(t tag, end int) {
	switch opens := t.kind == tagShow; {
	case t.family == turn:
		s.wraps.note(wrapTag{at: s.start, end: end, name: turn, opens: opens, known: opens, other: opens})
	case t.kind == tagShown && len(s.shows.open[t.family]) == 0:
		s.wraps.note(wrapTag{at: s.start, end: end, name: t.family, lone: s.beginsLine(end) && onlySpace(s.src[end:max(end, s.end)])})
	}
}

// push opens a tag.
func (s *scanner) push(family string) {
	if len(s.within) == 0 {
		s.from, s.vague = s.start, -1
		if !s.begins {
			s.vague = len(s.blocks)
		}
	}
	s.within = append(s.within, family)
}

// pop closes the open tags from at on, or all of them: at the last channel, and if the reasoning has
// no closing tag of its own.
func (s *scanner) pop(t tag, at int) {
	switch {
	case t.kind == tagFinal:
		s.within = nil
	case at >= 0:
		s.within = s.within[:at]
	case t.kind == tagClose && s.closes[s.within[0]] <= s.start:
		s.within = nil
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

// endCall ends the call before a tag, and begins one if the tag does, which then ends a channel.
func (s *scanner) endCall(t *tag) {
	if s.called >= 0 {
		s.calls = append(s.calls, span{s.called, len(s.blocks)})
	}
	if s.called = -1; t.family == call {
		s.called, t.family = len(s.blocks), channel
	}
}

// draftAll marks all blocks before the tag as drafts, perhaps but for calls.
func (s *scanner) draftAll(butCalls bool) {
	for i := range s.blocks[s.drafts:] {
		s.blocks[s.drafts+i].Draft = true
	}
	for _, c := range s.calls {
		for i := max(c.from, s.drafts); i < c.to && butCalls; i++ {
			s.blocks[i].Draft = false
		}
	}
	s.calls = nil
	s.drafts = len(s.blocks)
}

// endReasoning ends the reasoning whose tag never closes. It is in doubt if the tag is within a line:
// it may only be mentioned.
func (s *scanner) endReasoning() {
	switch {
	case len(s.within) == 0:
	case s.vague < 0:
		s.spans = append(s.spans, span{s.from, len(s.src)})
	default:
		for i := s.vague; i < len(s.blocks); i++ {
			b := &s.blocks[i]
			b.Draft, b.Shown, b.Doubtful = false, true, true
		}
	}
}

// splitAtTag lets the first tag of the line take effect. The parts of the line before and after it
// are then read as lines of their own. It returns false if no tag counts in the line.
func (s *scanner) splitAtTag(c *cursor, matched int) bool {
	if !s.tagged || s.doubt {
		return false
	}
	if s.endsPatch(c) {
		return true
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
	code := width > 3 && s.leaf.kind != leafParagraph && !s.betweenTags()
	if code {
		end = begin + 1 // in indented code only a tag at the start of the line may count
	}
	s.noteLine(c.line[at:], begin)
	t, from, n := s.findTag(begin, end)
	switch {
	case n == 0:
		return false
	case code && t.kind != tagComment && (t.kind == tagOpen || len(s.within) == 0) && len(bytes.TrimSpace(s.src[:from])) > 0:
		s.noteMention(t, from, n, t.kind == tagClose)
		return false
	case t.kind == tagComment && from == begin:
		s.skipComment(from+n, matched)
		return true
	case from > begin:
		s.found = from
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
			} else if i+1 < to && s.src[i+1] == '/' {
				s.wraps.aside(s.src, i)
			}
		default:
			if t, n = s.tagAt(i, from, to); n > 0 && t.kind != tagNone {
				return t, i, n
			}
			i += max(0, n-1)
		}
	}
	return tag{}, 0, 0
}

// tagAt reads a tag at an offset of the part of a line from from to to. It returns no tag and a length
// for text in which tags do not count.
func (s *scanner) tagAt(at, from, to int) (t tag, n int) {
	switch s.src[at] {
	case '<', '[', "◁"[0], '#':
		if end := s.patchEnd(at); end > 0 {
			s.protected = end
			return tag{}, end - at
		}
		switch end := s.commentEnd(at); {
		case end > to || end > 0 && at == from:
			return tag{kind: tagComment}, end - at
		case end > 0:
			return tag{}, end - at
		case s.opensAside(at, from):
			return tag{tagShow, aside}, len("<!--")
		}
		if n = s.answerTag(at, from); n > 0 {
			return tag{tagClose, s.within[0]}, n
		}
		if t, n = readTag(s.src[at:]); n == 0 || t.family == "details" {
			if wrap := s.noteWrap(at, from); n == 0 {
				return tag{}, wrap
			}
		}
	case '~':
		return tag{}, s.noteStrike(at, to)
	default:
		t, n = s.readMarker(at)
	}
	if t == (tag{tagShown, "s"}) && len(s.shows.open["s"]) == 0 && len(s.within) == 0 { // the end of a turn
		s.wraps.note(wrapTag{at: at, end: at + n, name: turn, opens: true, lone: true})
		return tag{}, n
	}
	if n == 0 {
		return tag{}, 0
	}
	switch s.weigh(t, from, at, n) {
	case tagCounts:
		return t, n
	case tagDoubtful:
		s.noteMention(t, at, n, true)
	case tagMentioned:
		s.noteMention(t, at, n, false)
	}
	return tag{}, 0
}

// answerTag returns the length of a tag such as <answer> that is alone on its line and ends reasoning which
// has no closing tag, or 0.
func (s *scanner) answerTag(at, from int) int {
	if len(s.within) == 0 || s.src[at] != '<' || s.closes[s.within[0]] > at || len(bytes.TrimLeft(s.src[from:at], marksBefore)) > 0 {
		return 0
	}
	for _, name := range []string{"<answer>", "<final_answer>", "<final>", "<response>", "<output>"} {
		if hasPrefixFold(s.src[at:], name) && onlySpace(s.src[at+len(name):max(at+len(name), s.end)]) {
			return len(name)
		}
	}
	return 0
}

// gluedObject returns where the JSON begins that is glued to the word of a fence, behind n marks, or 0.
func (s *scanner) gluedObject(at, to, n int) int {
	if s.rules < Third || n < 3 {
		return 0
	}
	for at < to && isLetter(s.src[at]) {
		at++
	}
	if at < to && s.src[at] == '{' && s.objectEnd(at) > 0 {
		return at
	}
	return 0
}

// skipCode returns where the code span that begins at an offset ends, or its marks if it does not.
func (s *scanner) skipCode(at, to int, lone *[maxTicks + 1]bool) int {
	n := run(s.src[at:to], '`')
	from := at + n
	if object := s.gluedObject(from, to, n); object > 0 {
		return object
	}
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
