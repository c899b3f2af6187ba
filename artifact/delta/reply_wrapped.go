package delta

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/nearjson"
	"brenner/artifact/delta/schemaform"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/pattern"
	"brenner/internal/remark"
)

// maxTakenOut is how many objects may enclose a delta for the second reader.
const maxTakenOut = 4

// takeOut reads the deltas that an object encloses under any key. It returns false if the object is
// no such wrapper.
func (r *reader) takeOut(p *passage, o *object, wrapped int) bool {
	if o.isChange() || r.isRecord(o) {
		return false
	}
	fields := slices.DeleteFunc(slices.Clone(o.fields), func(f written) bool { return !r.encloses(p, o, f) })
	if len(fields) == 0 {
		return false
	}
	if wrapped == maxTakenOut || r.opt.Strict {
		return r.refuseWrapped(p, o, fields)
	}
	role := strings.ToLower(o.text("role"))
	before := r.count
	held := slices.IndexFunc(o.fields, func(f written) bool { return r.opt.Reader.holdsAll(f.name, f.value) })
	for _, f := range fields {
		inner := *p
		if held >= 0 && inner.fate == (fate{}) {
			inner.fate = refused(AmbiguousDelta, fmt.Sprintf("a delta in an object whose key %q says that it is not to be applied", clipped(o.fields[held].name)), "send it again without that key; leave it out if it is not meant")
		}
		if role != "" && role != "assistant" && role != "model" && inner.fate == (fate{}) {
			inner.fate = fate{shown: FlagQuoted, what: "not read: it is in a message of another author"}
		}
		r.takeOutOf(&inner, f, wrapped)
	}
	return r.count > before || slices.ContainsFunc(fields, func(f written) bool { return f.raw.to > 0 })
}

// holdsAll reports whether a key of an object around deltas says that they are not to be applied: "draft": true.
func (r Reader) holdsAll(name string, value artifact.Value) bool {
	if !r.Since(FifthReader) {
		return false
	}
	switch name = strings.ToLower(name); value := value.(type) {
	case artifact.Bool:
		held, ok := holds[name]
		return ok && value == held || !ok && bool(value) && remark.KeyHoldsBack(name, true)
	case artifact.Text:
		switch name {
		case "status", "state", "stage", "disposition", "validity":
			return r.Remarks("").FieldHoldsBack(name, string(value))
		}
	}
	return false
}

// isHeldForm reports whether a member of a reply in the form of a schema says that its deltas are not to be applied.
func (r Reader) isHeldForm(form *schemaform.Reply) bool {
	return !form.Empty && slices.ContainsFunc(form.Members, func(m schemaform.Member) bool {
		value, err := artifact.ParseValue(m.Value, 1)
		return err == nil && r.holdsAll(m.Name, value)
	})
}

// encloses reports whether a field of an object may have deltas in it.
func (r *reader) encloses(p *passage, o *object, f written) bool {
	isWrapper := (f.name == "deltas" || f.name == "delta") && !o.has(keyOperation)
	return f.raw.to > 0 && (isWrapper || r.possible(p.text[f.raw.from:f.raw.to]) || r.isRecordList(f.name)) || r.mayHold(f) || r.listsChanges(f)
}

// isChange reports whether an object is a delta, and not something around one.
func (o *object) isChange() bool {
	return synonyms.IsOperation(o.text(keyOperation)) || o.payloadKey != "" && o.has(keySection)
}

// listHead matches the beginning of an object up to the list in it.
var listHead = pattern.New(`^\s*\{(?:\s*"[^"\\\n]+"\s*:\s*(?:"[^"\\\n]*"|[\w.+-]+)\s*,)*\s*"([^"\\\n]+)"\s*:\s*\[\s*\{`)

// listIn returns where the elements of the list begin that an object wraps which cannot be read as a
// whole, or 0. They are read like those of any list.
func (r *reader) listIn(text []byte) int {
	const longest = 2000
	head := text[:min(len(text), longest)]
	m := listHead.FindSubmatchIndex(head)
	if !r.second || r.opt.Strict || m == nil {
		return 0
	}
	name := strings.ToLower(string(head[m[2]:m[3]]))
	if bytes.Contains(head[:m[1]], []byte(`"role"`)) || mentionsOperation(head[:m[1]]) || remark.IsExampleWord(name) || strings.Contains(name, "example") || isDraftWord(name) || synonyms.Key(name) == keyPayload ||
		r.opt.Reader.Since(FourthReader) && !synonyms.IsOwnKey(name, r.opt.Author) {
		return 0
	}
	return m[1] - 1
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
		case remark.IsExampleWord(name) || strings.Contains(name, "example"):
			inner.shown = FlagExample
		case isDraftWord(name):
			inner.shown = FlagDraft
		}
		switch isFourth := r.opt.Reader.Since(FourthReader); {
		case isFourth && inner.shown != "":
			inner.what = fmt.Sprintf("not read: it is under the key %q", clipped(f.name))
		case isFourth && !synonyms.IsOwnKey(f.name, r.opt.Author):
			inner.fate = refused(AmbiguousDelta, fmt.Sprintf("a delta under the key %q, which leaves open whether it is meant", clipped(f.name)), "write it in the list deltas if it is meant; leave it out if not")
		}
	}
	inner.record = inner.record || r.isRecordList(f.name)
	if f.raw.to == 0 {
		r.readText(&inner, f.at, string(f.value.(artifact.Text)))
		return
	}
	from := f.raw.from + int32(nearjson.LeadingSpace(p.text[f.raw.from:f.raw.to]))
	if p.text[from] == '{' {
		r.element(&inner, span{from, f.raw.to}, wrapped+1)
		return
	}
	var silent []span
	first := r.count
	spans, _, _ := r.split(p.text[from:f.raw.to])
	for _, s := range spans {
		before := r.count
		if r.element(&inner, span{from + s.from, from + s.to}, wrapped+1); r.count == before {
			silent = append(silent, s)
		}
	}
	for _, s := range silent {
		switch {
		case r.listsChanges(f):
			r.row(&inner, int(from+s.from), Located{Code: InvalidOperation, Message: fmt.Sprintf("the operation is a key (%q), not a value", clipped(f.name)), Hint: "write an object with operation, section, target_id and payload"})
		case inner.record && r.count > first: // it is in a list of records
			r.row(&inner, int(from+s.from), Located{Code: InvalidField, Message: "an element of a list of records that is not a record", Hint: hintRecord})
		}
	}
}

// listsChanges reports whether a field is a list of plain objects under the name of an operation: "kill": [{"id": "H2"}].
func (r *reader) listsChanges(f written) bool {
	list, ok := f.value.(artifact.List)
	return r.third && ok && len(list) > 0 && synonyms.IsOperation(strings.TrimSuffix(strings.ToLower(f.name), "s"))
}

// mayHold reports whether a field is a text that may hold deltas.
func (r *reader) mayHold(f written) bool {
	text, ok := f.value.(artifact.Text)
	return ok && strings.IndexByte(string(text), '{') >= 0 && r.possible([]byte(text))
}

// maxTexts is how many texts may enclose a delta, each in the one before.
const maxTexts = 2

// readText reads the deltas in a text of an object at an offset, as those outside a fence are read. It
// returns false if there are none.
func (r *reader) readText(p *passage, at int, text string) bool {
	if r.depth == maxTexts || !r.possible([]byte(text)) {
		return false
	}
	inner := newReader([]byte(text), r.opt)
	inner.opt.Cut, inner.depth, inner.examples, inner.keys = false, r.depth+1, r.examples, r.keys
	inner.read()
	r.full = r.full || inner.full
	line, column := r.place.find(p.source(at))
	for _, b := range inner.blocks() {
		if b.OK && b.Delta.Operation == Kill {
			b.OK = false
			b.Problems = []Located{{Code: UnfencedDelta, Message: "a KILL in a text within an object; it may be an example or a quotation", Hint: hintFence}}
		}
		for i := range b.Problems {
			b.Problems[i].Line, b.Problems[i].Column = line, column
		}
		b.Line = r.lineOf(p, at)
		b.Flags = append(slices.Clone(p.flags), slices.DeleteFunc(b.Flags, func(f Flag) bool { return f.Name == FlagUnfenced && p.loose })...)
		if !p.loose && !r.opt.Strict {
			b.Flags = append(b.Flags, Flag{Name: FlagUnfenced, Text: "it was a text within an object"})
		}
		if b.Skipped() && p.shown == "" {
			r.add(b)
			continue
		}
		r.put(p, b)
	}
	return inner.count > 0
}

// isMeant reports whether an object outside a delta fence is meant as a delta.
func (r *reader) isMeant(o *object) bool {
	if !synonyms.IsOperation(o.text(keyOperation)) {
		return o.looksLikeDelta() || r.lacksOperation(o)
	}
	return o.has(keySection) || o.has(keyPayload) || isItemID(strings.TrimSpace(o.text(keyTarget)))
}

// refusePatch refuses a change in the form of a JSON patch, or with its operation as a key.
func (r *reader) refusePatch(p *passage, o *object) bool {
	problem := Located{Code: InvalidOperation, Hint: "write an object with operation, section, target_id and payload"}
	b := Block{Flags: p.flags}
	for part := range strings.FieldsFuncSeq(o.text("path"), func(c rune) bool { return c == '/' }) {
		if s, ok := synonyms.Section(part); ok && o.has(keyOperation) && !o.has(keySection) {
			b.Delta.Operation, b.Delta.Section = strings.ToUpper(o.text(keyOperation)), s.String()
			problem.Message = "a JSON patch, not a delta"
		}
	}
	if len(o.fields) == 1 && synonyms.IsOperation(o.fields[0].name) && o.fields[0].raw.to > 0 {
		inner := sketchOf(p.text[o.fields[0].raw.from:o.fields[0].raw.to])
		if inner.Section != "" || inner.Target != "" {
			b.Delta.Operation, b.Delta.Section, b.Delta.Target = strings.ToUpper(o.fields[0].name), inner.Section, inner.Target
			problem.Message = "the operation is a key, not a value"
		}
	}
	if problem.Message == "" {
		return false
	}
	if !synonyms.IsOperation(b.Delta.Operation) {
		b.Delta.Operation = ""
	}
	b.Line = r.lineOf(p, o.at)
	problem.Line, problem.Column = r.place.find(p.source(o.at))
	b.Problems = []Located{problem}
	r.put(p, b)
	return true
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
		if text, ok := f.value.(artifact.Text); ok && (f.name == name || synonyms.Key(f.name) == name) {
			return string(text)
		}
	}
	return ""
}

// lacksOperation reports whether an object is a delta but for its operation. The third reader knows records, too.
func (r *reader) lacksOperation(o *object) bool {
	_, ok := synonyms.Section(o.text(keySection))
	isRecord := r.third && r.opt.Records != NoRecords && isRecordSection(o.text(keySection))
	return (ok || isRecord) && o.payloadKey != "" && !o.has(keyOperation)
}
