package view

import (
	"fmt"

	"brenner/artifact"
	"brenner/internal/fault"
)

// TooLarge is the code of a view whose fixed parts alone are over its bound.
const TooLarge fault.Code = "CONTEXT_TOO_LARGE"

// Input is everything that a view is made of.
type Input struct {
	Artifact artifact.Artifact
	Spec     Spec
	Agent    string // who will read it: its own items count as relevant
	// Count counts the tokens of a text; nil counts its bytes, which are never
	// fewer. The same text must always get the same count.
	Count    func(string) int
	Feedback []Outcome
	Notes    []Note
}

// Outcome is what became of one of the agent's own deltas in the last round.
type Outcome struct {
	Delta       string // its id
	Target      string // the item it was about, where there is one
	Disposition string // rejected, conflicted, …
	Code        fault.Code
	Message     string
}

// Note is a word of a person to the agents.
type Note struct{ By, Text string }

// View is what an agent sees.
type View struct {
	Text   string // Markdown
	Tokens int    // of Text; never more than the bound
	// Shown are the ids of items that are in the text completely or in short, in
	// the order of the text.
	Shown []string
	// Shortened are those of them that the spec would show completely.
	Shortened []string
	// LeftOut are the items that are in the text by their ids alone, and the
	// conflicts ("H1.claim"), outcomes ("outcome 2") and notes ("note 1") that
	// are not in it.
	LeftOut []Omission
	Version int // of the artifact
}

// Omission is something that was left out, and the rule that did it.
type Omission struct{ ID, Rule string }

// The rules that leave things out.
const (
	OverBound = "over the bound"
	OverMax   = "past the section's maximum"
	IDsOnly   = "ids only for this role"
)

// Build makes a view. What does not fit into the bound is shown in short, the
// least important first, and then left out; the order is that of the sections'
// priorities, then relevance, then recency, then id. Only if the version, the
// beginning of the research thread and the ids do not fit is there an error.
func Build(in Input) (View, error) {
	if in.Count == nil {
		in.Count = func(text string) int { return len(text) }
	}
	p := newPage(&in)
	f := filler{page: p, bound: in.Spec.Bound(), count: in.Count}
	text, tokens := f.fill()
	if tokens > f.bound {
		return View{}, tooLarge(&in, tokens)
	}
	v := View{Text: text, Tokens: tokens, Version: in.Artifact.Metadata.Version}
	p.account(&v)
	return v, nil
}

func tooLarge(in *Input, tokens int) error {
	role := in.Spec.Role
	if role == "" {
		role = "an agent"
	}
	return &fault.Error{
		Code: TooLarge, Op: "build the view of " + fault.Shown(role),
		Detail: fmt.Sprintf("the version, the research thread and the ids alone are %d tokens, and the bound is %d", tokens, in.Spec.Bound()),
		Hint:   "raise max_tokens of the role's view",
	}
}

// account says what was shown and what was not.
func (p *page) account(v *View) {
	for _, group := range p.groups {
		for _, part := range group {
			item := part.group < artifact.SectionCount
			switch {
			case part.level == named:
				v.LeftOut = append(v.LeftOut, Omission{ID: part.id, Rule: part.rule})
			case item && part.level < part.want:
				v.Shown = append(v.Shown, part.id)
				v.Shortened = append(v.Shortened, part.id)
			case item:
				v.Shown = append(v.Shown, part.id)
			}
		}
	}
}
