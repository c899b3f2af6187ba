package delta

import (
	"bytes"
	"strings"

	"brenner/artifact/delta/itemform"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/markdown"
	"brenner/internal/pattern"
)

var (
	callName   = pattern.New(`(?:"name"\s*:\s*"|<function=)(add|edit|kill)_(\w+)`)
	laterName  = pattern.New(`<(?:invoke|tool|call|action|function|tool_use)\s+name="(add|edit|kill|remove|delete|retire|update)_(\w+)"`)
	callTarget = pattern.New(`"([A-Z]{1,2}\d{1,3})"`)
	laterID    = pattern.New(`["'>]([A-Z]{1,2}\d{1,3})["'<]`)
	sectionKey = pattern.New(`"section"\s*:\s*"(\w+)"|"(\w+_(?:slate|table|tests|ledger|register|critique))"\s*:\s*\[\s*\{`)
)

// announceCall records a call of a tool in a line whose name says the operation.
func (r *reader) announceCall(line []byte, at int) bool {
	m, target := callName.FindSubmatchIndex(line), callTarget
	if m == nil && r.third && bytes.IndexByte(line, '<') >= 0 {
		m, target = laterName.FindSubmatchIndex(line), laterID
	}
	if m == nil {
		return false
	}
	rest := r.src[at+m[1] : min(len(r.src), at+m[1]+maxWritten)]
	if i := bytes.Index(rest, []byte("\n\n")); i >= 0 {
		rest = rest[:i]
	}
	a := announcement{operation: synonyms.Operation(strings.ToUpper(string(line[m[2]:m[3]])))}
	if id := target.FindSubmatch(rest); id != nil && a.operation != Add && isItemID(string(id[1])) {
		a.name(string(id[1]))
	} else if a.operation != Add || !a.name(string(line[m[4]:m[5]])) {
		return false
	}
	if a.words = itemform.Content(string(rest)); a.operation == Add {
		a.whole = true
	}
	r.promise(a, at+m[0], line)
	return true
}

// announceItems records the items of a section in a fence of JSON without an operation.
func (r *reader) announceItems(b markdown.Block) {
	text := r.src[b.Start:b.End]
	m := sectionKey.FindSubmatchIndex(text)
	if m == nil {
		return
	}
	a := announcement{operation: Add, whole: true, words: itemform.Content(string(text[:min(len(text), maxWritten)]))}
	s, ok := synonyms.Section(string(text[max(m[2], m[4]):max(m[3], m[5])]))
	if !ok || len(a.words) == 0 {
		return
	}
	a.section = s.String()
	r.promise(a, b.Start+m[0], text[m[0]:])
}

// promise records an announcement at an offset, which begins a text.
func (r *reader) promise(a announcement, at int, text []byte) {
	a.line, a.column = r.place.find(at)
	line, _, _ := bytes.Cut(text[:min(len(text), maxAnnouncement)], []byte("\n"))
	a.text = strings.TrimSpace(strings.ToValidUTF8(string(line), ""))
	r.promises = append(r.promises, a)
}
