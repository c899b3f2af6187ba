package delta

import (
	"bytes"
	"strings"

	"brenner/artifact/delta/itemform"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/markdown"
)

// announceCall records a call of a tool in a line whose name says the operation.
func (r *reader) announceCall(line []byte, at int) bool {
	c, ok := itemform.InCall(line, r.third)
	if !ok {
		return false
	}
	rest := r.src[at+c.End : min(len(r.src), at+c.End+maxWritten)]
	if i := bytes.Index(rest, []byte("\n\n")); i >= 0 {
		rest = rest[:i]
	}
	a := announcement{operation: synonyms.Operation(strings.ToUpper(c.Verb))}
	if id := c.Target(rest); a.operation != Add && isItemID(id) {
		a.name(id)
	} else if a.operation != Add || !a.name(c.What) {
		return false
	}
	if a.words = itemform.Content(string(rest)); a.operation == Add {
		a.whole = true
	}
	r.promise(a, at+c.At, line)
	return true
}

// announceItems records the items of a section in a fence of JSON without an operation.
func (r *reader) announceItems(b markdown.Block) {
	text := r.src[b.Start:b.End]
	s, at, ok := itemform.ItemsKey(text)
	if !ok {
		return
	}
	a := announcement{operation: Add, section: s.String(), whole: true, words: itemform.Content(string(text[:min(len(text), maxWritten)]))}
	if len(a.words) > 0 {
		r.promise(a, b.Start+at, text[at:])
	}
}

// promise records an announcement at an offset, which begins a text.
func (r *reader) promise(a announcement, at int, text []byte) {
	a.line, a.column = r.place.find(at)
	line, _, _ := bytes.Cut(text[:min(len(text), maxAnnouncement)], []byte("\n"))
	a.text = strings.TrimSpace(strings.ToValidUTF8(string(line), ""))
	r.promises = append(r.promises, a)
}
