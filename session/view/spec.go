package view

import (
	"brenner/artifact"
)

// DefaultMaxTokens is the bound of a view whose spec gives none.
const DefaultMaxTokens = 6000

// Form says how much of an item is shown.
type Form string

// The forms. An item without a form is shown by its id alone.
const (
	Full    Form = "full"    // all fields
	Summary Form = "summary" // id, name and the beginning of the main field
	IDs     Form = "ids"     // the id
	// Sections is a research artifact among records, by as much of its sections as fits.
	Sections Form = "sections"
)

// SectionView is how a role sees one section.
type SectionView struct {
	Form Form
	// Max is how many items are shown in that form, the others by their ids; 0
	// means no limit.
	Max int
	// Priority decides what is kept when not all fits: higher is kept longer.
	Priority int
}

// Spec is what a role sees. The zero value works: it shows ids within the default
// bound.
type Spec struct {
	Role      string
	MaxTokens int // 0 or less: DefaultMaxTokens
	Sections  [artifact.SectionCount]SectionView
}

// Unified names the view of agents that have no role of their own.
const Unified = "unified"

// The most items of a section that the built-in views show.
const (
	maxInFull    = 40
	maxInSummary = 20
)

// Default gives the built-in view of a role: in full what it may edit and what it
// works on, in summary the rest. Any other role sees everything.
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

// spec makes a view from the sections that are shown in full and those that are
// shown in summary, the most important first.
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

// form gives IDs for whatever is no form: showing less is the safer mistake.
func (v SectionView) form() Form {
	if v.Form == Full || v.Form == Summary {
		return v.Form
	}
	return IDs
}

// Bound gives the most tokens that a view may have.
func (s Spec) Bound() int {
	if s.MaxTokens <= 0 {
		return DefaultMaxTokens
	}
	return min(s.MaxTokens, MaxSetting)
}

// Canonical gives the spec in its one JSON form, with every default filled in.
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
