package view

import (
	"fmt"

	"brenner/artifact"
	"brenner/internal/fault"
)

// DefaultMaxTokens is the bound of a view whose spec has none.
const DefaultMaxTokens = 6000

// Form is how much of an item is shown.
type Form string

// Forms of items. An item without a form is shown by its id.
const (
	Full    Form = "full"    // all fields
	Summary Form = "summary" // id, name and the beginning of the main field
	IDs     Form = "ids"     // only the id
	// Sections shows a research artifact among records, with as many of its sections as fit.
	Sections Form = "sections"
	// Fields shows the project's brief among records: goal, non-goals, constraints and so on.
	Fields Form = "fields"
)

// SectionView is how a role sees one section.
type SectionView struct {
	Form Form
	// Max is the number of items shown in that form, the others by id; 0 means no limit.
	Max int
	// Priority decides what is kept if not all fits: higher is kept longer.
	Priority int
}

// Spec describes what a role sees. The zero value shows ids within the default bound.
type Spec struct {
	Role      string
	MaxTokens int // 0 or less: DefaultMaxTokens
	Sections  [artifact.SectionCount]SectionView
}

// Unified is the view of agents without a role.
const Unified = "unified"

// Items of a section that the built-in views show at most.
const (
	maxInFull    = 40
	maxInSummary = 20
)

// Default returns the built-in view of a role: in full what it may edit or works on, the rest in
// summary. Any other role sees everything.
func Default(role string) Spec {
	const (
		rt = artifact.ResearchThread
		h  = artifact.HypothesisSlate
		p  = artifact.PredictionsTable
		t  = artifact.DiscriminativeTests
		a  = artifact.AssumptionLedger
		x  = artifact.AnomalyRegister
		c  = artifact.AdversarialCritique
	)
	switch role {
	case "hypothesis_generator": // answers the critique, and leaves tests to others
		return spec(role, []artifact.Section{rt, h, c, p, x, a}, []artifact.Section{t})
	case "test_designer": // tests what the hypotheses predict
		return spec(role, []artifact.Section{rt, t, h, p, a, x}, []artifact.Section{c})
	case "adversarial_critic": // attacks hypotheses and what they rest on
		return spec(role, []artifact.Section{rt, h, c, a, x}, []artifact.Section{t, p})
	}
	all := spec(Unified, []artifact.Section{rt, h, t, p, c, a, x}, nil)
	for s := range all.Sections {
		all.Sections[s].Max = 0
	}
	return all
}

// spec returns a view from the sections shown in full and in summary, most important first.
func spec(role string, full, summary []artifact.Section) Spec {
	out := Spec{Role: role, MaxTokens: DefaultMaxTokens}
	priority := artifact.SectionCount
	for _, s := range full {
		out.Sections[s] = SectionView{Form: Full, Max: maxInFull, Priority: priority}
		priority--
	}
	for _, s := range summary {
		out.Sections[s] = SectionView{Form: Summary, Max: maxInSummary, Priority: priority}
		priority--
	}
	return out
}

// form returns IDs for an unknown form: showing less is the safer mistake.
func (v SectionView) form() Form {
	if v.Form == Full || v.Form == Summary {
		return v.Form
	}
	return IDs
}

// Bound returns the token bound of the view.
func (s Spec) Bound() int {
	if s.MaxTokens <= 0 {
		return DefaultMaxTokens
	}
	return min(s.MaxTokens, MaxSetting)
}

// Canonical returns the spec as canonical JSON with all defaults filled in.
func (s Spec) Canonical() []byte {
	sections := make([]artifact.Entry, 0, len(s.Sections))
	for i, v := range s.Sections {
		sections = append(sections, artifact.Entry{Key: artifact.Section(i).String(), Value: artifact.MapOf(
			artifact.Entry{Key: "form", Value: artifact.Text(v.form())},
			artifact.Entry{Key: "max", Value: artifact.Number(max(v.Max, 0))},
			artifact.Entry{Key: "priority", Value: artifact.Number(v.Priority)},
		)})
	}
	return artifact.Canonical(artifact.MapOf(
		artifact.Entry{Key: "role", Value: artifact.Text(s.Role)},
		artifact.Entry{Key: "max_tokens", Value: artifact.Number(s.Bound())},
		artifact.Entry{Key: "sections", Value: artifact.MapOf(sections...)},
	))
}

// InvalidSpec is the code of an invalid view spec.
const InvalidSpec fault.Code = "INVALID_VIEW_SPEC" // Invalid description of what a role sees.

const specDepth = 3

// MaxSetting is above every sensible bound, number of items and priority.
const MaxSetting = 1 << 30

// ParseSpec reads the JSON that Canonical writes. Missing keys have the zero value; unknown keys
// are faults, since a misspelt key would show an agent more or less than intended.
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

type specReader struct{ wrong fault.List }

func (r *specReader) object(place string, v artifact.Value, take func(string, artifact.Value) bool) {
	m, ok := v.(artifact.Map)
	if !ok {
		r.fault(place, "not an object")
		return
	}
	for _, e := range m {
		if !take(e.Key, e.Value) {
			r.fault(place, "unknown key %s", fault.Shown(e.Key))
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
		r.fault(place+".form", "%s is not one of %s, %s, %s", fault.Shown(string(form)), Full, Summary, IDs)
	}
	return form
}

func (r *specReader) text(place string, v artifact.Value) string {
	t, ok := v.(artifact.Text)
	if !ok {
		r.fault(place, "not a string")
	}
	return string(t)
}

func (r *specReader) number(place string, v artifact.Value, least artifact.Number) int {
	n, ok := v.(artifact.Number)
	if !ok || n < least || n > MaxSetting || n != artifact.Number(int(n)) {
		r.fault(place, "not an integer from %d to %d", int(least), MaxSetting)
		return 0
	}
	return int(n)
}

func (r *specReader) fault(place, format string, args ...any) {
	if place == "" {
		place = "view spec"
	}
	r.wrong.Add(InvalidSpec, place, "a view spec has role, max_tokens and sections, each with form, max and priority",
		"%s", fmt.Sprintf(format, args...))
}
