package delta

import (
	"bytes"
	"unicode/utf8"
)

// space passes white space and comments. It is false where a comment never ends.
func (r *repairer) space() bool {
	for r.pos < len(r.src) {
		rest := r.src[r.pos:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			r.text = append(r.text, c)
			r.pos++
		case c == '#' || bytes.HasPrefix(rest, []byte("//")):
			r.change(fixComment, r.pos)
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			r.blank(n)
		case bytes.HasPrefix(rest, []byte("/*")):
			n := 2 + bytes.Index(rest[2:], []byte("*/")) // "/*/" has only begun
			if n < 2 {
				r.misfit(r.pos, "a comment begins here and never ends", "JSON has no comments: take it out")
				return false
			}
			r.change(fixComment, r.pos)
			r.blank(n + 2)
		case c >= utf8.RuneSelf && oddSpace(rest) > 0:
			r.change(fixSpace, r.pos)
			r.blank(oddSpace(rest))
		default:
			return true
		}
	}
	return true
}

// oddSpace measures white space that JSON does not know.
func oddSpace(b []byte) int {
	switch r, n := utf8.DecodeRune(b); {
	case r == '\u00a0', r == '\u202f', r == '\u3000', r == '\ufeff', r >= '\u2000' && r <= '\u200b', r == '\u2028', r == '\u2029':
		return n
	}
	return 0
}
