package record

import (
	"slices"
	"time"
	"unicode/utf8"

	"brenner/internal/fault"
)

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
