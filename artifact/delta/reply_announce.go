package delta

import (
	"bytes"
	"strings"

	"brenner/internal/markdown"
)

// announce records the first line of prose that promises deltas: a heading that mentions them,
// "Delta 1:", or an operation in capitals.
func (r *reader) announce(b markdown.Block, c clues) {
	text := r.src[b.Start:b.End]
	if r.announced > 0 || r.meant || !c.operation && !hasDelta(text) {
		return
	}
	for line := b.Line; len(text) > 0; line++ {
		var this []byte
		this, text, _ = bytes.Cut(text, []byte("\n"))
		if len(this) > 1 && announces(string(this[:min(len(this), maxAnnouncement)])) {
			r.announced = line
			return
		}
	}
}

func announces(line string) bool {
	trimmed := strings.TrimLeft(line, " \t-+>0123456789.)")
	body := strings.TrimLeft(trimmed, "#*_` \t0123456789.)")
	emphatic := len(body) < len(trimmed)
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
