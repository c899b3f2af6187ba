package markdown

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
