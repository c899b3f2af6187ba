package openai

import (
	"strings"
	"unicode/utf8"
)

// Some servers cut a text into pieces between bytes, not between characters. A
// reader of JSON would take either half of a character for a mistake; so bytes that
// are no character go through it in disguise: as characters of the last private
// block, which nobody uses.
const disguised = 0x10FF00

// disguise dresses the bytes of a piece that are no characters. Almost no piece has
// any.
func (a *answer) disguise(data []byte) []byte {
	if a.disguises = !utf8.Valid(data); !a.disguises {
		return data
	}
	out := make([]byte, 0, len(data)+16)
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			r = disguised + rune(data[0])
		}
		out = utf8.AppendRune(out, r)
		data = data[n:]
	}
	return out
}

// bare gives a text from such a piece with its bytes as they came.
func (a *answer) bare(text string) string {
	if !a.disguises {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if r >= disguised+utf8.RuneSelf && r <= disguised+0xFF {
			b.WriteByte(byte(r - disguised))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
