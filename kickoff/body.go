package kickoff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"brenner/internal/text"
	"brenner/patch"
)

// The fixed lines of a message, which Audit looks for.
const (
	titleMark      = "# KICKOFF: "
	recipientLabel = "**Recipient**: "
	roundLabel     = "**Round**: "
	templateLabel  = "**Template**: "
	hashLabel      = " (sha256 "

	headQuestion    = "## Research Question"
	headContext     = "## Context"
	headExcerpt     = "## Excerpt"
	headProject     = "## Project Records"
	headMemory      = "## Memory"
	headArtifact    = "## Current Artifact"
	headHypotheses  = "## Initial Hypotheses"
	headConstraints = "## Constraints"
	headOutputs     = "## Requested Outputs"
	headFormat      = "## Response Format"
)

// maxSubject is where our subjects are cut, in characters.
const maxSubject = 120

// subject says what the message is about, in one line.
func subject(round int, question string) string {
	head := "KICKOFF: "
	if round > 1 {
		head += fmt.Sprintf("[round %d] ", round)
	}
	return text.Clip(head+oneLine(question), maxSubject)
}

// body writes the message, in the order of artifact_schema.md §3.
func (in *Input) body(to string, f *Frame, sections []section) string {
	var b strings.Builder
	size := len(f.head) + len(f.tail) + 200
	for _, s := range sections {
		size += len(s.text) + len(s.text)/8 + 200
	}
	b.Grow(size)
	fmt.Fprintf(&b, "%s%s\n\n", titleMark, in.ThreadID)
	fmt.Fprintf(&b, "%s%s\n%s%d\n", recipientLabel, writeName(to), roundLabel, in.Round)
	b.WriteString(f.head)
	for _, s := range sections {
		if s.text == "" && s.without == "" {
			continue
		}
		b.WriteString(s.heading + "\n\n")
		if s.text == "" {
			b.WriteString(s.without + "\n\n")
			continue
		}
		if s.about != "" {
			b.WriteString(s.about + "\n\n")
		}
		quote(&b, s.text)
		b.WriteByte('\n')
		if s.after != "" {
			b.WriteString(s.after + "\n\n")
		}
	}
	b.WriteString(f.tail)
	return b.String()
}

// section is a part of the message that others wrote.
type section struct {
	heading string
	about   string // ours, before it
	given   string // theirs, as it came
	text    string // theirs, clean
	after   string // ours, behind it
	without string // said where there is none; "" leaves the section out
}

// sections gives what others wrote, in the order of the message; what shows
// nothing counts as not given.
func (in *Input) sections(to string) []section {
	all := []section{
		{heading: headQuestion, text: in.Question},
		{heading: headContext, text: in.Context, without: "None was given."},
		{heading: headExcerpt, text: in.Excerpt},
		{
			heading: headProject, text: in.Project[to],
			about: "What the project's records say, as far as your role may read them, each with its id and version.",
			after: in.patchable(to),
		},
		{
			heading: headMemory, text: in.memory(to), about: in.aboutMemory(), without: in.aboutLessons(),
		},
		{
			heading: headArtifact, text: in.Views[to],
			about: "What stands by now, as far as your role sees it. These ids are the ones that you can name.",
		},
		{heading: headHypotheses, text: in.hypotheses(), about: "They came with the brief. Nothing speaks for them but that."},
		{heading: headConstraints, text: in.constraints()},
	}
	for i := range all {
		all[i].given, all[i].text = all[i].text, ""
		if !blank(all[i].given) {
			all[i].text = clean(all[i].given)
		}
	}
	return all
}

// patchable says how the texts are changed that an agent may change.
func (in *Input) patchable(to string) string {
	texts := in.Patchable[to]
	if len(texts) == 0 {
		return ""
	}
	return "You may change these texts: " + oneLine(strings.Join(texts, ", ")) + ". A change is a block like this one, beside your deltas, " +
		"with the text's name on the line above it; the lines to search for are quoted whole, without the bar:\n\n" +
		"    " + oneLine(texts[0]) + "\n    <<<<<<< SEARCH\n    " + patch.ExampleSearch + "    =======\n    the lines as they should be\n    >>>>>>> REPLACE"
}

func (in *Input) memory(to string) string {
	var b strings.Builder
	for _, m := range slices.Concat(in.Memory, in.Lessons[to]) {
		b.WriteString(m.line())
	}
	return b.String()
}

func (in *Input) hypotheses() string {
	var b strings.Builder
	for _, h := range in.Hypotheses {
		mark := "- "
		if h.ID != "" {
			mark += oneLine(h.ID) + ": "
		}
		b.WriteString(entry(mark, h.Text))
	}
	return b.String()
}

func (in *Input) constraints() string {
	var b strings.Builder
	for _, c := range in.Constraints {
		b.WriteString(entry("- ", c))
	}
	return b.String()
}

// writeName gives an agent's name on one line: as it is where it is a plain word,
// as a Go string otherwise. readName is its inverse.
func writeName(name string) string {
	odd := strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-@", r)
	})
	if odd || name == "" {
		return strconv.Quote(name)
	}
	return name
}

func readName(text string) (string, error) {
	if !strings.HasPrefix(text, `"`) {
		return text, nil
	}
	return strconv.Unquote(text)
}
