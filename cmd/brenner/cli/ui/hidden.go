package ui

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"brenner/internal/text"
)

// visibleJSON escapes what a terminal would obey or hide in a JSON document: control
// characters such as U+009B and marks of direction. The document keeps its meaning.
func visibleJSON(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && n == 1: // some terminals obey single bytes
			out = append(out, string(utf8.RuneError)...)
		case r == '\n' || r == '\t' || !text.Hidden(r):
			out = append(out, data[i:i+n]...)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return out
}
