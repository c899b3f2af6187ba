// Package view decides what an agent sees of the research artifact, and writes it.
//
// Build promises: the text never exceeds its token bound, by the caller's count; every item is in
// it at least by id, because an agent can only change what it can name; what is left out or
// shortened is named with the reason; equal inputs yield equal texts; and no text of an agent or a
// person can begin a line, so that none can forge a heading, a list, a fence, a quotation or HTML.
// If not even the ids fit, Build fails and nothing must be sent, or, if the caller permits it, the
// view counts what it does not name.
//
// The package is pure. It must not know how tokens are counted, what becomes of the text, or what
// else is in its message.
package view

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/internal/text"
)

// TooLarge is the code of a view whose fixed parts alone exceed its bound.
const TooLarge fault.Code = "CONTEXT_TOO_LARGE" // The fixed parts of a message or view exceed its token limit; nothing was sent.

// Input is the content of a view.
type Input struct {
	Artifact artifact.Artifact
	Spec     Spec
	Agent    string // its reader: its own items count as relevant
	// Count returns the tokens of a text and must be deterministic; nil counts bytes.
	Count    func(string) int
	Feedback []Outcome
	Notes    []Note
	// Counts permits a view that has no item, and names as many as fit and counts the others, if not
	// even all ids fit.
	Counts bool
}

// Outcome is the result of one of the agent's own deltas in the last round.
type Outcome struct {
	Delta       string // its id; "" if only Message counts, which is about the reply as a whole
	Target      string // the item it was about, if any
	Disposition string // rejected, conflicted, …
	Code        fault.Code
	Message     string
}

// Note is a person's note to the agents.
type Note struct{ By, Text string }

// View is what an agent sees.
type View struct {
	Text   string // Markdown
	Tokens int    // of Text; never more than the bound
	// Shown are the ids of items in the text, complete or shortened, in its order.
	Shown []string
	// Shortened are those of them that the spec would show completely.
	Shortened []string
	// LeftOut are the items shown only by id, and the conflicts ("H1.claim"), outcomes ("outcome
	// 2") and notes ("note 1") that are missing.
	LeftOut []Omission
	// Targets are the items that open conflicts in the text are about, as far as they are not shown themselves.
	Targets []string
	Version int // of the artifact
	// What is left out, by kind.
	Items, Conflicts, Outcomes, Notes Tally
	// NoteCharacters counts the characters of shortened notes.
	NoteCharacters Tally
}

// Tally counts what a view has of a kind: all, what is left out, and what is shortened besides.
type Tally struct{ All, Left, Short int }

// Omission is something left out, and the rule that did it.
type Omission struct{ ID, Rule string }

// Rules that leave things out.
const (
	OverBound = "over the bound"
	OverMax   = "past the section's maximum"
	IDsOnly   = "ids only for this role"
)

// Build returns a view. If it does not fit, items are shortened, the least important first, and
// then left out, by section priority, relevance, recency and id. Build fails only if the version, the
// beginning of the research thread and the ids do not fit; with Counts, if not even numbers do.
func Build(in Input) (View, error) {
	if in.Count == nil {
		in.Count = func(text string) int { return len(text) }
	}
	p := newPage(&in)
	f := filler{page: p, bound: in.Spec.Bound(), count: in.Count}
	text, tokens := f.fill()
	if tokens > f.bound && in.Counts {
		text, tokens = f.least()
	}
	if tokens > f.bound {
		return View{}, tooLarge(&in, tokens)
	}
	v := View{Text: text, Tokens: tokens, Version: in.Artifact.Metadata.Version}
	p.fillIn(&v)
	return v, nil
}

func tooLarge(in *Input, tokens int) error {
	role := in.Spec.Role
	if role == "" {
		role = "an agent"
	}
	return &fault.Error{
		Code: TooLarge, Op: "build the view of " + fault.Shown(role),
		Detail: fmt.Sprintf("the version, the research thread and the ids alone have %d tokens; the limit is %d", tokens, in.Spec.Bound()),
		Hint:   "raise max_tokens of the role's view",
	}
}

func (p *page) fillIn(v *View) {
	tallies := map[group]*Tally{notesGroup: &v.Notes, outcomesGroup: &v.Outcomes, conflictsGroup: &v.Conflicts}
	for g, parts := range p.groups {
		tally := tallies[group(g)]
		if tally == nil {
			tally = &v.Items
		}
		for _, part := range parts {
			item := part.group < artifact.SectionCount
			tally.add(part)
			if part.cut > 0 && part.level == shortened {
				v.NoteCharacters.All += part.characters
				v.NoteCharacters.Left += part.cut
			}
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
	for _, part := range p.groups[conflictsGroup] {
		if part.level > named && !slices.Contains(v.Shown, part.target) && !slices.Contains(v.Targets, part.target) {
			v.Targets = append(v.Targets, part.target)
		}
	}
}

func (t *Tally) add(p *part) {
	n := max(p.of, 1)
	t.All += n
	switch {
	case p.level == named:
		t.Left += n
	case p.level < p.want && p.text(p.level) != p.text(p.want):
		t.Short += n
	}
}

// inert returns an outside text on one line, without any special meaning.
func inert(s string) string { return text.Clean(s, text.PromptLine) }

// cut returns the beginning of a text, inert, limited to most characters.
func cut(s string, most int) string {
	// Leading space is not shown, so enough text is read to find the words after it, but no more.
	short := text.First(s, 4*most)
	out := inert(short)
	if len(short) == len(s) && utf8.RuneCountInString(out) <= most {
		return out
	}
	return strings.TrimSpace(text.First(out, most-1)) + "…"
}

const maxWord = 64

// Word returns an outside name: an id, a field, a key or an agent. It may begin a line, so anything
// but a plain word is quoted like a JSON string.
func Word(name string) string {
	if isPlain(name) {
		return name
	}
	if short := text.First(name, maxWord-1); short != name {
		name = short + "…"
	}
	return inert(string(artifact.AppendString(nil, name)))
}

// isPlain reports whether a name is a letter followed by letters, digits and joining characters.
func isPlain(name string) bool {
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
