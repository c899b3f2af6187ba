package artifact

import (
	"bytes"
	"fmt"
	"strings"

	"brenner/internal/fault"
)

// NotAnArtifact is the code of a file that is no artifact, or a damaged one.
const NotAnArtifact fault.Code = "NOT_AN_ARTIFACT"

// Document is an artifact as it was found in a file, with what is wrong with the
// file's form. Lint wants all of it; everybody else wants Strict.
type Document struct {
	Artifact Artifact
	Lines    Lines // of the Markdown file; empty for JSON
	Problems []Problem
}

// ProblemKind says what is wrong with a file's form.
type ProblemKind string

// The ways in which a file that can be read is still not a whole artifact.
const (
	NoFrontMatter   ProblemKind = "no front matter"
	BadMetadata     ProblemKind = "bad metadata"
	BadVersion      ProblemKind = "bad version"
	MissingSection  ProblemKind = "missing section"
	SectionOrder    ProblemKind = "section out of order"
	BadID           ProblemKind = "bad id"
	DuplicateID     ProblemKind = "duplicate id"
	EmptyNotSaid    ProblemKind = "empty section not said"
	UnreadableLines ProblemKind = "unreadable lines"
)

// Problem is one thing that is wrong with a file's form.
type Problem struct {
	Kind    ProblemKind
	Line    int    // in the file; 0 for JSON
	Item    string // the item or section it is about, if any
	Message string
}

// Read reads an artifact from canonical JSON or canonical Markdown. An error
// means that the bytes are neither; what is wrong but readable is in Problems.
func Read(data []byte) (Document, error) {
	if IsJSON(data) {
		return readJSON(data)
	}
	return readMarkdown(data)
}

// IsJSON tells whether data, an artifact or deltas, is in JSON: Markdown never
// begins with a brace or a bracket.
func IsJSON(data []byte) bool {
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[')
}

// Strict gives the artifact of a document that is whole, or says what is wrong.
// An empty section that is not said to be empty does no harm, and JSON may leave
// sections out.
func (d *Document) Strict() (Artifact, error) {
	var wrong []string
	for _, p := range d.Problems {
		if p.Kind == EmptyNotSaid || (p.Kind == MissingSection && p.Line == 0) {
			continue
		}
		where := ""
		if p.Line > 0 {
			where = fmt.Sprintf("line %d: ", p.Line)
		}
		wrong = append(wrong, where+p.Message)
	}
	if len(wrong) == 0 {
		return d.Artifact, nil
	}
	detail := wrong[0]
	if more := len(wrong) - 1; more > 0 {
		detail += fmt.Sprintf(" (and %d more)", more)
	}
	return Artifact{}, &fault.Error{
		Code: NotAnArtifact, Detail: detail,
		Hint: "`brenner artifact lint FILE` lists what is wrong with the file",
	}
}

// Parse reads a whole artifact from JSON or Markdown.
func Parse(data []byte) (Artifact, error) {
	doc, err := Read(data)
	if err != nil {
		return Artifact{}, err
	}
	return doc.Strict()
}

// Lines says on which line of a Markdown file things stand. Its keys are
// section ids, item ids, "H1.claim" for a field of an item, and "metadata".
type Lines map[string]int

// Of gives the line of a place, or of the nearest thing around it: the item of
// a field, the section of an item, the first line.
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
