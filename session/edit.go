package session

import (
	"slices"
	"strconv"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
)

// DeltaFile returns a file with the given deltas.
func DeltaFile(deltas ...artifact.Value) []byte { return artifact.Canonical(artifact.List(deltas)) }

// EditDelta returns the delta of a person who sets a field, such as "H2.claim". The text is
// converted to the field's type: a number, a boolean, a list. Lists and maps may be given in
// JSON and replace the old value.
func EditDelta(place, text, why string) (artifact.Value, error) {
	p, err := parseFieldPath(place)
	if err != nil {
		return nil, err
	}
	spec := p.section.Spec()
	field, ok := spec.Field(p.field)
	if !ok {
		return nil, noField(p, spec)
	}
	value, err := parseFieldValue(p, field, text)
	if err != nil {
		return nil, err
	}
	payload := []artifact.Entry{{Key: p.field, Value: p.wrap(value)}}
	switch value.(type) {
	case artifact.List, artifact.Map:
		payload = append(payload, artifact.Entry{Key: p.field + "_replace", Value: artifact.Bool(true)})
	}
	return p.delta(delta.Edit, p.item, artifact.MapOf(payload...), why), nil
}

// KillDelta returns the delta that kills an item, or a prediction cell such as "P1.H2".
func KillDelta(place, why string) (artifact.Value, error) {
	if delta.Blank(why) {
		return nil, &fault.Error{Code: NothingSaid, Place: fault.Shown(place), Detail: "no reason given", Hint: "pass --why TEXT"}
	}
	target := place
	p, err := parseFieldPath(place)
	if section, ok := artifact.SectionOfID(place); ok {
		p, err = fieldPath{section: section, item: place}, nil
	}
	if err != nil {
		return nil, err
	}
	switch {
	case p.field == "":
	case p.section == artifact.PredictionsTable && p.field == "predictions" && p.key != "":
		target = p.item + "." + p.key
	default:
		return nil, &fault.Error{
			Code: BadAddress, Detail: fault.Shown(place) + " is a field; only items and prediction cells can be killed",
			Hint: "name the item, such as " + p.item,
		}
	}
	return p.delta(delta.Kill, target, artifact.MapOf(artifact.Entry{Key: "reason", Value: artifact.Text(why)}), why), nil
}

type fieldPath struct {
	section artifact.Section
	item    string
	field   string
	key     string
}

// parseFieldPath parses "H2.claim", "P1.predictions.H2" and the short form "P1.H2".
func parseFieldPath(text string) (fieldPath, error) {
	id, path, _ := strings.Cut(text, ".")
	section, ok := artifact.SectionOfID(id)
	if !ok || path == "" {
		return fieldPath{}, &fault.Error{
			Code: BadAddress, Detail: fault.Shown(text) + " is not a field of an artifact",
			Hint: "write items as H2, T1 or RT, fields as H2.claim, cells as P1.predictions.H2",
		}
	}
	p := fieldPath{section: section, item: id}
	p.field, p.key, _ = strings.Cut(CellPath(section, path), ".")
	return p, nil
}

// CellPath returns the path of a field as it is written in an artifact: H2 of a prediction is predictions.H2.
func CellPath(section artifact.Section, path string) string {
	if section == artifact.PredictionsTable && artifact.HypothesisSlate.ValidID(path) {
		return "predictions." + path
	}
	return path
}

func (p fieldPath) String() string {
	s := p.item + "." + p.field
	if p.key != "" {
		s += "." + p.key
	}
	return s
}

func (p fieldPath) wrap(v artifact.Value) artifact.Value {
	if p.key == "" {
		return v
	}
	return artifact.MapOf(artifact.Entry{Key: p.key, Value: v})
}

func (p fieldPath) delta(operation, target string, payload artifact.Map, why string) artifact.Value {
	return delta.Row{Operation: operation, Section: p.section, Target: target, Payload: payload, Rationale: why}.Value()
}

func parseFieldValue(p fieldPath, spec *artifact.FieldSpec, text string) (artifact.Value, error) {
	wrong := func(want string) error {
		return &fault.Error{Code: delta.InvalidField, Place: p.String(), Detail: fault.Shown(text) + " is not " + want}
	}
	isMap := spec.Kind == artifact.KindMap || spec.Kind == artifact.KindScore
	switch {
	case p.key != "" && !isMap:
		return nil, &fault.Error{Code: BadAddress, Place: p.String(), Detail: spec.Name + " has no keys", Hint: "write " + p.item + "." + p.field}
	case p.key != "" && spec.Kind == artifact.KindScore:
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > artifact.ScoreMax || !slices.Contains(spec.Allowed, p.key) {
			return nil, wrong("a score from 0 to " + strconv.Itoa(artifact.ScoreMax) + " for one of " + strings.Join(spec.Allowed, ", "))
		}
		return artifact.Number(n), nil
	case p.key != "":
		return artifact.Text(text), nil
	case spec.Kind == artifact.KindFlag:
		if text != "true" && text != "false" {
			return nil, wrong("true or false")
		}
		return artifact.Bool(text == "true"), nil
	case spec.Kind == artifact.KindStatus && !slices.Contains(spec.Allowed, text):
		return nil, wrong("one of " + strings.Join(spec.Allowed, ", "))
	case spec.Kind == artifact.KindText, spec.Kind == artifact.KindStatus:
		return artifact.Text(text), nil
	}
	return parseStructured(spec, isMap, text, wrong)
}

// parseStructured parses a list or map in JSON; plain text is a list of one element.
func parseStructured(spec *artifact.FieldSpec, isMap bool, text string, wrong func(string) error) (artifact.Value, error) {
	if artifact.IsJSON([]byte(text)) {
		v, err := artifact.ParseValue([]byte(text), artifact.MaxDepth)
		if err != nil {
			return nil, wrong("valid JSON (" + err.Error() + ")")
		}
		return v, nil
	}
	switch {
	case spec.Kind == artifact.KindList:
		return artifact.List{artifact.Text(text)}, nil
	case isMap:
		return nil, wrong("a JSON object; set one key with " + spec.Name + ".KEY")
	case spec.Kind == artifact.KindReferences:
		return nil, wrong("a JSON list of {session, item, relation}")
	}
	return artifact.Text(text), nil
}

func noField(p fieldPath, spec *artifact.SectionSpec) error {
	var names []string
	for i := range spec.Fields {
		names = append(names, spec.Fields[i].Name)
	}
	return &fault.Error{
		Code: BadAddress, Place: p.item, Detail: "no field " + fault.Shown(p.field) + " in " + spec.ID,
		Hint: "fields: " + strings.Join(names, ", ") + "; to write others, apply a file of deltas",
	}
}
