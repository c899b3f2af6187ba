package markdown

import (
	"bytes"
	"slices"
)

// noteTag remembers the first line in a fence or in verbatim HTML that begins with a tag around
// reasoning or verbatim HTML. It counts if the block turns out not to end.
func (s *scanner) noteTag(rest []byte) {
	l := &s.leaf
	if s.reopens(rest) && s.rewind() {
		return
	}
	if l.tagLine != 0 || len(rest) == 0 || s.doubt || s.quotes > 0 {
		return
	}
	at := s.start + len(s.text) - len(rest)
	t, n := tag{}, 0
	if s.tagged {
		t, n = s.leadingTag(at)
	}
	alone := len(s.within) == 0 && (t.kind == tagClose || t.kind == tagFinal)
	shows := len(s.within) == 0 && (l.kind == leafHTML || l.fence.Length > 3 && !l.fence.isData())
	switch {
	case alone:
		l.lone = true
	case shows:
		if n > 0 {
			l.tagLine = -1 // a longer fence shows what is in it, closed or not
		}
		return
	case n > 0 && (len(s.within) == 0 || t.kind != tagOpen), l.kind == leafFence && isVerbatim(rest):
	default:
		return
	}
	l.tagLine, l.tagAt = s.line, at
}

// reopens reports whether a line inside a fence is an opening tag of reasoning, alone. It shows that a tag
// before it that closes reasoning is not code.
func (s *scanner) reopens(rest []byte) bool {
	if s.leaf.tagLine <= 0 || s.leaf.kind != leafFence || len(s.within) == 0 || len(rest) < 4 || rest[0] != '<' && rest[0] != '[' {
		return false
	}
	t, n := readTag(rest)
	return n > 0 && t.kind == tagOpen && onlySpace(rest[n:])
}

// leadingTag reads a tag, or the words in place of one, at an offset where a line begins.
func (s *scanner) leadingTag(at int) (tag, int) {
	switch s.src[at] {
	case '<', '[', "◁"[0]:
		return readTag(s.src[at:])
	}
	return s.readMarker(at)
}

// isVerbatim reports whether a line begins a comment or other verbatim HTML.
func isVerbatim(rest []byte) bool {
	if rest[0] != '<' {
		return false
	}
	kind := htmlStart(rest, true)
	return kind == htmlComment || kind == htmlVerbatim
}

// lacksClose reports whether a tag in the open fence shows that it has no end, once another fence begins.
func (s *scanner) lacksClose() bool { return s.leaf.tagLine > 0 && (s.leaf.lone || len(s.within) > 0) }

// endsAtTag ends the open fence at a tag that closes reasoning: JSON has none outside its texts. rest is the end of the line.
func (s *scanner) endsAtTag(rest []byte) bool {
	l := &s.leaf
	if !s.tagged || len(rest) < 4 || s.doubt || s.quotes > 0 {
		return false
	}
	at := s.start + len(s.text) - len(rest)
	t, n := s.leadingTag(at)
	if !l.fence.isData() && (n == 0 || !s.closesInCode(t, at)) {
		return false
	}
	if n > 0 && l.fence.isData() {
		behind := bytes.TrimLeft(rest[n:], " \t")
		if s.inString() && (len(behind) == 0 || behind[0] != '`' && behind[0] != '~') {
			return false
		}
	} else if n == 0 {
		if at, t, n = s.lastTag(); n == 0 {
			return false
		}
	}
	if t.kind != tagClose && t.kind != tagFinal {
		return false
	}
	fence := l.fence
	s.damage(damageMissing)
	s.closeLeaf(at)
	s.start = at
	s.apply(t, at+n)
	s.breakAt(at + n)
	if !s.partial {
		s.skipCloser(fence)
	}
	return true
}

// closesInCode reports whether a tag closes reasoning although it is in a fence: it is the last one
// that can, or words that are not code.
func (s *scanner) closesInCode(t tag, at int) bool {
	if t.kind == tagFinal {
		return s.marker != "" && !s.final
	}
	return t.kind == tagClose && s.vague < 0 && slices.Contains(s.within, t.family) && s.closes[t.family] == at
}

// lastTag returns the tag at the end of the line, directly behind JSON.
func (s *scanner) lastTag() (at int, t tag, n int) {
	text := bytes.TrimRight(s.text, " \t")
	switch text[len(text)-1] {
	case '>', ']', "▷"[2]:
	default:
		return 0, t, 0
	}
	i := bytes.LastIndexAny(text, "<[◁")
	if i <= 0 {
		return 0, t, 0
	}
	if t, n = readTag(text[i:]); n != len(text)-i {
		return 0, t, 0
	}
	before := bytes.TrimRight(text[:i], " \t")
	if len(before) == 0 || before[len(before)-1] != '}' && before[len(before)-1] != ']' {
		return 0, t, 0
	}
	at = s.start + i
	s.leaf.json.read(s.src, at)
	if !s.leaf.json.complete() {
		return 0, t, 0
	}
	return at, t, n
}

// skipCloser skips the next line if it closes a fence that has ended already.
func (s *scanner) skipCloser(f Fence) {
	line := s.src[s.next:]
	next := len(s.src)
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line, next = line[:i], s.next+i+1
	}
	if f.ClosedBy(bytes.Trim(line, " \t\r")) && len(line) > 0 && !beginsJSON(s.src, next, false) {
		s.next = next
		s.line++
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
