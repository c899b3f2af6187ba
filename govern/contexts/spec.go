package contexts

import (
	"crypto/sha256"
	"encoding/hex"

	"brenner/artifact"
	"brenner/govern/policy"
	"brenner/session/view"
	"brenner/store/record"
)

// DefaultTokens is the bound of a context whose spec sets none.
const DefaultTokens = 4000

// Spec is what agents of a role are shown of the store's records.
type Spec struct {
	Role      string
	MaxTokens int // 0 or less: DefaultTokens
	// Cross shows all modules, not only the task's and what belongs to the whole project.
	Cross bool
	Types []TypeView
}

// TypeView is how a role sees the records of one type.
type TypeView struct {
	Type string    `json:"type,omitempty"`
	Form view.Form `json:"form,omitempty"` // Full or Summary; anything else is Summary
	// Max is the maximum number shown; 0 or less shows no record.
	Max int `json:"max"`
	// Priority decides what is kept if not all fits: higher is kept longer.
	Priority int `json:"priority"`
}

// Maximum numbers of records of a type in the built-in views.
const (
	maxOfSpine     = 3
	MaxOfKnowledge = 8
)

// Default returns the built-in view of a role: summaries of what it may read, the spine of the
// project first, and in full only the subject of its work.
func Default(access policy.Access) Spec {
	spec := Spec{Role: access.Role, MaxTokens: DefaultTokens}
	priority := len(access.Read)
	for _, kind := range access.Read {
		v := TypeView{Type: kind, Form: view.Summary, Max: MaxOfKnowledge, Priority: priority}
		switch kind {
		case record.ProjectBrief, record.ProjectSummary, record.IntegratedMemo:
			v.Max = maxOfSpine
		}
		if access.Role == policy.Reader && kind == record.PaperNote || access.Role == policy.Writer && kind == record.ManuscriptSection {
			v.Form, v.Max = view.Full, maxOfSpine // needed for a detailed review, and to continue a text
		}
		spec.Types = append(spec.Types, v)
		priority--
	}
	return spec
}

// Bound returns the maximum number of tokens of a context.
func (s *Spec) Bound() int {
	if s.MaxTokens <= 0 {
		return DefaultTokens
	}
	return min(s.MaxTokens, view.MaxSetting)
}

// Of returns how a type is seen; false if the spec does not name it.
func (s *Spec) Of(kind string) (TypeView, bool) {
	for _, v := range s.Types {
		if v.Type == kind {
			return v, v.Max > 0
		}
	}
	return TypeView{}, false
}

// Hash returns the SHA-256 of the spec's canonical JSON, in hexadecimal.
func (s *Spec) Hash() string {
	sum := sha256.Sum256(s.Canonical())
	return hex.EncodeToString(sum[:])
}

// Canonical returns the spec as canonical JSON.
func (s *Spec) Canonical() []byte {
	types := make(artifact.List, 0, len(s.Types))
	for _, v := range s.Types {
		types = append(types, artifact.MapOf(
			artifact.Entry{Key: "type", Value: artifact.Text(v.Type)},
			artifact.Entry{Key: "form", Value: artifact.Text(v.form())},
			artifact.Entry{Key: "max", Value: artifact.Number(max(v.Max, 0))},
			artifact.Entry{Key: "priority", Value: artifact.Number(v.Priority)},
		))
	}
	return artifact.Canonical(artifact.MapOf(
		artifact.Entry{Key: "role", Value: artifact.Text(s.Role)},
		artifact.Entry{Key: "max_tokens", Value: artifact.Number(s.Bound())},
		artifact.Entry{Key: "cross", Value: artifact.Bool(s.Cross)},
		artifact.Entry{Key: "types", Value: types},
	))
}

func (v TypeView) form() view.Form {
	if v.Form == view.Full {
		return view.Full
	}
	return view.Summary
}
