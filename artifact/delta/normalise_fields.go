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

// unwrap reads the payload of an EDIT in which the fields are written in another shape.
func (j *judgement) unwrap() {
	if j.b.Delta.Operation != Edit || !j.r.opt.Reader.Since(SixthReader) || strings.Contains(j.b.Delta.Target, ".") {
		return
	}
	members := make([]fieldform.Member, len(j.payload))
	for i, f := range j.payload {
		members[i] = fieldform.Member{Name: f.name, Value: f.value, Bad: f.bad, At: f.at}
	}
	members, notes := fieldform.Changes(j.spec, j.b.Delta.Target, members)
	if len(notes) == 0 {
		return
	}
	j.payload = nil
	for _, m := range members {
		j.payload = append(j.payload, written{name: m.Name, value: m.Value, bad: m.Bad, at: m.At})
	}
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
