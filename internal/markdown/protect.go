package markdown

import "bytes"

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

// commentEnd returns the end of the comment that begins at an offset, or 0. A comment in which a tag
// closes the reasoning before another comment begins has no end of its own.
func (s *scanner) commentEnd(at int) int {
	const open, end = "<!--", "-->"
	if !bytes.HasPrefix(s.src[at:], []byte(open)) {
		return 0
	}
	switch from := at + len("<!"); {
	case s.comment > 0 && from < s.commentFrom: // reading has resumed before it
		if i := bytes.Index(s.src[from:min(len(s.src), s.commentFrom+len(end))], []byte(end)); i >= 0 {
			s.comment = from + i + len(end)
		}
		s.commentFrom = from
	case s.comment < from+len(end):
		s.commentFrom, s.comment = from, len(s.src)+1
		if i := bytes.Index(s.src[from:], []byte(end)); i >= 0 {
			s.comment = from + i + len(end)
		}
	}
	if s.comment > len(s.src) {
		return 0
	}
	if inner := s.src[at+1 : s.comment]; len(s.closes) > 0 {
		if next := bytes.Index(inner, []byte(open)); next >= 0 && s.holdsClose(at, at+1+next) {
			return 0
		}
	}
	return s.comment
}

// holdsClose reports whether a line of a part of the text begins with a tag that closes reasoning which
// did not begin in it.
func (s *scanner) holdsClose(from, to int) bool {
	for open := 0; ; {
		i := bytes.IndexByte(s.src[from:to], '\n')
		if i < 0 {
			return false
		}
		from += i + 1
		for from < to && (s.src[from] == ' ' || s.src[from] == '\t') {
			from++
		}
		switch t, n := readTag(s.src[from:to]); {
		case n == 0:
		case t.kind == tagOpen:
			open++
		case t.kind == tagClose && open > 0:
			open--
		case t.kind == tagClose || t.kind == tagFinal:
			return true
		}
	}
}

// skipComment reads a comment from the current line to its end, wherever that is. What follows it in a line
// with the mark of a quotation belongs to it.
func (s *scanner) skipComment(end, matched int) {
	s.closeTo(matched)
	s.flush()
	b := Block{Kind: Verbatim, Start: s.start, Line: s.line}
	s.line += bytes.Count(s.src[s.start:end], []byte("\n"))
	s.start = end
	s.findEnd()
	s.next = s.after
	last := s.src[bytes.LastIndexByte(s.src[:end], '\n')+1 : end]
	if last = bytes.TrimLeft(last, " \t"); len(last) == 0 || last[0] != '>' {
		s.breakAt(end)
	}
	b.End = s.next
	s.emit(b)
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

// endsPatch reads the line that ends a search/replace block, up to a tag behind its mark.
func (s *scanner) endsPatch(c *cursor) bool {
	if s.protected <= s.start || s.protected >= s.start+len(c.line) || !bytes.HasSuffix(s.src[:s.protected], []byte(">>>>>>>")) {
		return false
	}
	_, from, n := s.findTag(s.start, s.start+len(c.line))
	if n == 0 {
		return false
	}
	s.found = from
	s.closeTo(0)
	s.breakAt(from)
	s.addProse()
	return true
}

// aside is the family of a comment within a line that never ends: what follows is in doubt.
const aside = "aside"

// opensAside reports whether such a comment begins at an offset of a line that begins at from.
func (s *scanner) opensAside(at, from int) bool {
	return (at > from || at == s.found) && s.comment > len(s.src) && len(s.within) == 0 && len(s.shows.open[aside]) == 0 && bytes.HasPrefix(s.src[at:], []byte("<!--")) && !s.quotedTag(at, len("<!--"))
}

// straysAt reports whether a comment that begins at an offset has no end of its own, and another one
// begins before the next end.
func (s *scanner) straysAt(at int) bool {
	return s.tagged && s.quotes == 0 && !s.doubt && s.commentEnd(at) == 0 && s.comment <= len(s.src)
}
