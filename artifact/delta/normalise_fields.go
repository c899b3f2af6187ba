package delta

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"
)

// lift moves fields written beside the operation into the payload, if there is no payload and the
// section knows at least one of them.
func (j *judgement) lift() {
	if len(j.payload) > 0 || len(j.extras) == 0 {
		return
	}
	isField := func(f written) bool { return synonyms.Meaning(synonyms.Kill(), synonyms.PlainKey(f.name)) != "" }
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
	if strings.HasSuffix(f.name, "replace") || f.name == keyRef || artifact.IsSystemField(f.name) {
		return ""
	}
	if j.b.Delta.Operation == Kill {
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
	if !suits(spec.Kind, f.value) {
		return ""
	}
	return to
}

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
	if f != nil && fits(spec.Kind, f.value) && !isEmpty(f.value) {
		return
	}
	hint := fmt.Sprintf("an ADD to %s needs %s", j.spec.ID, requiredNames(j.spec))
	switch {
	case f == nil || f.value == (artifact.Null{}) || isEmpty(f.value):
		at := j.o.payloadAt
		if f != nil {
			at = f.at
		}
		j.problem(MissingRequiredField, at, spec.Name+" is missing", hint)
	case f.value == nil:
		j.problem(InvalidField, f.at, spec.Name+": "+f.bad, hint)
	default:
		j.problem(InvalidField, f.at, fmt.Sprintf("%s should be %s", spec.Name, kindName(spec.Kind)), hint)
	}
}

func requiredNames(spec *artifact.SectionSpec) string {
	var names []string
	for _, f := range spec.Fields {
		if f.Required {
			names = append(names, fmt.Sprintf("%s (%s)", f.Name, kindName(f.Kind)))
		}
	}
	return strings.Join(names, " and ")
}

func kindName(k artifact.Kind) string {
	switch k {
	case artifact.KindMap:
		return "an object of texts"
	case artifact.KindList:
		return "a list of texts"
	default:
		return "a text"
	}
}

func isEmpty(v artifact.Value) bool {
	switch v := v.(type) {
	case artifact.Text:
		return Blank(string(v))
	case artifact.Map:
		return len(v) == 0
	case artifact.List:
		return len(v) == 0
	}
	return false
}

const (
	nameWordCount = 8
	nameLength    = 60
)

func (j *judgement) deriveName() {
	if j.b.Delta.Operation != Add || !j.spec.HasName() {
		return
	}
	if f := j.field("name"); f != nil && !isEmpty(f.value) && f.value != (artifact.Null{}) {
		return
	}
	main := j.field(j.spec.Main)
	if main == nil {
		return
	}
	text, _ := main.value.(artifact.Text)
	name := NameFrom(string(text))
	if name == "" {
		return
	}
	j.payload = slices.DeleteFunc(slices.Clone(j.payload), func(f written) bool { return f.name == "name" })
	j.payload = append(j.payload, written{name: "name", value: artifact.Text(name), at: j.o.payloadAt})
	j.b.Flags = append(j.b.Flags, Flag{
		Name: FlagNameDerived,
		Text: fmt.Sprintf("no name was given; %q is from the first words of %s", name, j.spec.Main),
	})
}

// NameFrom returns the name of an item without one: the first sentence of its main field, or the first words.
func NameFrom(text string) string {
	const enough = 4 * nameLength * 4 // bytes: more than any name needs
	if len(text) > enough {
		text = strings.ToValidUTF8(text[:enough], "")
	}
	var name string
	for i, w := range strings.Fields(artifact.TrimID(text)) {
		longer := strings.TrimSpace(name + " " + w)
		if i == nameWordCount || (i > 0 && len([]rune(longer)) > nameLength) {
			break
		}
		name = longer
		if i > 0 && strings.ContainsAny(w[len(w)-1:], ".;:!?") {
			break
		}
	}
	if r := []rune(name); len(r) > nameLength {
		name = string(r[:nameLength])
	}
	return strings.TrimRight(name, ".,;: ")
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
		shaped, note := reshape(spec, f.value)
		if note == "" && j.r.second && spec.Kind == artifact.KindText {
			shaped, note = flattened(f.value)
		}
		if note == "" {
			continue
		}
		if j.change(InvalidField, f.at, f.name+": "+note, "write it so") {
			f.value = shaped
		}
	}
}

// reshape converts a value to the shape of its field, and describes the change.
func reshape(spec *artifact.FieldSpec, v artifact.Value) (artifact.Value, string) {
	switch spec.Kind {
	case artifact.KindText:
		return joined(v, spec.Refs)
	case artifact.KindList:
		if t, ok := v.(artifact.Text); ok && !Blank(string(t)) {
			return artifact.List{t}, "a single text read as a list of one"
		}
	case artifact.KindReferences:
		if m, ok := v.(artifact.Map); ok {
			return artifact.List{m}, "a single reference read as a list of one"
		}
	case artifact.KindFlag:
		if b, ok := truth(v); ok {
			return b, fmt.Sprintf("the text %q read as %t", clipped(string(v.(artifact.Text))), bool(b))
		}
	case artifact.KindStatus:
		if t, ok := v.(artifact.Text); ok {
			low := strings.ToLower(strings.TrimSpace(string(t)))
			if low != string(t) && slices.Contains(spec.Allowed, low) {
				return artifact.Text(low), fmt.Sprintf("%q read as %s", clipped(string(t)), low)
			}
		}
	case artifact.KindMap:
		return eachEntry(v, "numbers and truth values read as texts", asText)
	case artifact.KindScore:
		return eachEntry(v, "digits in texts read as numbers", asMark)
	}
	return v, ""
}

// flattened joins an object of texts, one line for each.
func flattened(v artifact.Value) (artifact.Value, string) {
	object, _ := v.(artifact.Map)
	lines := make([]string, 0, len(object))
	for _, e := range object {
		text, ok := e.Value.(artifact.Text)
		if !ok {
			return v, ""
		}
		lines = append(lines, e.Key+": "+string(text))
	}
	if len(lines) == 0 {
		return v, ""
	}
	return artifact.Text(strings.Join(lines, "\n")), "an object of texts read as one text"
}

func joined(v artifact.Value, refs bool) (artifact.Value, string) {
	list, _ := v.(artifact.List)
	parts, ok := artifact.TextsOf(list)
	if !ok || len(parts) == 0 {
		return v, ""
	}
	const note = "a list of texts read as one text"
	if refs {
		text, _ := JoinContrasted(list)
		return text, note
	}
	return artifact.Text(strings.Join(parts, "\n")), note
}

// JoinContrasted joins a list for a field that contrasts items, such as "discriminates": "H1 vs H2"
// for two ids, "H1 vs H2, H1 vs H3" for two pairs. It returns false if an element is not a text.
func JoinContrasted(list artifact.List) (artifact.Text, bool) {
	parts, ok := artifact.TextsOf(list)
	between := " vs "
	if slices.ContainsFunc(parts, func(s string) bool { return len(strings.Fields(s)) > 1 }) {
		between = ", "
	}
	return artifact.Text(strings.Join(parts, between)), ok
}

// eachEntry applies shape to the entries of a map. It returns note if any entry changed.
func eachEntry(v artifact.Value, note string, shape func(artifact.Value) (artifact.Value, bool)) (artifact.Value, string) {
	m, _ := v.(artifact.Map)
	var out artifact.Map
	for i, e := range m {
		shaped, ok := shape(e.Value)
		if !ok {
			continue
		}
		if out == nil {
			out = slices.Clone(m)
		}
		out[i].Value = shaped
	}
	if out == nil {
		return v, ""
	}
	return out, note
}

func asText(v artifact.Value) (artifact.Value, bool) {
	switch v.(type) {
	case artifact.Number, artifact.Bool:
		return artifact.Text(artifact.Canonical(v)), true
	}
	return nil, false
}

func asMark(v artifact.Value) (artifact.Value, bool) {
	t, ok := v.(artifact.Text)
	if !ok || len(t) != 1 || !isDigit(t[0]) {
		return nil, false
	}
	return artifact.Number(t[0] - '0'), true
}

// truth reads a text that means yes or no.
func truth(v artifact.Value) (artifact.Bool, bool) {
	t, ok := v.(artifact.Text)
	if !ok || len(t) > len("false") {
		return false, false
	}
	switch strings.ToLower(string(t)) {
	case "true", "yes":
		return true, true
	case "false", "no":
		return false, true
	}
	return false, false
}

// fits reports whether a value has the kind of a required field.
func fits(k artifact.Kind, v artifact.Value) bool {
	switch v.(type) {
	case artifact.Text:
		return k == artifact.KindText || k == artifact.KindAny || k == artifact.KindStatus
	case artifact.Map:
		return k == artifact.KindMap || k == artifact.KindAny || k == artifact.KindScore
	case artifact.List:
		return k == artifact.KindList || k == artifact.KindAny || k == artifact.KindReferences
	case artifact.Bool:
		return k == artifact.KindFlag || k == artifact.KindAny
	default:
		return k == artifact.KindAny
	}
}

// suits reports whether a value found under another name could have kind k after reshape.
func suits(k artifact.Kind, v artifact.Value) bool {
	if v == nil {
		return false
	}
	if fits(k, v) {
		return true
	}
	shaped, note := reshape(&artifact.FieldSpec{Kind: k}, v)
	return note != "" && fits(k, shaped)
}
