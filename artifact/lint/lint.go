// Package lint checks a research artifact against a table of small rules. Each finding has the
// rule, its severity, the place and line in the rendered file, and a fix.
//
// A rule id is a severity letter (E, W, I), a section letter and a number; errors make the artifact
// invalid. Three conventions hold for all rules. Counts and content rules consider active items
// only, while ids stay in use permanently. A field in CONFLICT is present but undecided; only ES-005
// reports it. One cause makes one finding: for a missing or empty section only that is reported.
//
// The package is pure. It does not judge whether an artifact is true, and must not know about
// merging, agents or how findings are printed. JSON and Markdown of the same artifact have the same
// findings.
package lint

import (
	"cmp"
	"slices"

	"brenner/artifact"
)

// Severity is the severity of a finding.
type Severity string

// The severities. Only errors make an artifact invalid.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Version identifies these rules, so that stored findings can be matched to them.
const Version = "lint/1"

// Finding is one violation of a rule. Message and Fix are safe to print whatever the artifact
// holds. Item is an id as written in the file.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Item     string   `json:"item"` // an item's id, a section's id, or "metadata"
	Line     int      `json:"line"` // in the rendered file, from 1
	Message  string   `json:"message"`
	Fix      string   `json:"fix"`
}

// Result holds the findings of all rules, sorted by line, rule and item.
type Result struct {
	Findings []Finding `json:"findings"`
}

// Valid reports whether no finding is an error.
func (r Result) Valid() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == Error })
}

// Check applies all rules to a document. It ignores unreadable lines; call Unreadable first.
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

// Verdict is the result of linting a file.
type Verdict struct {
	Schema string `json:"schema"`
	Valid  bool   `json:"valid"`
	Result
	Notes []Note `json:"notes,omitempty"` // on the form of a file that another tool wrote
}

// Note is a remark on the form of a file: what was read as something else, and what was kept verbatim.
type Note struct {
	Kind    artifact.ProblemKind `json:"kind"`
	Item    string               `json:"item"`
	Line    int                  `json:"line"`
	Message string               `json:"message"`
}

// Judge reads a file in JSON or Markdown and checks it. If lines of it cannot be read, it returns a
// verdict on the others, and an error with a fault for each.
func Judge(data []byte) (*Verdict, error) {
	doc, err := artifact.Read(data)
	if err != nil {
		return nil, err
	}
	r := Check(doc)
	v := &Verdict{Schema: "brenner.lint/v1", Valid: r.Valid(), Result: r}
	for _, p := range append(doc.Notes(), doc.Unkept...) {
		v.Notes = append(v.Notes, Note{Kind: p.Kind, Item: p.Item, Line: p.Line, Message: safe(p.Message)})
	}
	err = Unreadable(doc)
	v.Valid = v.Valid && err == nil
	return v, err
}

// compare is a total order, independent of the order of the rules.
func compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Item, b.Item),
		cmp.Compare(a.Message, b.Message),
		cmp.Compare(a.Fix, b.Fix),
	)
}

// Unreadable returns an error with a fault for each unreadable line of the document.
func Unreadable(doc artifact.Document) error {
	return doc.Faults("fix or remove the lines that cannot be read; `brenner artifact render` shows the expected form",
		func(p *artifact.Problem) bool { return p.Kind == artifact.UnreadableLines })
}
