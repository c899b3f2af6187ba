// Package record defines the typed, versioned record of the store, as used by policy and views. It
// is pure: it holds hashes of contents, never the contents.
package record

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"brenner/internal/fault"
)

// Invalid is the code for a record that lacks a required field.
const Invalid fault.Code = "INVALID_RECORD" // A record lacks a required field.

// The statuses of a version.
const (
	Draft       = "draft"
	Canonical   = "canonical"
	Alternative = "alternative"
	Deprecated  = "deprecated"
	NeedsRebase = "needs_rebase"
	NeedsUpdate = "needs_update"
)

// Record is one version of a project's artifact. It is immutable; updates are new versions.
type Record struct {
	ID      string
	Type    string
	Version int // from 1
	Parent  int // the version that this one updates; 0 for none
	Status  string
	Module  string
	Summary string
	// SummaryOf is the hash of the summarised content. If it is not Content, the summary is stale.
	SummaryOf string
	SummaryBy string // Given, Extracted or Kept
	Content   string // the SHA-256 of the content, in hexadecimal
	Change    string // what changed since the parent, and why
	Creator   string
	At        time.Time
	Tags      []string
	Links     []Link
}

// The origins of a summary.
const (
	Given     = "given"     // by the version's author, or by an agent on request
	Extracted = "extracted" // the beginning of the content, extracted by the program
	Kept      = "kept"      // from the parent, regardless of the content
)

// StaleSummary reports whether the summary was written for different content.
func (r *Record) StaleSummary() bool { return r.SummaryOf != r.Content }

// Ref returns the version's own address.
func (r *Record) Ref() Ref { return Ref{r.ID, r.Version} }

// Subject names what a stalemate about the record is about: a version, or a file by its path.
func (r *Record) Subject() string {
	if r.Type == PatchedFile && len(r.Tags) > 0 {
		return r.Tags[0]
	}
	return r.Ref().String()
}

// Check returns an error if a required field is missing or invalid.
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
		return r.fault(name + " is not valid UTF-8")
	}
	switch year := r.At.UTC().Year(); {
	case r.At.IsZero():
		return r.fault("the time is missing")
	case year < 1 || year > 9999:
		return r.fault(fmt.Sprintf("the year %d is out of range", year))
	case r.Version < 1 || r.Parent < 0 || r.Parent >= r.Version:
		return r.fault(fmt.Sprintf("version %d cannot have the parent %d", r.Version, r.Parent))
	}
	return nil
}

// notUTF8 returns the name of a field that would not round-trip through JSON, or "".
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
	return &fault.Error{Code: Invalid, Op: "record " + fault.Shown(r.ID), Detail: detail, Hint: "a record has an id, a type, a status, a module, a summary, content, a creator and a time; all text is valid UTF-8"}
}

// Rehearsal is the tag of records that come from a rehearsal.
const Rehearsal = "rehearsal"

// Rehearsed reports whether a version comes from a rehearsal, so that it is not a real finding.
func Rehearsed(r *Record) bool { return slices.Contains(r.Tags, Rehearsal) }

// Head summarises all versions of one record.
type Head struct {
	ID        string
	Latest    int // its highest version
	Canonical int // its canonical version; 0 for none
	// Type, Module, Status and Summary are those of the standing version.
	Type    string
	Module  string
	Status  string
	Summary string
	// Tips is the number of branch tips in use; more than one is a fork. Tip is the highest.
	Tips, Tip int
	At        time.Time // when its newest version was put
}

// Standing returns the canonical version, else the latest branch tip that was not abandoned.
func (h *Head) Standing() Ref {
	if h.Canonical > 0 {
		return Ref{h.ID, h.Canonical}
	}
	return Ref{h.ID, h.Tip}
}

// Forked reports whether the record has several branch tips.
func (h *Head) Forked() bool { return h.Tips > 1 }

// Count is the number of records of a type, a module and a status, each by its standing version.
type Count struct {
	Type    string `json:"type"`
	Module  string `json:"module"`
	Status  string `json:"status"`
	Records int    `json:"records"`
}

// Mark sets the status of a version. Marks are append-only; the last one holds, else the status
// that the version was put with.
//
// The status Canonical makes the version its record's canonical one; Was is the previous canonical
// version known to the writer, or 0. Draft, Alternative and Deprecated take canonicity away. The
// other statuses keep it: a canonical version that needs an update is still canonical.
type Mark struct {
	ID      string
	Version int
	Status  string
	Was     int
	By      string
	Reason  string
	At      time.Time
}

// Ref returns the version that is marked.
func (m *Mark) Ref() Ref { return Ref{m.ID, m.Version} }

// Statuses returns all statuses.
func Statuses() []string {
	return []string{Draft, Canonical, Alternative, Deprecated, NeedsRebase, NeedsUpdate}
}

// KeepsCanonical reports whether a canonical version stays so when it gets the status.
func KeepsCanonical(status string) bool {
	return status == Canonical || status == NeedsRebase || status == NeedsUpdate
}

// Check returns an error for a mark that is invalid in every store.
func (m *Mark) Check() error {
	var detail string
	switch {
	case m.ID == "" || m.Version < 1:
		detail = "no version given"
	case !slices.Contains(Statuses(), m.Status):
		detail = "unknown status " + fault.Shown(m.Status)
	case m.By == "" || m.Reason == "":
		detail = "the author or the reason is missing"
	case !utf8.ValidString(m.ID) || !utf8.ValidString(m.By) || !utf8.ValidString(m.Reason):
		detail = "it is not valid UTF-8"
	case m.At.IsZero() || m.At.UTC().Year() < 1 || m.At.UTC().Year() > 9999:
		detail = "the time is missing or out of range"
	default:
		return nil
	}
	return &fault.Error{
		Code: Invalid, Op: "mark " + fault.Shown(m.Ref().String()), Detail: detail,
		Hint: "a mark has a version, a status, an author, a reason and a time",
	}
}

// Link is a typed reference to a version of another record.
type Link struct {
	Relation string `json:"relation"`
	ID       string `json:"id"`
	Version  int    `json:"version"`
}

// Ref returns the target of the link.
func (l Link) Ref() Ref { return Ref{l.ID, l.Version} }

// The relations.
const (
	Cites       = "cites"
	DerivesFrom = "derives_from"
	RepliesTo   = "replies_to"
	Summarises  = "summarises"
	Supersedes  = "supersedes"
	Refutes     = "refutes"
)

// Relations returns all relations.
func Relations() []string {
	return []string{Cites, DerivesFrom, RepliesTo, Summarises, Supersedes, Refutes}
}

// IsRelation reports whether word is a relation.
func IsRelation(word string) bool { return slices.Contains(Relations(), word) }

// Depends reports whether the source of such a link depends on its target, and is stale when the
// target changes. A reply does not depend on what it answers, nor a version on what it supersedes.
func Depends(relation string) bool {
	switch relation {
	case Cites, DerivesFrom, Summarises, Refutes:
		return true
	}
	return false
}

// DependsOnAny reports whether one of the links is a dependency.
func DependsOnAny(links []Link) bool {
	return slices.ContainsFunc(links, func(l Link) bool { return Depends(l.Relation) })
}

// Ref identifies a version of a record; version 0 means any.
type Ref struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
}

// Name returns the ref as String does, or "" for the zero value.
func (r Ref) Name() string {
	if r == (Ref{}) {
		return ""
	}
	return r.String()
}

func (r Ref) String() string {
	if r.Version == 0 {
		return r.ID
	}
	return r.ID + "@v" + strconv.Itoa(r.Version)
}

// Edge is a link with its source version.
type Edge struct {
	From     Ref
	Relation string
	To       Ref
}

// CompareEdges orders edges by source, then target, then relation.
func CompareEdges(a, b Edge) int {
	return cmp.Or(CompareRefs(a.From, b.From), CompareRefs(a.To, b.To), cmp.Compare(a.Relation, b.Relation))
}
