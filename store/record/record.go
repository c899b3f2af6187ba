// Package record is the typed, versioned record of the store as a value: what
// policy and views reason about. It is pure: it holds hashes of contents, never
// the contents.
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

// Rehearsal is the tag of what comes from a rehearsal.
const Rehearsal = "rehearsal"

// Rehearsed tells whether a version comes from a rehearsal: nobody thought of what
// it says.
func Rehearsed(r *Record) bool { return slices.Contains(r.Tags, Rehearsal) }

// Head is what a list says of one record: all its versions together.
type Head struct {
	ID        string
	Latest    int // its highest version
	Canonical int // its canonical version; 0 for none
	// Type, Module, Status and Summary are those of the standing version.
	Type    string
	Module  string
	Status  string
	Summary string
	// Tips is how many versions nobody has gone on from, or given up. More than one
	// are a fork. Tip is the highest of them.
	Tips, Tip int
	At        time.Time // when its newest version was put
}

// Standing gives the version that counts: the canonical one, else the latest that
// ends a way which nobody gave up.
func (h *Head) Standing() Ref {
	if h.Canonical > 0 {
		return Ref{h.ID, h.Canonical}
	}
	return Ref{h.ID, h.Tip}
}

// Forked tells whether the record has versions that go different ways.
func (h *Head) Forked() bool { return h.Tips > 1 }

// Count is how many records of a type, a module and a status there are, each by
// its standing version.
type Count struct {
	Type    string `json:"type"`
	Module  string `json:"module"`
	Status  string `json:"status"`
	Records int    `json:"records"`
}

// Mark gives a version a status. Marks are only ever added; the status that holds
// is that of the last one, or the one that the version was put with.
//
// The status Canonical makes the version its record's canonical one; Was is the
// version that was it before as far as the writer knows, or 0. Draft, Alternative
// and Deprecated take that away from a version that was it; the other statuses
// leave it: a canonical version that needs an update is still the canonical one.
type Mark struct {
	ID      string
	Version int
	Status  string
	Was     int
	By      string
	Reason  string
	At      time.Time
}

// Ref gives the version that is marked.
func (m *Mark) Ref() Ref { return Ref{m.ID, m.Version} }

// Statuses gives all statuses.
func Statuses() []string {
	return []string{Draft, Canonical, Alternative, Deprecated, NeedsRebase, NeedsUpdate}
}

// KeepsCanonical tells whether a canonical version that gets a status stays it.
func KeepsCanonical(status string) bool {
	return status == Canonical || status == NeedsRebase || status == NeedsUpdate
}

// Check says what is wrong with a mark whatever the store holds.
func (m *Mark) Check() error {
	var detail string
	switch {
	case m.ID == "" || m.Version < 1:
		detail = "it names no version"
	case !slices.Contains(Statuses(), m.Status):
		detail = "there is no status " + fault.Shown(m.Status)
	case m.By == "" || m.Reason == "":
		detail = "it needs a name and a reason"
	case !utf8.ValidString(m.ID) || !utf8.ValidString(m.By) || !utf8.ValidString(m.Reason):
		detail = "it is not UTF-8"
	case m.At.IsZero() || m.At.UTC().Year() < 1 || m.At.UTC().Year() > 9999:
		detail = "the time is missing, or no instant"
	default:
		return nil
	}
	return &fault.Error{
		Code: Invalid, Op: "mark " + fault.Shown(m.Ref().String()), Detail: detail,
		Hint: "a mark has a version, a status, a name, a reason and a time",
	}
}

// Link is a typed reference to a version of another record.
type Link struct {
	Relation string `json:"relation"`
	ID       string `json:"id"`
	Version  int    `json:"version"`
}

// Ref gives what the link points at.
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

// Relations gives all relations.
func Relations() []string {
	return []string{Cites, DerivesFrom, RepliesTo, Summarises, Supersedes, Refutes}
}

// IsRelation tells whether a word is one of the relations.
func IsRelation(word string) bool { return slices.Contains(Relations(), word) }

// Depends tells whether what has such a link rests on what it points at: then it
// is stale when that changes. A reply stays the reply to what was said, and what
// was superseded does not matter any more.
func Depends(relation string) bool {
	switch relation {
	case Cites, DerivesFrom, Summarises, Refutes:
		return true
	}
	return false
}

// Ref names a version of a record; version 0 stands for any.
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

// Edge is a link with the version that has it.
type Edge struct {
	From     Ref
	Relation string
	To       Ref
}

// CompareEdges orders edges by where they begin, then by where they lead, then by what
// they say.
func CompareEdges(a, b Edge) int {
	return cmp.Or(CompareRefs(a.From, b.From), CompareRefs(a.To, b.To), cmp.Compare(a.Relation, b.Relation))
}
