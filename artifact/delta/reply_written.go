package delta

import (
	"bytes"
	"regexp"
	"strings"

	"brenner/internal/markdown"
)

// writtenOperation finds an operation in YAML, XML, code or a table.
var writtenOperation = regexp.MustCompile(`(?i)\b(?:operation|op|action)["'*_\x60]{0,4}[ \t]{0,8}(?:=>|[:=|>])[ \t]{0,8}["'*_\x60]{0,4}(ADD|EDIT|KILL)\b`)

// findWritten refuses the changes in a fence that are not written as JSON. Done is what was read as
// JSON.
func (r *reader) findWritten(b markdown.Block, done []span, f fate) {
	text := r.src[b.Start:b.End]
	if !r.possible(text) || !isAboutSections(text) {
		return
	}
	for _, m := range writtenOperation.FindAllSubmatchIndex(text, r.opt.MaxBlocks) {
		at := b.Start + m[0]
		for len(done) > 0 && int(done[0].to) <= at {
			done = done[1:]
		}
		if len(done) > 0 && int(done[0].from) <= at {
			continue
		}
		p := &passage{fate: f, base: at}
		line, _ := r.place.find(at)
		row := Block{Line: line}
		row.Delta.Operation = strings.ToUpper(string(text[m[2]:m[3]]))
		r.put(p, row)
	}
}

// isAboutSections reports whether a text says what its operations apply to.
func isAboutSections(text []byte) bool {
	lower := bytes.ToLower(text)
	for _, word := range []string{keySection, "target", keyPayload, "hypothes", "predict", "assumption", "anomal", "critique"} {
		if bytes.Contains(lower, []byte(word)) {
			return true
		}
	}
	return false
}
