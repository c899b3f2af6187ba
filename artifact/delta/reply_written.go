package delta

import (
	"bytes"
	"regexp"
	"strings"

	"brenner/artifact"
	"brenner/internal/markdown"
)

// writtenOperation finds an operation in YAML, XML, code or a table.
var writtenOperation = regexp.MustCompile(`(?i)\b(?:operation|op|action)` + quoteMarks + `[ \t]{0,8}(?:=>|[:=|>])[ \t]{0,8}[<\[]?` + quoteMarks + `(ADD|EDIT|KILL)\b`)

// quoteMarks are what may stand around a word, escaped or not.
const quoteMarks = `(?:\\{0,3}["'*_\x60“”]|&quot;|&#34;|&#39;){0,4}`

// findWritten refuses the changes in a fence that are not written as JSON. Done is what was read as
// JSON.
func (r *reader) findWritten(b markdown.Block, done []span, f fate) {
	text := r.src[b.Start:b.End]
	if !r.possible(text) || !isAboutSections(text) {
		return
	}
	last := 0
	for _, m := range writtenOperation.FindAllSubmatchIndex(text, r.opt.MaxBlocks) {
		at, before := b.Start+m[0], text[max(last, m[0]-maxWritten):m[0]]
		last = m[1]
		for len(done) > 0 && int(done[0].to) <= at {
			done = done[1:]
		}
		if len(done) > 0 && int(done[0].from) <= at {
			continue
		}
		p := &passage{fate: f, base: at}
		line, _ := r.place.find(at)
		row := Block{Line: line}
		row.Delta = sketchOf(r.src[at:writtenEnd(r.src[:b.End], b.Start+m[1])])
		if row.Delta.Section == "" && row.Delta.Target == "" {
			row.Delta = sketchOf(before)
		}
		row.Delta.Operation = strings.ToUpper(string(text[m[2]:m[3]]))
		r.put(p, row)
	}
}

// refuseOthers refuses all changes but the first in a delta fence that is not JSON.
func (r *reader) refuseOthers(b markdown.Block, f fate) {
	text := r.src[b.Start:b.End]
	start := bytes.TrimLeft(text, " \t\r\n")
	if len(start) == 0 || start[0] == '{' || start[0] == '[' {
		return
	}
	if m := writtenOperation.FindIndex(text); m != nil {
		if f == (fate{}) {
			f = refused(artifact.InvalidJSON, "a delta that is not written as JSON", "write it as one JSON object in a fence of its own")
		}
		r.findWritten(b, []span{{int32(b.Start), int32(b.Start + m[1])}}, f)
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

// sketched finds an operation, a section or a target in JSON that cannot be read.
var sketched = regexp.MustCompile(`(?i)\b(operation|op|action|section|target_id)` + quoteMarks + `[ \t]{0,8}[:=]?[ \t]{0,8}` + quoteMarks + `([A-Z][A-Z0-9_.]{1,30})`)

// sketch returns what the beginning of an unreadable delta says about itself.
func (r *reader) sketch(text []byte) Delta {
	const enough = 400
	if !r.second {
		return Delta{}
	}
	text = text[:min(len(text), enough)]
	for _, end := range []string{"```", "~~~", ":::"} {
		text, _, _ = bytes.Cut(text, []byte(end))
	}
	if !r.possible(text) {
		return Delta{}
	}
	return sketchOf(text)
}

func sketchOf(text []byte) Delta {
	var d Delta
	for _, m := range sketched.FindAllSubmatch(text, 8) {
		switch key, word := topKey(string(m[1])), string(m[2]); {
		case key == keyOperation && isOperation(word) && d.Operation == "":
			d.Operation = strings.ToUpper(word)
		case key == keySection && d.Section == "":
			if s, ok := sectionOf(word); ok {
				d.Section = s.String()
			}
		case key == keyTarget && isItemID(word) && d.Target == "":
			d.Target = word
		}
	}
	if d.Operation == Add {
		d.Target = ""
	}
	return d
}

// around returns the beginning of an object that cannot be read, up to its first end.
func (r *reader) around(text []byte, end int) []byte {
	const more = 400
	if !r.second {
		return text[:end]
	}
	rest := text[end:min(len(text), end+more)]
	if i := bytes.IndexByte(rest, '}'); i >= 0 {
		rest = rest[:i]
	}
	return text[:end+len(rest)]
}

// visible returns an offset, or the last one before it at which something stands.
func (r *reader) visible(at int) int {
	if !r.second {
		return at
	}
	at = min(at, len(r.src))
	if len(bytes.TrimLeft(r.src[at:min(len(r.src), at+1)], " \t\r\n")) > 0 {
		return at
	}
	return max(0, len(bytes.TrimRight(r.src[:at], " \t\r\n"))-1)
}

// afterFirstLine returns a block without its first line.
func afterFirstLine(src []byte, b markdown.Block) markdown.Block {
	i := bytes.IndexByte(src[b.Start:b.End], '\n')
	if i < 0 {
		i = b.End - b.Start - 1
	}
	b.Start = min(b.End, b.Start+i+1)
	return b
}
