package markdown

import (
	"bytes"
	"slices"
	"unicode"
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
	t, at, n := s.tagOf(rest)
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

// tagOf returns the tag with which a line in a fence begins, or one in it that shows that the fence lacks
// its end. If there is none, n is 0, and at the beginning of the line.
func (s *scanner) tagOf(rest []byte) (t tag, at, n int) {
	base := s.start + len(s.text) - len(rest)
	if !s.tagged {
		return tag{}, base, 0
	}
	if t, n = s.leadingTag(base); n > 0 {
		return t, base, n
	}
	if t, at, n = s.closingIn(rest, base); n > 0 && s.notes(t, at, n) {
		return t, at, n
	}
	return tag{}, base, 0
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
	base := s.start + len(s.text) - len(rest)
	t, at, n := s.closingIn(rest, base)
	if n == 0 || at > base && (s.src[at-1] == '`' || s.src[at-1] == '~') {
		return false
	}
	_, marks := s.behind(at + n)
	switch {
	case marks && (l.fence.isData() || s.mayClose(t)):
	case !l.fence.isData():
		if at > base && t.kind != tagClose || !s.closesInCode(t, at) {
			return false
		}
	case at == base && s.inString(), at > base && !s.behindJSON(t, at, n):
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

// closingIn returns the first tag in a line inside a fence that may close reasoning. The line begins at base.
func (s *scanner) closingIn(rest []byte, base int) (t tag, at, n int) {
	if t, n = s.leadingTag(base); n > 0 && s.mayEnd(t) {
		return t, base, n
	}
	if s.marker != "" && s.markerAt == 0 {
		if i := bytes.Index(rest, []byte(s.marker)); i >= 0 {
			return tag{tagFinal, channel}, base + i, len(s.marker)
		}
	}
	for i, c := range rest {
		if c != '<' && c != '[' && c != "◁"[0] {
			continue
		}
		if t, n = readTag(rest[i:]); n > 0 && s.mayEnd(t) && !s.quotedTag(base+i, n) {
			return t, base + i, n
		}
	}
	return tag{}, 0, 0
}

// mayEnd reports whether a tag ends reasoning, if it counts.
func (s *scanner) mayEnd(t tag) bool {
	return t.kind == tagClose || t.kind == tagFinal || t == tag{tagEnd, channel} && slices.Contains(s.within, channel)
}

// mayClose reports whether a tag closes the reasoning that is open.
func (s *scanner) mayClose(t tag) bool {
	return t.kind == tagFinal && !s.final || slices.Contains(s.within, t.family)
}

// behind reports what follows a tag in its line: nothing, or a fence or another tag of a chat template.
func (s *scanner) behind(at int) (nothing, marks bool) {
	text := bytes.TrimLeft(s.src[at:max(at, s.end)], " \t.*_")
	if len(text) == 0 {
		return true, false
	}
	f, ok := OpenFence(text)
	return false, ok && (onlySpace(f.Info) || isInfo(f.Info)) || bytes.HasPrefix(text, []byte("<|"))
}

// behindJSON reports whether a tag in a line follows the complete JSON of the open fence.
func (s *scanner) behindJSON(t tag, at, n int) bool {
	s.leaf.json.read(s.src, at)
	if !s.leaf.json.complete() {
		return false
	}
	from := max(bytes.LastIndexByte(s.src[s.start:at], '}'), bytes.LastIndexByte(s.src[s.start:at], ']'))
	glued := bytes.IndexFunc(s.src[s.start+from+1:at], unicode.IsLetter) < 0
	nothing, _ := s.behind(at + n)
	return s.mayClose(t) || glued || nothing
}

// notes reports whether a tag within a line of the open fence shows that the fence lacks its end: nothing
// follows in the line, or it is glued to the text before and the last one that can close the reasoning.
func (s *scanner) notes(t tag, at, n int) bool {
	if nothing, marks := s.behind(at + n); nothing || marks {
		return (s.mayClose(t) || len(s.within) == 0) && !s.isCutInString(at, n)
	}
	all := s.inline[t.family]
	return len(s.within) > 0 && s.mayClose(t) && s.src[at-1] != ' ' && s.closes[t.family] <= at && (len(all) == 0 || all[len(all)-1] <= at)
}

// isCutInString reports whether the text ends within a tag that is in a string of the JSON in the open fence. Such a text is
// cut off, and the tag does not say what stands before the fence.
func (s *scanner) isCutInString(at, n int) bool {
	if s.rules < Third || at+n < len(s.src) || s.src[at+n-1] == '>' || s.leaf.kind != leafFence {
		return false
	}
	json := s.leaf.json
	json.read(s.src, at)
	return json.begun && json.inString
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
	s.line, s.next = line, at
	return true
}
