// Package view decides what an agent sees of the research artifact, and writes it.
//
// Build promises: the text never has more tokens than its bound, counted as the
// caller counts; every item is in it at least by its id, because an agent can only
// change what it can name; what is left out, or shown in short, is named with the
// rule that did it; the same input gives the same text; and nothing that an agent
// or a person wrote can begin a line of it, so that no such text can forge a
// heading, a list, a fence, a quotation or HTML. If not even the ids fit, that is
// an error, and nothing is to be sent.
//
// The package is pure. It must not know how tokens are counted, what becomes of
// the text, or what else stands in the message that carries it.
package view

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/internal/text"
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

// inert returns a text from outside on one line in which only its words mean anything.
func inert(s string) string { return text.Clean(s, text.PromptLine) }

// cut returns the beginning of a text, inert, with at most so many characters.
func cut(s string, most int) string {
	// Space at the front is not shown: enough of the text is read to find the words
	// behind it, and no more, however long it is.
	short := text.First(s, 4*most)
	out := inert(short)
	if len(short) == len(s) && utf8.RuneCountInString(out) <= most {
		return out
	}
	return strings.TrimSpace(text.First(out, most-1)) + "…"
}

// maxWord is the most characters of a name that are shown.
const maxWord = 64

// Word gives a name from outside: an id, a field, a key, an agent. It may begin a
// line, so it stays as it is only where it is a plain word, and is quoted like a
// JSON string otherwise.
func Word(name string) string {
	if plain(name) {
		return name
	}
	if short := text.First(name, maxWord-1); short != name {
		name = short + "…"
	}
	return inert(string(artifact.AppendString(nil, name)))
}

// plain tells whether a name begins with a letter and goes on with letters, digits
// and what names are joined with.
func plain(name string) bool {
	if name == "" || len(name) > maxWord {
		return false
	}
	for i, r := range name {
		joins := r == '_' || r == '-' || r == '.' || r == '@'
		if !unicode.IsLetter(r) && (i == 0 || (!unicode.IsDigit(r) && !joins)) {
			return false
		}
	}
	return utf8.ValidString(name)
}
