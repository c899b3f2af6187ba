package markdown

import (
	"bytes"
	"strconv"
)

// inDamaged reads a line inside a fence as inFence does, but recovers from damage: it ends a fence
// whose closing line is not well formed or missing.
func (s *scanner) inDamaged(c *cursor) {
	width, at := c.indent()
	rest := c.line[at:]
	l := &s.leaf
	switch {
	case l.indented && width <= 3 && len(rest) > 0:
		s.closeLeaf(s.start)
		if !s.splitAtTag(c, len(s.stack)) {
			s.open(c, len(s.stack))
		}
		return
	case (width <= 3 || l.deep || l.indented) && l.fence.ClosedBy(rest):
		length := run(rest, l.fence.Mark)
		if length > l.fence.Length && s.hasText() && s.closerAhead(Fence{Mark: l.fence.Mark, Length: length}, s.start, false) && s.rewind() {
			return // the line opens a longer fence
		}
		end := s.longerEnd(length)
		l.closed = true
		s.closeLeaf(s.start)
		if end >= 0 {
			s.doubt, s.doubtEnd, s.doubtOpens = true, end, false
		}
		return
	case !l.indented && s.endsAtTag(rest):
		return
	case l.indented || !mayFence(rest, l.fence.Mark):
		s.noteTag(rest)
		return
	}
	s.inMarks(c, rest, width)
}

// inMarks reads a line inside a fence that may have the marks of one. rest is the line without its
// indentation, which has a width.
func (s *scanner) inMarks(c *cursor, rest []byte, width int) {
	l := &s.leaf
	bare := bytes.TrimFunc(rest, isDecoration)
	n := leadingMarks(bare, l.fence.Mark)
	if n < 2 {
		s.noteTag(rest)
		s.closeGlued(rest)
		return
	}
	f := Fence{Mark: bare[0], Length: n, Info: bare[n:]}
	if s.repeatsOpening(f) {
		l.line, l.start, l.json = s.line, s.next, jsonState{at: s.next}
		return
	}
	enough := n >= l.fence.Length
	same, other := enough && f.Mark == l.fence.Mark, enough && f.Mark != l.fence.Mark
	opens := f.opensFence()
	behind := bytes.TrimLeft(visible(f.Info), " \t*_")
	switch {
	case (opens || !same) && s.holdsShell(n):
		s.resync(c, s.anotherAt("fence"))
	case len(behind) == 0:
		s.onlyMarks(same, width > 3, other)
	case opens:
		s.innerFence(c, f, rest, same)
	case same && s.endsBefore(behind):
		s.damage(damageTextBehind)
		s.closeAt(s.start, s.start+len(s.text)-len(rest)+bytes.Index(rest, bare)+n)
	default:
		s.closeGlued(rest)
	}
}

// innerFence reads an opening fence with a word inside the open fence. rest is its line.
func (s *scanner) innerFence(c *cursor, f Fence, rest []byte, same bool) {
	l := &s.leaf
	switch {
	case f.isDelta():
		s.innerDelta(c, f, same)
	case f.Length >= l.fence.Length && f.Mark != l.fence.Mark && !l.fence.isData():
		s.noteOpener()
	case same && s.isStray():
		s.doubtStray()
	case same && s.lacksEnd() || s.holdsExample(f.Length, same):
		s.resync(c, s.anotherAt("fence"))
	default:
		s.closeGlued(rest)
	}
}

// opensFence reports whether marks and the text behind them open a fence with a word.
func (f Fence) opensFence() bool {
	return f.Length >= 3 && isInfo(f.Info) && (f.Mark != ':' || f.isDelta())
}

// repeatsOpening reports whether the opening line of a delta fence is written twice.
func (s *scanner) repeatsOpening(f Fence) bool {
	l := &s.leaf
	return l.start == s.start && l.fence.isDelta() && f.Mark == l.fence.Mark && f.Length == l.fence.Length && bytes.Equal(f.Info, l.fence.Info)
}

// holdsShell reports whether a fence around a delta fence begins in a fence of data, with a number of marks.
func (s *scanner) holdsShell(length int) bool {
	return s.leaf.fence.isData() && length >= 3 && s.opensShell()
}

// longerEnd returns the offset of the line that closes a longer fence, if the closing line of the open
// one may open that instead: it has more marks than needed, and another fence follows. Else it is -1.
func (s *scanner) longerEnd(length int) int {
	l := &s.leaf
	if length <= l.fence.Length || l.indented || s.doubt || l.fence.isData() && (length == 3 || s.isComplete() && !s.afterBlank() && !s.fenceFollows()) {
		return -1
	}
	p := s.balance.of(s.src, Fence{Mark: l.fence.Mark, Length: length})
	if p == nil {
		return -1
	}
	if i := s.balance.after(s.start); p.closer[i] >= 0 && p.closer[i] != p.event[i] {
		return int(s.balance.lines[p.closer[i]].at)
	}
	return -1
}

// afterBlank reports whether the line before the current one is blank.
func (s *scanner) afterBlank() bool {
	before := bytes.TrimRight(s.src[:s.start], " \t\r")
	before = bytes.TrimSuffix(before, []byte("\n"))
	before = bytes.TrimRight(before, " \t\r")
	return bytes.HasSuffix(before, []byte("\n"))
}

// fenceFollows reports whether the next line begins with the marks of a fence.
func (s *scanner) fenceFollows() bool {
	rest := bytes.TrimLeft(s.src[s.next:], " \t")
	return len(rest) > 0 && (rest[0] == '`' || rest[0] == '~') && run(rest, rest[0]) > 2
}

// holdsExample reports whether a longer fence with a word begins in a delta fence that has no end,
// also within a text: what is in the longer one is only shown.
func (s *scanner) holdsExample(length int, same bool) bool {
	return s.leaf.fence.isDelta() && length > max(3, s.leaf.fence.Length) && (same || !s.closerAhead(s.leaf.fence, s.start, false))
}

// leadingMarks counts the marks of a fence at the start of a line: those of mark, or of any fence.
func leadingMarks(line []byte, mark byte) int {
	if len(line) > 0 && (line[0] == mark || line[0] == '`' || line[0] == '~' || line[0] == ':') {
		return run(line, line[0])
	}
	return 0
}

// noteOpener remembers the first opening fence of other marks in a fence, as noteTag does.
func (s *scanner) noteOpener() {
	if s.leaf.opener == 0 {
		s.leaf.opener, s.leaf.openerAt = s.line, s.start
	}
}

// onlyMarks reads a line of nothing but marks inside a fence: as many as it has or fewer, the same or
// other ones.
func (s *scanner) onlyMarks(same, deep, other bool) {
	why := damageDecorated
	switch {
	case same && deep:
		why = damageDeepClose
		if !s.isComplete() {
			return
		}
	case !same:
		why = damageOtherMarks
		if !s.closesOtherwise() {
			if !s.leaf.fence.isData() && other {
				s.noteOpener()
			}
			return
		}
	}
	s.damage(why)
	s.leaf.closed = true
	s.closeLeaf(s.start)
}

// lacksEnd reports whether an opening fence of other text shows that the open fence lacks its end.
func (s *scanner) lacksEnd() bool {
	l := &s.leaf
	return l.fence.isDelta() && !s.inString() || l.fence.isData() && s.isComplete() || s.lacksClose()
}

// mayFence reports whether a line inside a fence needs a closer look: it has two marks in a row.
func mayFence(rest []byte, mark byte) bool {
	return len(rest) > 1 && (rest[0] == mark || rest[0] == ':' || hasTwo(rest, '`') || hasTwo(rest, '~') || mark != '`' && hasTwo(rest, mark))
}

// hasTwo reports whether a line has two equal marks in a row.
func hasTwo(line []byte, mark byte) bool {
	i := bytes.IndexByte(line, mark)
	return i >= 0 && bytes.Contains(line[i:], []byte{mark, mark})
}

// damage records what is wrong with the open fence.
func (s *scanner) damage(why string) {
	if s.leaf.damage != "" {
		why = s.leaf.damage + "; " + why
	}
	s.leaf.damage = why
}

// endsBefore reports whether a closing fence with text behind it ends the open fence.
func (s *scanner) endsBefore(behind []byte) bool {
	if _, n := readTag(behind); n > 0 && s.tagged {
		return true
	}
	return s.holdsJSON() && !s.inString()
}

// closesOtherwise reports whether a line of other marks than the opening fence, or of fewer, closes
// it: its JSON is complete, no more follows, and no sound closing fence does.
func (s *scanner) closesOtherwise() bool {
	l := &s.leaf
	first := l.fence.Length == 3 // a longer fence may be around others
	return s.holdsJSON() && s.isComplete() && !s.jsonFollows() && !s.closerAhead(l.fence, s.start, first) && s.shellEnd() <= s.start
}

// innerDelta reads an opening fence of deltas inside the open fence.
func (s *scanner) innerDelta(c *cursor, f Fence, same bool) {
	l := &s.leaf
	why := s.anotherAt("delta block")
	if end := s.shellEnd(); !same && end > s.start && !s.inString() {
		s.doubt = true // all of it has one fate
		s.beginDoubt(c, end)
		return
	}
	switch {
	case l.fence.isDelta():
		if same || s.isComplete() || !s.closerAhead(l.fence, s.start, false) {
			s.resync(c, why)
		}
	case s.lacksClose() && (same || f.Mark != l.fence.Mark && !s.closerAhead(l.fence, s.start, false)), s.doubt && same:
		s.resync(c, why)
	case same:
		if end := s.outerEnd(l.fence, s.start); end >= 0 {
			s.beginDoubt(c, end)
		} else {
			s.resync(c, why)
		}
	case !s.doubt:
		s.strayDelta(c, f, why)
	}
}

// anotherAt says that the open fence has no end before the current line, where another one begins.
func (s *scanner) anotherAt(what string) string {
	return damageMissing + ": another " + what + " begins at line " + strconv.Itoa(s.line)
}

// resync ends the open fence before the current line, which opens another one.
func (s *scanner) resync(c *cursor, why string) {
	if s.rewind() {
		return
	}
	s.damage(why)
	s.reopen(c)
}

// reopen ends the open fence before the current line, and reads what the line begins. A fence that
// has left its containers ends with them.
func (s *scanner) reopen(c *cursor) {
	matched := len(s.stack)
	if s.leaf.unbound {
		*c = cursor{line: s.text}
		matched = s.match(c)
	}
	s.closeTo(matched)
	s.open(c, matched)
}

// closeAt closes the open fence with an end of its content. What follows from next on in the line
// is read as a line of its own.
func (s *scanner) closeAt(end, next int) {
	s.leaf.closed = true
	s.closeLeaf(end)
	s.breakAt(next)
}

// closeGlued closes the open fence at marks that are glued to the end of its JSON in the line.
func (s *scanner) closeGlued(rest []byte) {
	l := &s.leaf
	if !s.holdsJSON() || l.fence.Length < 3 {
		return
	}
	base := s.start + len(s.text) - len(rest)
	even, from := true, 0
	isCode := false // to the third version marks that end inline code do not close the fence
	for i := bytes.IndexByte(rest, l.fence.Mark); i >= 0; {
		n := run(rest[i:], l.fence.Mark)
		even = even == quotesEven(rest[from:i])
		from = i + n
		before := bytes.TrimRight(rest[:i], " \t*_")
		if n >= l.fence.Length && even && !isCode && len(before) > 0 && (before[len(before)-1] == '}' || before[len(before)-1] == ']') {
			if isInfo(rest[from:]) && s.jsonFollows() {
				s.damage(s.anotherAt("fence"))
				s.closeLeaf(base + i)
				s.breakAt(base + i)
				return
			}
			s.damage(damageGlued)
			s.closeAt(base+i, base+from)
			return
		}
		if n >= l.fence.Length && even && s.rules >= Third {
			isCode = !isCode
		}
		next := bytes.IndexByte(rest[from:], l.fence.Mark)
		if next < 0 {
			return
		}
		i = from + next
	}
}

// leavesItem reports whether a line that leaves the containers of the open fence belongs to the
// fence nevertheless: its author did not indent or quote all of it.
func (s *scanner) leavesItem(c *cursor, matched int) bool {
	l := &s.leaf
	if l.kind != leafFence || !l.fence.isData() {
		return false
	}
	rest := bytes.TrimLeft(c.line, " \t")
	if len(rest) == 0 {
		return false
	}
	for _, k := range s.stack[matched:] {
		if k.quote && (rest[0] != '{' && rest[0] != '[' || s.begun()) {
			return false
		}
	}
	closes := l.fence.ClosedBy(rest) && s.begun()
	if !closes && (bytes.IndexByte([]byte(`{}[]"`), rest[0]) < 0 || s.isComplete()) {
		return false
	}
	l.unbound = true
	s.damage(damageItem)
	return true
}
