package delta

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
)

// maxTakenOut is how many objects may enclose a delta for the second reader.
const maxTakenOut = 4

// takeOut reads the deltas that an object encloses under any key. It returns false if the object is
// no such wrapper.
func (r *reader) takeOut(p *passage, o *object, wrapped int) bool {
	if isOperation(o.text(keyOperation)) || o.payloadKey != "" && o.has(keySection) {
		return false
	}
	var fields []written
	for _, f := range o.fields {
		if isWrapper := f.name == "deltas" || f.name == "delta"; f.raw.to > 0 && (isWrapper && !o.has(keyOperation) || r.possible(p.text[f.raw.from:f.raw.to])) {
			fields = append(fields, f)
		}
	}
	if len(fields) == 0 {
		return false
	}
	if wrapped == maxTakenOut || r.opt.Strict {
		return r.refuseWrapped(p, o, fields)
	}
	for _, f := range fields {
		r.takeOutOf(p, f, wrapped)
	}
	return true
}

// refuseWrapped refuses an object that encloses deltas. It returns false if it encloses none.
func (r *reader) refuseWrapped(p *passage, o *object, fields []written) bool {
	if !slices.ContainsFunc(fields, func(f written) bool { return r.mentions(p.text[f.raw.from:f.raw.to]) }) {
		return false
	}
	problem := Located{Code: InvalidOperation, Message: "a wrapping around deltas, not a delta", Hint: "write the deltas themselves, or a list of them"}
	if p.loose && r.opt.Strict {
		problem = Located{Code: UnfencedDelta, Message: "a delta outside a delta fence", Hint: hintFence}
	}
	r.row(p, o.at, problem)
	return true
}

// takeOutOf reads the deltas in a field of a wrapper.
func (r *reader) takeOutOf(p *passage, f written, wrapped int) {
	inner := *p
	inner.line = 0
	inner.flags = append(slices.Clone(p.flags), Flag{Name: FlagNormalised, Text: fmt.Sprintf("taken out of the object around it (%q)", clipped(f.name))})
	if f.name == "deltas" || f.name == "delta" {
		inner.flags[len(inner.flags)-1].Text = "taken out of the object around it"
	}
	if name := strings.ToLower(f.name); inner.fate == (fate{}) {
		switch {
		case isExampleWord(name):
			inner.shown = FlagExample
		case isDraftWord(name):
			inner.shown = FlagDraft
		}
	}
	from := f.raw.from + int32(leadingSpace(p.text[f.raw.from:f.raw.to]))
	if p.text[from] == '{' {
		r.element(&inner, span{from, f.raw.to}, wrapped+1)
		return
	}
	spans, _, _ := r.split(p.text[from:f.raw.to])
	for _, s := range spans {
		r.element(&inner, span{from + s.from, from + s.to}, wrapped+1)
	}
}

// refuseTexts refuses the changes of an object that is not a delta: deltas as texts of JSON, such as
// the arguments of a function call, or a JSON Patch.
func (r *reader) refuseTexts(p *passage, o *object) {
	if o.isPatch() {
		r.row(p, o.at, Located{Code: InvalidOperation, Message: "a JSON Patch, not a delta", Hint: "write a delta with operation, section and payload"})
		return
	}
	for _, f := range o.fields {
		text, ok := f.value.(artifact.Text)
		if start := strings.TrimLeft(string(text), " \t\r\n[`"); ok && strings.HasPrefix(start, "{") && r.mentions([]byte(text)) {
			r.row(p, f.at, Located{Code: UnfencedDelta, Message: "a delta as a text of JSON, not in a delta fence", Hint: hintFence})
		}
	}
}

// isPatch reports whether an object is an operation of a JSON Patch on a section.
func (o *object) isPatch() bool {
	return o.has(keyOperation) && slices.ContainsFunc(o.fields, func(f written) bool {
		text, _ := f.value.(artifact.Text)
		path, _, _ := strings.Cut(strings.TrimPrefix(string(text), "/"), "/")
		_, ok := sectionOf(path)
		return ok && f.name == "path"
	})
}

// isDraftWord reports whether a key holds considerations rather than changes.
func isDraftWord(name string) bool {
	return slices.ContainsFunc([]string{"draft", "reason", "think", "thought", "scratch", "reject", "previous", "discard"}, func(word string) bool {
		return strings.Contains(name, word)
	})
}

// text returns the text of a key, or "".
func (o *object) text(name string) string {
	for _, f := range o.fields {
		if text, ok := f.value.(artifact.Text); ok && topKey(f.name) == name {
			return string(text)
		}
	}
	return ""
}

// lacksOperation reports whether an object is a delta but for its operation.
func (o *object) lacksOperation() bool {
	_, ok := sectionOf(o.text(keySection))
	return ok && o.payloadKey != "" && !o.has(keyOperation)
}
