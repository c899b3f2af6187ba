// Package record is the typed, versioned record of the store as a value: what
// policy and views reason about. It is pure: it holds hashes of contents, never
// the contents.
package record

import (
	"fmt"
	"time"
	"unicode/utf8"

	"brenner/internal/fault"
)

// Invalid is the code of a record that lacks what every record has.
const Invalid fault.Code = "INVALID_RECORD"

// The statuses of a version.
const (
	Draft       = "draft"
	Canonical   = "canonical"
	Alternative = "alternative"
	Deprecated  = "deprecated"
	NeedsRebase = "needs_rebase"
	NeedsUpdate = "needs_update"
)

// Record is one version of one artifact of the project. Versions are never
// changed; an update is a new version with a parent.
type Record struct {
	ID      string
	Type    string
	Version int // from 1
	Parent  int // the version that this one updates; 0 for none
	Status  string
	Module  string
	Summary string
	// SummaryOf is the hash of the content that the summary was written for: where
	// it is not Content, the summary is stale.
	SummaryOf string
	SummaryBy string // Given, Extracted or Kept
	Content   string // the SHA-256 of the content, in hexadecimal digits
	Change    string // what changed against the parent, and why
	Creator   string
	At        time.Time
	Tags      []string
	Links     []Link
}

// Who made a summary.
const (
	Given     = "given"     // by whoever made the version, or by an agent that was asked for it
	Extracted = "extracted" // the beginning of the content, taken by the program
	Kept      = "kept"      // from the parent, whatever the content is now
)

// StaleSummary tells whether the summary was written for another content.
func (r *Record) StaleSummary() bool { return r.SummaryOf != r.Content }

// Ref gives the version's own address.
func (r *Record) Ref() Ref { return Ref{r.ID, r.Version} }

// Check says what a record lacks.
func (r *Record) Check() error {
	for _, f := range []struct{ name, value string }{
		{"id", r.ID},
		{"type", r.Type},
		{"status", r.Status},
		{"module", r.Module},
		{"summary", r.Summary},
		{"summary's hash", r.SummaryOf},
		{"content", r.Content},
		{"creator", r.Creator},
	} {
		if f.value == "" {
			return r.fault(f.name + " is missing")
		}
	}
	if name := r.notUTF8(); name != "" {
		return r.fault(name + " is not UTF-8")
	}
	switch year := r.At.UTC().Year(); {
	case r.At.IsZero():
		return r.fault("the time is missing")
	case year < 1 || year > 9999:
		return r.fault(fmt.Sprintf("the year is %d, which an instant cannot have", year))
	case r.Version < 1 || r.Parent < 0 || r.Parent >= r.Version:
		return r.fault(fmt.Sprintf("version %d cannot have the parent %d", r.Version, r.Parent))
	}
	return nil
}

// notUTF8 names a field whose text could not be written as JSON and read back
// the same, or nothing.
func (r *Record) notUTF8() string {
	for _, f := range []struct{ name, value string }{
		{"id", r.ID},
		{"type", r.Type},
		{"status", r.Status},
		{"module", r.Module},
		{"summary", r.Summary},
		{"summary's hash", r.SummaryOf},
		{"summary's author", r.SummaryBy},
		{"content", r.Content},
		{"change", r.Change},
		{"creator", r.Creator},
	} {
		if !utf8.ValidString(f.value) {
			return f.name
		}
	}
	for _, tag := range r.Tags {
		if !utf8.ValidString(tag) {
			return "a tag"
		}
	}
	for _, l := range r.Links {
		if !utf8.ValidString(l.Relation) || !utf8.ValidString(l.ID) {
			return "a link"
		}
	}
	return ""
}

func (r *Record) fault(detail string) error {
	return &fault.Error{Code: Invalid, Op: "record " + fault.Shown(r.ID), Detail: detail, Hint: "every record carries all of its fields"}
}
