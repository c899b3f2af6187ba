// Package brief reads the brief of a project: its goal, scope, non-goals, constraints, audience
// and glossary, which it finds by their headings. The package is pure: it must not know where a
// brief is stored, or who is shown it.
package brief

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/store/record"
)

// Bad is the code for a brief without a goal, or with one that cannot be its summary.
const Bad fault.Code = "BAD_BRIEF" // A project brief states no goal, or its goal cannot be its summary.

// Field is a part of a brief.
type Field int

// The fields, in the order in which they are shown. Rest is everything else.
const (
	Rest Field = iota
	Goal
	Scope
	NonGoals
	Constraints
	Audience
	Glossary
	fieldCount
)

func (f Field) String() string {
	return [...]string{"rest", "goal", "scope", "non-goals", "constraints", "audience", "glossary"}[f]
}

// Title returns the name of a field as a heading.
func (f Field) Title() string {
	name := f.String()
	return strings.ToUpper(name[:1]) + name[1:]
}

// Fields returns the fields without Rest, in the order in which they are shown.
func Fields() []Field { return []Field{Goal, Scope, NonGoals, Constraints, Audience, Glossary} }

// Brief is the text of a brief by fields.
type Brief struct {
	texts  [fieldCount]string
	hidden []string
	unread string
}

// Hidden returns the headings above text that belongs to no field, and is not shown to agents.
func (b *Brief) Hidden() []string { return b.hidden }

// Text returns the text of a field, without its heading, or "". A field that appears more than
// once has all its texts, in order.
func (b *Brief) Text(f Field) string { return b.texts[f] }

// Goal returns the goal on one line, verbatim, or "".
func (b *Brief) Goal() string { return strings.Join(strings.Fields(b.texts[Goal]), " ") }

// Stated returns the goal on one line, or says that there is none.
func (b *Brief) Stated() string {
	if goal := b.Goal(); goal != "" {
		return goal
	}
	return "The brief states no goal."
}

// Example is a small brief.
const Example = `# Brief

## Goal

How does a cell of an early embryo know what to become?

## Scope

- vertebrate embryos up to gastrulation

## Non-goals

- plant cells
- clinical use

## Constraints

- published data only

## Audience

Developmental biologists.

## Glossary

- fate: what a cell becomes if nothing disturbs it
`

const hint = "write a line \"## Goal\" and below it, for example, \"How does a cell know what to become?\"; `brenner project brief --help` shows a whole brief"

// Summary returns the summary of a brief, which is its goal. It is an error if the brief states
// none, or if it does not fit.
func (b *Brief) Summary() (string, error) {
	goal := b.Goal()
	if b.unread != "" {
		return "", &fault.Error{
			Code: Bad, Detail: fmt.Sprintf("a table or HTML names a field of the brief, and is not read: %q", text.Clip(b.unread, 60)),
			Hint: "write it as a heading of Markdown, such as \"## Goal\", with the text below it",
		}
	}
	switch n := utf8.RuneCountInString(goal); {
	case n == 0:
		return "", &fault.Error{Code: Bad, Detail: "the brief does not state a goal", Hint: hint}
	case n > record.MaxSummary:
		return "", &fault.Error{
			Code: Bad, Detail: fmt.Sprintf("the goal has %d characters, more than the maximum of %d: it is the summary of the brief, and opens every prompt", n, record.MaxSummary),
			Hint: "state the goal in one or two sentences, and move the rest under another heading, such as Scope or Background",
		}
	}
	if err := record.CheckSummary(goal); err != nil {
		return "", &fault.Error{Code: Bad, Detail: "the goal has control characters", Hint: "remove them"}
	}
	return goal, nil
}
