package delta

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/fieldform"
	"brenner/artifact/delta/synonyms"
)

// lift moves fields written beside the operation into the payload, if there is no payload and the
// section knows at least one of them.
func (j *judgement) lift() {
	j.liftHolder()
	if len(j.payload) > 0 || len(j.extras) == 0 {
		return
	}
	isField := func(f written) bool {
		return synonyms.Meaning(synonyms.Kill(j.fifth()), synonyms.PlainKey(f.name)) != ""
	}
	if j.b.Delta.Operation != Kill {
		if j.spec == nil {
			return
		}
		isField = func(f written) bool {
			_, ok := j.spec.Field(synonyms.PlainKey(f.name))
			return ok || synonyms.Meaning(synonyms.Fields(j.spec.Section), synonyms.PlainKey(f.name)) != ""
		}
	}
	if !slices.ContainsFunc(j.extras, isField) {
		return
	}
	if j.change(InvalidField, j.extras[0].at, "the fields put into a payload", `put the fields into "payload": {…}`) {
		j.payload, j.extras = j.extras, nil
	}
}

// liftHolder takes fields that are beside the operation under another name than payload.
func (j *judgement) liftHolder() {
	d := &j.b.Delta
	if j.spec == nil || d.Operation == Kill || len(j.extras) == 0 || !j.r.opt.Reader.Since(SeventhReader) || strings.Contains(d.Target, ".") {
		return
	}
	all, taken, ask := fieldform.Beside(j.spec, d.Target, d.Operation == Edit, membersOf(j.payload), membersOf(j.extras))
	at := j.extras[0].at
	if ask != "" {
		j.problem(InvalidField, at, ask, `put all fields into "payload": {…}`)
	}
	if len(taken) == 0 || !j.change(InvalidField, at, "the fields put into a payload", `put the fields into "payload": {…}`) {
		return
	}
	for _, i := range slices.Backward(taken) {
		j.extras = slices.Delete(slices.Clone(j.extras), i, i+1)
	}
	j.payload = writtenOf(all)
}

func membersOf(fields []written) []fieldform.Member {
	all := make([]fieldform.Member, len(fields))
	for i, f := range fields {
		all[i] = fieldform.Member{Name: f.name, Value: f.value, Bad: f.bad, At: f.at}
	}
	return all
}

func writtenOf(members []fieldform.Member) (all []written) {
	for _, m := range members {
		all = append(all, written{name: m.Name, value: m.Value, bad: m.Bad, at: m.At})
	}
	return all
}

// nameCells writes ids in place of the names of hypotheses of the version shown, and asks about other names.
func (j *judgement) nameCells() {
	if j.r.opt.Base == nil || !j.r.opt.Reader.Since(SeventhReader) || j.spec.Section != artifact.PredictionsTable && j.spec.Section != artifact.DiscriminativeTests {
		return
	}
	isValue := func(key string) bool { return fieldform.IsValueIn(j.r.src, key) }
	for i := range j.payload {
		f := &j.payload[i]
		m, isMap := f.value.(artifact.Map)
		if id := j.r.slate.HypothesisOf(f.name); id != "" && !isMap && !isValue(f.name) && j.spec.Section == artifact.PredictionsTable && j.change(InvalidField, f.at, fmt.Sprintf("%q read as %s", f.name, id), "write "+id) {
			f.name = id
		}
		if spec, ok := j.spec.Field(f.name); !isMap || !ok && synonyms.Meaning(synonyms.Fields(j.spec.Section), synonyms.PlainKey(f.name)) == "" || ok && !spec.Refs {
			continue
		}
		named, replaced, unknown := fieldform.Named(m, j.r.slate.HypothesisOf, isValue)
		if unknown != "" {
			j.problem(InvalidField, f.at, fmt.Sprintf("%s: there is no hypothesis %q", f.name, clipped(unknown)), "write the ids of hypotheses, such as H1, or the ref of one that you add")
		}
		if len(replaced) > 0 && j.change(InvalidField, f.at, fmt.Sprintf("%s: names of hypotheses read as their ids (%s)", f.name, strings.Join(replaced, ", ")), "write the ids") {
			f.value = named
		}
	}
}

// unwrap reads the payload of an EDIT in which the fields are written in another shape.
func (j *judgement) unwrap() {
	if j.b.Delta.Operation != Edit || !j.r.opt.Reader.Since(SixthReader) || strings.Contains(j.b.Delta.Target, ".") {
		return
	}
	members, notes := fieldform.Changes(j.spec, j.b.Delta.Target, membersOf(j.payload))
	if len(notes) == 0 {
		return
	}
	j.payload = writtenOf(members)
	for _, n := range notes {
		if n.Asks {
			j.problem(InvalidField, n.At, n.Text, n.Hint)
		} else {
			j.change(InvalidField, n.At, n.Text, n.Hint)
		}
	}
}

// renameFields renames fields to the names of the format, unless that field is present.
func (j *judgement) renameFields(table []synonyms.Set) {
	if strings.Contains(j.b.Delta.Target, ".") {
		return // a single prediction cell has its own field names
	}
	var names map[string]bool // lazy: nearly all names are proper
	for i := range j.payload {
		f := &j.payload[i]
		to := j.properName(table, f)
		if to == "" {
			continue
		}
		if names == nil {
			names = j.names()
		}
		if !names[to] && j.rename(*f, to) {
			delete(names, f.name)
			names[to], f.name = true, to
		}
	}
}

func (j *judgement) names() map[string]bool {
	all := make(map[string]bool, len(j.payload))
	for _, f := range j.payload {
		all[f.name] = true
	}
	return all
}

// properName returns the field that a name means. It returns "" if the name is proper, is unknown,
// or has a value which that field cannot hold.
func (j *judgement) properName(table []synonyms.Set, f *written) string {
	isKill := j.b.Delta.Operation == Kill // whose reason is kill_reason in an artifact
	if strings.HasSuffix(f.name, "replace") || f.name == keyRef || artifact.IsSystemField(f.name) && !(isKill && j.fifth()) {
		return ""
	}
	if isKill {
		if to := synonyms.Meaning(table, synonyms.PlainKey(f.name)); to != f.name {
			return to
		}
		return ""
	}
	if _, ok := j.spec.Field(f.name); ok {
		return ""
	}
	to := synonyms.PlainKey(f.name)
	spec, ok := j.spec.Field(to)
	if !ok {
		to = synonyms.Meaning(table, to)
		if spec, ok = j.spec.Field(to); !ok {
			return ""
		}
	}
	if !fieldform.Suits(spec.Kind, f.value) {
		return ""
	}
	return to
}

func (j *judgement) fifth() bool { return j.r.opt.Reader.Since(FifthReader) }

func (j *judgement) field(name string) *written {
	if i := slices.IndexFunc(j.payload, func(f written) bool { return f.name == name }); i >= 0 {
		return &j.payload[i]
	}
	return nil
}

// checkRequired checks the fields that an ADD or an EDIT must have.
func (j *judgement) checkRequired() {
	switch {
	case j.b.Delta.Operation == Edit && len(j.payload) == 0:
		j.problem(MissingRequiredField, j.o.payloadAt, "the EDIT changes nothing: its payload is empty or missing",
			`put the fields to change into "payload"`)
	case j.b.Delta.Operation == Add:
		for i := range j.spec.Fields {
			if j.spec.Fields[i].Required {
				j.requireField(&j.spec.Fields[i])
			}
		}
	}
}

func (j *judgement) requireField(spec *artifact.FieldSpec) {
	f := j.field(spec.Name)
	if f != nil && fieldform.Has(spec.Kind, f.value) && !fieldform.IsEmpty(f.value) {
		return
	}
	hint := fmt.Sprintf("an ADD to %s needs %s", j.spec.ID, fieldform.Required(j.spec))
	switch {
	case f == nil || f.value == (artifact.Null{}) || fieldform.IsEmpty(f.value):
		at := j.o.payloadAt
		if f != nil {
			at = f.at
		}
		j.problem(MissingRequiredField, at, spec.Name+" is missing", hint)
	case f.value == nil:
		j.problem(InvalidField, f.at, spec.Name+": "+f.bad, hint)
	default:
		j.problem(InvalidField, f.at, fmt.Sprintf("%s should be %s", spec.Name, fieldform.KindName(spec.Kind)), hint)
	}
}

func (j *judgement) deriveName() {
	if j.b.Delta.Operation != Add || !j.spec.HasName() {
		return
	}
	if f := j.field("name"); f != nil && !fieldform.IsEmpty(f.value) && f.value != (artifact.Null{}) {
		return
	}
	main := j.field(j.spec.Main)
	if main == nil {
		return
	}
	text, _ := main.value.(artifact.Text)
	name := fieldform.NameFrom(string(text))
	if name == "" {
		return
	}
	j.payload = slices.DeleteFunc(slices.Clone(j.payload), func(f written) bool { return f.name == "name" })
	j.payload = append(j.payload, written{name: "name", value: artifact.Text(name), at: j.o.payloadAt})
	j.b.Flags = append(j.b.Flags, Flag{
		Name: FlagNameDerived,
		Text: "no name was given; " + strconv.Quote(name) + " is from the first words of " + j.spec.Main,
	})
}

// shapeFields converts values to the shape of their field where only the form differs: a text for a
// list, a list for a text, a number for a text in a map.
func (j *judgement) shapeFields() {
	for i := range j.payload {
		f := &j.payload[i]
		spec, ok := j.spec.Field(f.name)
		if !ok || f.value == nil {
			continue
		}
		shaped, note := fieldform.Fit(spec, f.value)
		if note == "" && j.r.second && spec.Kind == artifact.KindText {
			shaped, note = fieldform.Flatten(f.value)
		}
		if note == "" {
			continue
		}
		if j.change(InvalidField, f.at, f.name+": "+note, "write it so") {
			f.value = shaped
		}
	}
}
