package view

import (
	"fmt"

	"brenner/artifact"
	"brenner/internal/fault"
)

// InvalidSpec is the code of JSON that is no view spec.
const InvalidSpec fault.Code = "INVALID_VIEW_SPEC"

// specDepth is how deep the JSON of a spec is nested.
const specDepth = 3

// MaxSetting is above every sensible bound, number of items and priority.
const MaxSetting = 1 << 30

// ParseSpec reads a spec from the JSON that Canonical writes. What is left out has
// the zero value; what it does not know is a fault, because a key that is misspelt
// would show an agent more, or less, than somebody meant.
func ParseSpec(data []byte) (Spec, error) {
	v, err := artifact.ParseValue(data, specDepth)
	if err != nil {
		return Spec{}, &fault.Error{Code: InvalidSpec, Op: "read a view spec", Cause: err, Hint: "the spec must be one JSON object"}
	}
	var s Spec
	r := specReader{}
	r.object("", v, func(key string, v artifact.Value) bool {
		switch key {
		case "role":
			s.Role = r.text(key, v)
		case "max_tokens":
			s.MaxTokens = r.number(key, v, 0)
		case "sections":
			r.object(key, v, func(id string, v artifact.Value) bool { return r.section(&s, id, v) })
		default:
			return false
		}
		return true
	})
	if err := r.wrong.Err(); err != nil {
		return Spec{}, err
	}
	return s, nil
}

// specReader gathers what is wrong with a spec.
type specReader struct{ wrong fault.List }

func (r *specReader) object(place string, v artifact.Value, take func(string, artifact.Value) bool) {
	m, ok := v.(artifact.Map)
	if !ok {
		r.fault(place, "it is not an object")
		return
	}
	for _, e := range m {
		if !take(e.Key, e.Value) {
			r.fault(place, "it has no %s", fault.Shown(e.Key))
		}
	}
}

func (r *specReader) section(s *Spec, id string, v artifact.Value) bool {
	section, ok := artifact.ParseSection(id)
	if !ok {
		return false
	}
	into := &s.Sections[section]
	r.object(id, v, func(key string, v artifact.Value) bool {
		switch key {
		case "form":
			into.Form = r.form(id, v)
		case "max":
			into.Max = r.number(id+".max", v, 0)
		case "priority":
			into.Priority = r.number(id+".priority", v, -MaxSetting)
		default:
			return false
		}
		return true
	})
	return true
}

func (r *specReader) form(place string, v artifact.Value) Form {
	form := Form(r.text(place+".form", v))
	switch form {
	case Full, Summary, IDs, "":
	default:
		r.fault(place+".form", "%s is not one of %s, %s and %s", fault.Shown(string(form)), Full, Summary, IDs)
	}
	return form
}

func (r *specReader) text(place string, v artifact.Value) string {
	t, ok := v.(artifact.Text)
	if !ok {
		r.fault(place, "it is not a text")
	}
	return string(t)
}

func (r *specReader) number(place string, v artifact.Value, least artifact.Number) int {
	n, ok := v.(artifact.Number)
	if !ok || n < least || n > MaxSetting || n != artifact.Number(int(n)) {
		r.fault(place, "it is not a whole number from %d to %d", int(least), MaxSetting)
		return 0
	}
	return int(n)
}

func (r *specReader) fault(place, format string, args ...any) {
	if place == "" {
		place = "view spec"
	}
	r.wrong.Add(InvalidSpec, place, "a view spec has role, max_tokens, and sections with form, max and priority each",
		"%s", fmt.Sprintf(format, args...))
}
