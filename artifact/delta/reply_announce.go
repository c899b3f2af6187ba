package delta

import (
	"bytes"
	"strings"

	"brenner/internal/markdown"
)

// maxAnnouncement is how much of a line is looked at for an announcement.
const maxAnnouncement = 120

// announce remembers the first line of prose that promises deltas: a heading
// that speaks of them, "Delta 1:", or an operation in capitals.
func (r *reader) announce(b markdown.Block) {
	if r.announced > 0 || r.meant {
		return
	}
	text := r.src[b.Start:b.End]
	for line := b.Line; len(text) > 0; line++ {
		var this []byte
		this, text, _ = bytes.Cut(text, []byte("\n"))
		if len(this) > 1 && announces(string(this[:min(len(this), maxAnnouncement)])) {
			r.announced = line
			return
		}
	}
}

// announces tells whether a line promises a delta.
func announces(line string) bool {
	said := strings.TrimLeft(line, " \t-+>0123456789.)")
	body := strings.TrimLeft(said, "#*_` \t0123456789.)")
	emphatic := len(body) < len(said)
	first := strings.FieldsFunc(body, func(r rune) bool { return !isWordRune(r) })
	if len(first) == 0 {
		return false
	}
	switch first[0] {
	case Add, Edit, Kill:
		return len(first) > 1
	}
	word := strings.ToLower(first[0])
	if word == "delta" || word == "deltas" {
		rest := strings.TrimLeft(body[len(word):], " #0123456789*_`")
		return emphatic || rest == "" || rest[0] == ':'
	}
	if !emphatic {
		return false
	}
	for _, w := range first {
		if w = strings.ToLower(w); w == "delta" || w == "deltas" {
			return true
		}
	}
	return false
}

func isWordRune(r rune) bool {
	return r == '_' || r >= 0x80 || (r < 0x80 && (isLetter(byte(r)) || isDigit(byte(r))))
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
