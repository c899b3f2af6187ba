// Package artifact is the research artifact as a value: one section table, items
// with fields of closed kinds, stamps that say who wrote what, and two forms on
// paper. Canonical JSON is complete; Markdown is for people and carries all
// content but the stamps, and both read back to what was written.
//
// The package is pure. It knows nothing of deltas, of merging or of agents.
package artifact

import (
	"slices"
	"strings"
)

// Schema names the JSON form of an artifact.
const Schema = "brenner.artifact/v1"

// Artifact is one version of a research session's result.
type Artifact struct {
	Metadata Metadata
	// Sections hold the items, indexed by Section. The research thread has
	// one item or none; tests stand in rank order, the others by id.
	Sections [SectionCount][]*Item
	// Deltas are the stamps of all deltas that were ever merged, whatever
	// became of them, in the order of merging. Without them the artifact has
	// no provenance.
	Deltas []*Stamp
}

// Metadata is what stands in front of an artifact. Times are kept as they were
// written, so that a file with a wrong one can still be read and linted.
type Metadata struct {
	SessionID       string
	CreatedAt       string
	UpdatedAt       string
	Version         int
	Status          string
	Rules           string // the merge rules that made this version: "merge/1"
	ResearchProgram string
	Contributors    []Contributor
	Roster          Value // the roster specification's JSON, or nil
	Extra           Map   // keys that this program does not know: kept
}

// Rehearsal tells whether scripted agents played the session: nothing in it is
// anybody's work.
func (m *Metadata) Rehearsal() bool {
	v, _ := m.Extra.Get("rehearsal")
	return v == Bool(true)
}

// Contributor is an agent whose deltas were applied.
type Contributor struct {
	Agent         string
	Program       string
	Model         string
	ContributedAt string
}

// Items gives a section's items.
func (a *Artifact) Items(s Section) []*Item { return a.Sections[s] }

// Thread gives the research thread, or nil.
func (a *Artifact) Thread() *Item {
	if len(a.Sections[ResearchThread]) == 0 {
		return nil
	}
	return a.Sections[ResearchThread][0]
}

// Find gives the item with an id, and its section.
func (a *Artifact) Find(id string) (*Item, Section, bool) {
	s, ok := SectionOfID(id)
	if !ok {
		return nil, 0, false
	}
	for _, it := range a.Sections[s] {
		if it.ID == id {
			return it, s, true
		}
	}
	return nil, 0, false
}

// Active gives a section's items that were not killed.
func (a *Artifact) Active(s Section) []*Item {
	var active []*Item
	for _, it := range a.Sections[s] {
		if !it.Killed() {
			active = append(active, it)
		}
	}
	return active
}

// HasContent tells whether any section holds an item.
func (a *Artifact) HasContent() bool {
	return slices.ContainsFunc(a.Sections[:], func(items []*Item) bool { return len(items) > 0 })
}

// HasProvenance tells whether the artifact knows the deltas it came from.
func (a *Artifact) HasProvenance() bool { return len(a.Deltas) > 0 }

// Without gives the content alone: the artifact without its provenance.
func (a *Artifact) Without() Artifact {
	out := Artifact{Metadata: a.Metadata}
	for s, items := range a.Sections {
		for _, it := range items {
			out.Sections[s] = append(out.Sections[s], it.without())
		}
	}
	return out
}

func (it *Item) without() *Item {
	bare := &Item{ID: it.ID, Fields: it.Fields}
	if unresolved := it.Unresolved(); unresolved != nil {
		bare.rare().Unresolved = unresolved
	}
	if it.Kill != nil {
		k := *it.Kill
		k.Stamp = nil
		bare.Kill = &k
	}
	for _, c := range it.Cells() {
		c.Kill.Stamp = nil
		bare.rare().Cells = append(bare.rare().Cells, c)
	}
	return bare
}

// IsThreadID tells whether id can be the thread id of a research session,
// ^RS-\d{8}-[a-z0-9-]{2,40}$. It joins thread, artifact and store, and is used as
// a file name. Whether the digits are a day of the calendar is not asked: an id
// that was let in once can never be changed again.
func IsThreadID(id string) bool {
	rest, ok := strings.CutPrefix(id, "RS-")
	if !ok || len(rest) < 8+1+2 || len(rest) > 8+1+40 || rest[8] != '-' {
		return false
	}
	for i := range len(rest) {
		c := rest[i]
		digit := c >= '0' && c <= '9'
		switch {
		case i < 8 && !digit:
			return false
		case i > 8 && !digit && c != '-' && (c < 'a' || c > 'z'):
			return false
		}
	}
	return true
}
