package artifact

import (
	"bytes"
	"errors"
	"strings"

	"brenner/internal/fault"
)

// NotAnArtifact is the code for a file that is not an artifact or is damaged.
const NotAnArtifact fault.Code = "NOT_AN_ARTIFACT" // The file is readable but not a research artifact.

// Document is an artifact as read from a file, with the problems of the file's form. Lint uses all
// of it; other callers use Strict.
type Document struct {
	Artifact Artifact
	Lines    Lines // of the Markdown file; empty for JSON
	Problems []Problem
	// Unkept are lines of Markdown whose content only the provenance can hold. The file is as it should be,
	// but a new version of it lacks them.
	Unkept []Problem
}

// ProblemKind classifies a problem of a file's form.
type ProblemKind string

// The kinds of problems in a file that is readable but not a valid artifact.
const (
	NoFrontMatter   ProblemKind = "no front matter"
	BadMetadata     ProblemKind = "bad metadata"
	BadVersion      ProblemKind = "bad version"
	MissingSection  ProblemKind = "missing section"
	SectionOrder    ProblemKind = "section out of order"
	BadID           ProblemKind = "bad id"
	DuplicateID     ProblemKind = "duplicate id"
	EmptyNotStated  ProblemKind = "empty section not said"
	UnreadableLines ProblemKind = "unreadable lines"
)

// The kinds of notes on a file that another tool or a person wrote. They are not faults.
const (
	Variant ProblemKind = "variant" // read as the form that the writer writes
	Kept    ProblemKind = "kept"    // not part of an artifact, kept verbatim
	// Unkept is the kind of a line whose content only the provenance can hold.
	Unkept ProblemKind = "not kept"
)

// IsNote reports whether a problem is only a note.
func (p *Problem) IsNote() bool { return p.Kind == Variant || p.Kind == Kept }

// Problem is one problem of a file's form.
type Problem struct {
	Kind    ProblemKind
	Line    int    // in the file; 0 for faults of JSON
	Item    string // the item or section concerned, if any
	Message string
}

// Read reads an artifact from canonical JSON or canonical Markdown. It returns an error if the
// bytes are neither. Readable but malformed parts are listed in Problems.
func Read(data []byte) (Document, error) {
	if IsJSON(data) {
		return readJSON(data)
	}
	return readMarkdown(data)
}

// IsJSON reports whether data is JSON. Markdown never begins with a brace or a bracket.
func IsJSON(data []byte) bool {
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[')
}

// Notes returns the notes among the problems.
func (d *Document) Notes() []Problem {
	var notes []Problem
	for i := range d.Problems {
		if d.Problems[i].IsNote() {
			notes = append(notes, d.Problems[i])
		}
	}
	return notes
}

// Strict returns the artifact of a valid document, or an error with one fault for each problem. Notes
// are no problems, an empty section without the "none registered" line is accepted, as is a version that is
// not a number, which is kept, and JSON may omit sections.
func (d *Document) Strict() (Artifact, error) {
	err := d.Faults("`brenner artifact lint FILE` explains the problems of the file", func(p *Problem) bool {
		return !p.IsNote() && p.Kind != EmptyNotStated && p.Kind != BadVersion && (p.Kind != MissingSection || p.Line > 0)
	})
	if err != nil {
		return Artifact{}, err
	}
	return d.Artifact, nil
}

// Faults returns the chosen problems as an error, in the order of the file. The first one has the hint.
func (d *Document) Faults(hint string, chosen func(*Problem) bool) error {
	var all []error
	for i := range d.Problems {
		if p := &d.Problems[i]; chosen(p) {
			all = append(all, &fault.Error{Code: NotAnArtifact, Line: p.Line, Detail: p.Message, Hint: hint})
			hint = ""
		}
	}
	return errors.Join(all...)
}

// Parse reads a valid artifact from JSON or Markdown.
func Parse(data []byte) (Artifact, error) {
	doc, err := Read(data)
	if err != nil {
		return Artifact{}, err
	}
	return doc.Strict()
}

// ParseExact reads a valid artifact in the form that this package writes. A file with notes is refused.
func ParseExact(data []byte) (Artifact, error) {
	doc, err := Read(data)
	if err != nil {
		return Artifact{}, err
	}
	return doc.exact()
}

func (d *Document) exact() (Artifact, error) {
	if err := d.Faults("", (*Problem).IsNote); err != nil {
		return Artifact{}, err
	}
	return d.Strict()
}

// Lines maps places of a Markdown file to line numbers. Its keys are section ids, item ids,
// "H1.claim" for a field of an item, and "metadata".
type Lines map[string]int

// Of returns the line of a place, else of its item, its section, or the first line.
func (l Lines) Of(place string) int {
	if n, ok := l[place]; ok {
		return n
	}
	id, _, isField := strings.Cut(place, ".")
	if isField {
		return l.Of(id)
	}
	if s, ok := SectionOfID(id); ok {
		if n, ok := l[s.String()]; ok {
			return n
		}
	}
	return 1
}
