package markdown

import "bytes"

// jsonState follows the brackets and strings of JSON. It only finds where a
// value ends, and checks nothing else.
type jsonState struct {
	at       int // the text before it has been read
	depth    int
	inString bool
	begun    bool // a bracket was seen
}

// read reads src up to an offset.
func (j *jsonState) read(src []byte, to int) {
	for ; j.at < to; j.at++ {
		j.step(src)
	}
}

func (j *jsonState) step(src []byte) {
	switch c := src[j.at]; {
	case j.inString:
		if c == '\\' {
			j.at++
		}
		j.inString = c != '"'
	case c == '"':
		j.inString = true
	case c == '{' || c == '[':
		j.depth++
		j.begun = true
	case c == '}' || c == ']':
		j.depth--
	}
}

// complete reports whether a value has ended and no other has begun.
func (j *jsonState) complete() bool { return j.begun && j.depth <= 0 && !j.inString }

// object returns the end of the object at an offset of src. It fails, and returns how far it came,
// at a line break in a string, and at what is neither JSON nor a comment.
func (j *jsonState) object(src []byte, at int) (end int, ok bool) {
	for j.at = at; j.at < len(src); j.at++ {
		switch c := src[j.at]; {
		case j.inString && c == '\n', !j.inString && (c == '<' || c == '`'):
			return j.at, false
		}
		j.step(src)
		if j.complete() {
			return j.at + 1, true
		}
	}
	return len(src), false
}

// quotesEven reports whether a part of a line ends outside double quotes.
func quotesEven(text []byte) bool {
	even := true
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			even = !even
		}
	}
	return even
}

// beginsJSON reports whether the next text that is not blank, from at on, is a bracket.
func beginsJSON(src []byte, at int, quoted bool) bool {
	for at < len(src) {
		switch c := src[at]; {
		case c == '{' || c == '[':
			return true
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || quoted && c == '>':
			at++
		default:
			n := invisible(src[at:])
			if n == 0 {
				return false
			}
			at += n
		}
	}
	return false
}

// holdsJSON reports whether the open fence is one of deltas, JSON or lessons, or has no word and
// begins with JSON.
func (s *scanner) holdsJSON() bool {
	f := s.leaf.fence
	return f.isData() || onlySpace(f.Info) && beginsJSON(s.src, s.leaf.start, s.quotes > 0)
}

// isComplete reports whether the JSON in the open fence ends before the current line.
func (s *scanner) isComplete() bool {
	s.leaf.json.read(s.src, s.start)
	return s.leaf.json.complete()
}

// inString reports whether the current line begins within a string of the JSON in the open fence.
func (s *scanner) inString() bool {
	s.leaf.json.read(s.src, s.start)
	return s.leaf.json.inString
}

// hasText reports whether the open fence has text after its JSON.
func (s *scanner) hasText() bool {
	at, _ := s.afterJSON()
	return at > 0
}

// afterJSON returns where the text after the JSON of the open fence begins, and the number of lines
// before it. It returns 0 if there is none before the current line.
func (s *scanner) afterJSON() (at, line int) {
	l := &s.leaf
	if s.rules == First || l.kind != leafFence || !l.fence.isData() || !s.begun() || s.spare < s.start-l.start {
		return 0, 0
	}
	s.spare -= s.start - l.start
	line = l.line
	if s.src[l.start-1] != '\n' {
		line-- // the JSON begins on the line of the fence
	}
	j := jsonState{at: l.start}
	for at = l.start; at < s.start; {
		i := bytes.IndexByte(s.src[at:s.start], '\n')
		if i < 0 {
			break
		}
		at, line = at+i+1, line+1
		j.read(s.src, at)
		if !j.complete() {
			continue
		}
		rest := bytes.TrimLeft(s.src[at:s.start], " \t\r\n")
		if len(rest) == 0 {
			break
		}
		if bytes.IndexByte([]byte("{}[],\"/"), rest[0]) < 0 {
			return at, line
		}
	}
	return 0, 0
}

// begun reports whether the open fence has any JSON before the current line.
func (s *scanner) begun() bool {
	s.leaf.json.read(s.src, s.start)
	return s.leaf.json.begun
}
