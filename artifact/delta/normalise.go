package delta

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/fieldform"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/fault"
)

// judgement turns an object into a delta, and records changes and problems.
type judgement struct {
	r       *reader
	p       *passage
	o       *object
	b       Block
	spec    *artifact.SectionSpec // nil if the section is unknown
	extras  []written             // keys that a delta does not have
	payload []written
	changed []string
}

func (r *reader) judge(p *passage, o *object) {
	j := &judgement{r: r, p: p, o: o, payload: o.payload}
	j.keys()
	j.fence()
	if j.readRecord() {
		j.finish()
		return
	}
	j.operation()
	if !j.refuseSection() {
		j.section()
	}
	j.target()
	j.lift()
	if j.spec != nil && j.b.Delta.Operation != Kill {
		j.nameCells()
		j.unwrap()
		j.renameFields(synonyms.Fields(j.spec.Section))
		j.shapeFields()
		j.checkRequired()
		j.deriveName()
	} else if j.b.Delta.Operation == Kill {
		j.renameFields(synonyms.Kill(j.fifth()))
	}
	j.finish()
}

func (j *judgement) finish() {
	d := &j.b.Delta
	d.Payload = make(Payload, 0, len(j.payload))
	for _, f := range j.payload {
		d.Payload = append(d.Payload, Field{Name: f.name, Value: f.value, Bad: f.bad})
	}
	for _, f := range j.extras {
		d.Ignored = append(d.Ignored, f.name)
	}
	d.Settle()
	flags := slices.Clone(j.p.flags)
	if len(j.changed) > 0 {
		flags = append(flags, Flag{Name: FlagNormalised, Text: strings.Join(j.changed, "; ")})
	}
	j.b.Flags = append(flags, j.b.Flags...)
	j.b.OK = len(j.b.Problems) == 0
	j.b.Line = j.r.lineOf(j.p, j.o.at)
	if j.r.second && j.conclude() {
		return
	}
	j.r.put(j.p, j.b)
}

// problem records a reason, at an offset of the text, why the object is not a delta.
func (j *judgement) problem(code fault.Code, at int, message, hint string) {
	j.b.Problems = append(j.b.Problems, j.r.located(code, j.p.source(at), message, hint))
}

// change reports whether a deviation from the format may be normalised. In lenient mode it may and
// is noted; in strict mode it is a problem.
func (j *judgement) change(code fault.Code, at int, note, hint string) bool {
	if j.r.opt.Strict {
		j.problem(code, at, "not exact: "+note, hint)
		return false
	}
	j.changed = append(j.changed, note)
	return true
}

// keys reads the keys of the delta: first those with the exact name, then synonyms for missing ones.
func (j *judgement) keys() {
	given := make([]string, 0, 16)
	for _, f := range j.o.fields {
		if f.name == keyPayload || synonyms.IsKey(f.name) {
			given = append(given, f.name)
			j.key(f.name, f)
		} else {
			j.extras = append(j.extras, f)
		}
	}
	j.extras = slices.DeleteFunc(j.extras, func(f written) bool {
		name := synonyms.Key(f.name)
		_, isText := f.value.(artifact.Text)
		isPayload := f.name == j.o.payloadKey
		if name == "" || slices.Contains(given, name) || (name == keyPayload) != isPayload || (!isText && !isPayload) {
			return false
		}
		if !j.rename(f, name) {
			return false
		}
		given = append(given, name)
		j.key(name, f)
		return true
	})
}

// rename reads a key under the name that the format has for it.
func (j *judgement) rename(f written, to string) bool {
	if !j.change(InvalidField, f.at, fmt.Sprintf("%q read as %s", clipped(f.name), to), "write "+to) {
		return false
	}
	j.b.Renamed = append(j.b.Renamed, Rename{From: f.name, To: to})
	return true
}

func (j *judgement) key(name string, f written) {
	d := &j.b.Delta
	value := f.value
	if name == keyRationale {
		value, _ = fieldform.Join(value, false)
	}
	text, isText := value.(artifact.Text)
	switch {
	case name == keyPayload:
		if f.name != j.o.payloadKey && f.value != (artifact.Null{}) {
			j.problem(InvalidField, f.at, "payload is not an object", `write "payload": {"field": "value"}`)
		}
		return
	case name == keyTimestamp || name == keyAgent:
		return // set from the envelope
	case f.value == (artifact.Null{}):
		return
	case !isText:
		j.problem(InvalidField, f.at, name+" is not a text", `write "`+name+`": "…"`)
		return
	}
	switch into := d.textKey(name); {
	case name == keyDeltaID:
		j.b.Written = string(text)
	case into != nil:
		*into = string(text)
	default:
		d.label(string(text))
	}
}

// keyAt returns the position of a key, or of the object if the key is absent.
func (j *judgement) keyAt(name string) int {
	for _, f := range j.o.fields {
		if f.name == name || synonyms.Key(f.name) == name {
			return f.at
		}
	}
	return j.o.at
}

func (j *judgement) operation() {
	d := &j.b.Delta
	const hint = "the operations are ADD, EDIT and KILL"
	at := j.keyAt(keyOperation)
	switch proper := strings.ToUpper(strings.TrimSpace(d.Operation)); {
	case proper == "":
		j.problem(InvalidOperation, at, "the delta has no operation", hint)
	case !synonyms.IsOperation(proper):
		j.problem(InvalidOperation, at, fmt.Sprintf("%q is not an operation", clipped(d.Operation)), hint)
	case proper != d.Operation:
		j.change(InvalidOperation, at, fmt.Sprintf("operation %q read as %s", clipped(d.Operation), proper), "write "+proper)
		d.Operation = proper // even if refused: the merge needs the labels of an ADD
	}
}

func (j *judgement) section() {
	d := &j.b.Delta
	at := j.keyAt(keySection)
	if s, ok := artifact.ParseSection(d.Section); ok {
		j.spec = s.Spec()
		return
	}
	s, ok := synonyms.Section(d.Section)
	if !ok && j.r.second && synonyms.IsCritique(synonyms.PlainKey(d.Section)) {
		s, ok = artifact.AdversarialCritique, true
	}
	id, _, _ := strings.Cut(d.Target+strings.Join(d.Labels, " "), ".")
	own, hasOwn := artifact.SectionOfID(strings.TrimSpace(id))
	switch {
	case Blank(d.Section) && hasOwn && d.Operation != Add && !j.p.loose && len(j.p.flags) == 0 && j.r.opt.Reader.Since(SeventhReader):
		j.spec = own.Spec()
		j.change(InvalidSection, at, fmt.Sprintf("section %s taken from the id %s", own, id), "write "+own.String())
		d.Section = own.String()
	case Blank(d.Section):
		j.problem(InvalidSection, at, "the delta has no section", "the sections are "+j.r.sectionIDs())
	case !ok:
		j.problem(InvalidSection, at, fmt.Sprintf("there is no section %q", clipped(d.Section)), "the sections are "+j.r.sectionIDs())
	default:
		j.spec = s.Spec()
		j.change(InvalidSection, at, fmt.Sprintf("section %q read as %s", clipped(d.Section), s), "write "+s.String())
		d.Section = s.String()
	}
}

func (r *reader) sectionIDs() string {
	ids := make([]string, 0, artifact.SectionCount)
	for _, s := range artifact.Sections() {
		ids = append(ids, s.String())
	}
	if r.opt.Records != NoRecords {
		ids = append(ids, RecordSection)
	}
	return strings.Join(ids, ", ")
}

// target turns target_id of an ADD into a label; it is not an id. The third reader takes the id of another delta as its target.
func (j *judgement) target() {
	d := &j.b.Delta
	if bare := strings.TrimSpace(d.Target); bare != d.Target && j.r.opt.Reader.Since(FourthReader) {
		j.change(InvalidField, j.keyAt(keyTarget), fmt.Sprintf("target_id %q read as %q", clipped(d.Target), clipped(bare)), "write it without the spaces")
		d.Target = bare
	}
	if j.r.third && d.Operation != Add && d.Target == "" && len(d.Labels) == 1 && isItemID(d.Labels[0]) {
		j.change(InvalidField, j.keyAt(keyID), fmt.Sprintf("id %q read as target_id", d.Labels[0]), "write target_id")
		d.Target, d.Labels = d.Labels[0], nil
	}
	if d.Operation != Add || d.Target == "" {
		return
	}
	note := "taken as a label"
	if j.r.second {
		note = "read as a label, unless it is an existing item"
	}
	j.change(InvalidField, j.keyAt(keyTarget), fmt.Sprintf("target_id %q on an ADD %s", clipped(d.Target), note),
		`an ADD gets its id from the merge: leave target_id out, and use "ref" to name the new item`)
}

// fence rejects unfenced deltas: all in strict mode, otherwise only kills, which are final.
func (j *judgement) fence() {
	kills := strings.EqualFold(strings.TrimSpace(j.b.Delta.Operation), Kill) // not normalised yet
	switch {
	case !j.p.loose:
	case j.r.opt.Strict:
		j.problem(UnfencedDelta, j.o.at, "a delta outside a delta fence", hintFence)
	case kills:
		j.problem(UnfencedDelta, j.o.at, "a KILL outside a delta fence; it may be an example or a quotation", hintFence)
	}
}

const hintFence = "put it into a fence that begins with ```delta"
