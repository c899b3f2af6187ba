// Package lint judges a research artifact by a table of small rules. Each finding
// says which rule, how grave, about what, on which line of the rendered file, and
// what to write to be rid of it.
//
// An id is a severity letter (E, W, I), a section letter and a number; errors make
// the artifact invalid. Three habits hold for all rules. Counts and rules about
// content look at active items only; ids count for ever. A field in CONFLICT is
// present but undecided: it is reported once, as ES-005, and by no other rule. One
// cause gives one finding: nothing is said about the content of a section that is
// missing or empty, only that it is.
//
// The package is pure. It judges what an artifact says and never whether that is
// true; it knows nothing of merging, of agents or of how a finding is printed. The
// same artifact gives the same findings from its JSON and from its Markdown.
package lint

import (
	"cmp"
	"fmt"
	"slices"

	"brenner/artifact"
	"brenner/internal/fault"
)

// Severity says how grave a finding is.
type Severity string

// The severities. Only errors make an artifact invalid.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Version names these rules. Whoever stored findings knows by it whether they can be
// expected again.
const Version = "lint/1"

// Finding is one thing that a rule found. Message and Fix are safe to print
// whatever the artifact holds; Item is an id as it stands in the file.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Item     string   `json:"item"` // an item's id, a section's id, or "metadata"
	Line     int      `json:"line"` // in the rendered file, from 1
	Message  string   `json:"message"`
	Fix      string   `json:"fix"`
}

// Result is what all rules found, by line, then by rule, then by item.
type Result struct {
	Findings []Finding `json:"findings"`
}

// Valid tells whether no finding is an error.
func (r Result) Valid() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == Error })
}

// Check judges a document by all rules. It takes no notice of lines that could
// not be read: ask Unreadable first.
func Check(doc artifact.Document) Result {
	s := newSubject(&doc)
	r := report{}
	for _, rule := range table() {
		r.id = rule.id
		rule.check(s, &r)
	}
	findings := r.located(&doc)
	slices.SortFunc(findings, compare)
	return Result{Findings: findings}
}

// Verdict is what lint says of a file.
type Verdict struct {
	Schema string `json:"schema"`
	Valid  bool   `json:"valid"`
	Result
}

// Judge reads a file, in JSON or Markdown, and checks it. An error means that it cannot
// be judged.
func Judge(data []byte) (*Verdict, error) {
	doc, err := artifact.Read(data)
	if err == nil {
		err = Unreadable(doc)
	}
	if err != nil {
		return nil, err
	}
	r := Check(doc)
	return &Verdict{Schema: "brenner.lint/v1", Valid: r.Valid(), Result: r}, nil
}

// compare leaves nothing to the order in which rules were run.
func compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Item, b.Item),
		cmp.Compare(a.Message, b.Message),
		cmp.Compare(a.Fix, b.Fix),
	)
}

// Unreadable gives an error for a document with lines that no rule could judge,
// because nobody knows what they say; nil for any other.
func Unreadable(doc artifact.Document) error {
	var first *artifact.Problem
	more := -1
	for i := range doc.Problems {
		if p := &doc.Problems[i]; p.Kind == artifact.UnreadableLines {
			if first == nil {
				first = p
			}
			more++
		}
	}
	if first == nil {
		return nil
	}
	f := &fault.Error{
		Code: artifact.NotAnArtifact, Op: "lint", Detail: first.Message,
		Hint: "mend or remove those lines; `brenner artifact render` shows the form that is expected",
	}
	if first.Line > 0 {
		f.Place = fmt.Sprintf("line %d", first.Line)
	}
	if more > 0 {
		f.Detail += fmt.Sprintf(" (and %d more)", more)
	}
	return f
}
