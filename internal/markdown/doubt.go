package markdown

import "bytes"

// strayDelta reads an opening fence of deltas inside a fence of other or more marks, which may be a stray
// line of marks.
func (s *scanner) strayDelta(c *cursor, f Fence, why string) {
	l := &s.leaf
	stray, other := onlySpace(l.fence.Info), f.Mark != l.fence.Mark
	next := -1
	if stray && other {
		next = s.nextOpener()
	}
	switch {
	case next >= 0 && (bytes.Contains(s.src[s.start:next], []byte("\n<")) || bytes.Contains(s.src[s.start:next], []byte("\n[THINK]"))):
		s.beginDoubt(c, s.nextCloser(l.fence)) // tags in doubtful text are not read
	case next >= 0:
		s.beginDoubt(c, next)
		s.doubtOpens = true
	case s.closerAhead(l.fence, s.start, false):
	case stray:
		if l.fence.Length > 3 {
			s.readAgain()
		}
		s.resync(c, why)
	case other && f.Length >= l.fence.Length:
		s.beginDoubt(c, len(s.src))
	}
}

// readAgain lets the content of the open fence be read again if the fence turns out to have no end.
func (s *scanner) readAgain() {
	l := &s.leaf
	l.tagLine, l.tagAt = l.line+1, l.start
	if s.src[l.start-1] != '\n' {
		l.tagLine-- // it begins on the line of the fence
	}
}

// isStray reports whether the open fence is a stray line of marks, or an example with one: it has no word,
// another fence begins in it, and only one line closes the two.
func (s *scanner) isStray() bool {
	l := &s.leaf
	return onlySpace(l.fence.Info) && l.tagLine == 0 && len(s.within) == 0 && !s.doubt && s.quotes == 0 && s.outerEnd(l.fence, s.start) < 0
}

// doubtStray reads the open fence again as text that is in doubt up to the line that closes it. To the third version a
// delta fence right before that line is not in doubt: the line is its own.
func (s *scanner) doubtStray() {
	l := &s.leaf
	end, isOpener := s.nextCloser(l.fence), false
	if at := s.lastDelta(l.fence, end); s.rules >= Third && at >= 0 {
		end, isOpener = at, true
	}
	s.readAgain()
	if s.rewind() {
		s.doubt, s.doubtEnd, s.doubtOpens = true, end, isOpener
	}
}

// lastDelta returns the offset of the delta fence like f that the line at an offset closes, or -1. One below a tag or in a
// comment may be shown only.
func (s *scanner) lastDelta(f Fence, closer int) int {
	i := s.balance.after(closer-1) - 1
	if i < 0 {
		return -1
	}
	l := s.balance.lines[i]
	if int(l.at) <= s.start || !l.delta || l.mark != f.Mark || int(l.length) != f.Length {
		return -1
	}
	above := bytes.TrimRight(s.src[s.start:l.at], " \t\r\n")
	line := bytes.TrimSpace(above[bytes.LastIndexByte(above, '\n')+1:])
	if bytes.HasPrefix(line, []byte("<")) || bytes.LastIndex(above, []byte("<!--")) > bytes.LastIndex(above, []byte("-->")) {
		return -1
	}
	return int(l.at)
}

// nextOpener returns the offset of a later fence with a word, if the line that closes the open one, which
// has none, belongs to it: the open one is a stray line of marks, or an example. Else it is -1.
func (s *scanner) nextOpener() int {
	p := s.balance.of(s.src, s.leaf.fence)
	if p == nil || s.leaf.searched {
		return -1
	}
	s.leaf.searched = true // up to the line that closes it
	i := s.balance.after(s.start)
	for end := p.closer[i]; i < int(end); i++ {
		if l := s.balance.lines[i]; l.opens && l.mark == s.leaf.fence.Mark && int(l.length) >= s.leaf.fence.Length {
			return int(l.at)
		}
	}
	return -1
}

// nextCloser returns the offset of the next line that closes a fence like f, or the end of the text.
func (s *scanner) nextCloser(f Fence) int {
	if p := s.balance.of(s.src, f); p != nil {
		if i := p.closer[s.balance.after(s.start)]; i >= 0 {
			return int(s.balance.lines[i].at)
		}
	}
	return len(s.src)
}

// beginDoubt ends the open fence before the current line. Up to end it cannot be told whether the
// text is an example inside the fence, or whether the fence should have ended before it.
func (s *scanner) beginDoubt(c *cursor, end int) {
	if s.leaf.fence.isData() && len(bytes.TrimSpace(s.src[s.leaf.start:s.start])) == 0 {
		s.leaf = leaf{}
	}
	s.closeLeaf(s.start)
	s.doubt, s.doubtEnd, s.doubtOpens = true, end, false
	s.reopen(c)
}

// endDoubt ends the doubt at the closing fence.
func (s *scanner) endDoubt() {
	s.closeTo(0)
	s.flush()
	s.doubt = false
}
