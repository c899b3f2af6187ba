// Package artifact models the research artifact: one section table, items with fields of a fixed
// set of kinds, stamps that record which delta wrote what, and two serialised forms. Canonical JSON
// is complete. Markdown carries all content except the stamps. Both forms round-trip.
//
// The package is pure. It must not know about deltas, merging or agents.
package artifact

import (
	"slices"
	"strings"
)

// Schema is the schema id of an artifact's JSON form.
const Schema = "brenner.artifact/v1"

// Artifact is one version of a research session's result.
type Artifact struct {
	Metadata Metadata
	// Sections holds the items, indexed by Section. The research thread has at most one item. Tests
	// are in rank order, all other items in id order.
	Sections [SectionCount][]*Item
	// Deltas holds the stamps of all deltas ever merged, including rejected ones, in merge order.
	// It is empty in an artifact without provenance.
	Deltas []*Stamp
}

// Metadata is the header of an artifact. Times are kept as written, so that lint can see bad ones.
type Metadata struct {
	SessionID       string
	CreatedAt       string
	UpdatedAt       string
	Version         int
	Status          string
	Rules           string // the merge rules that produced this version, such as "merge/1"
	ResearchProgram string
	Contributors    []Contributor
	Roster          Value // the roster specification as JSON, or nil
	Extra           Map   // unknown keys, preserved
}

// Rehearsal reports whether scripted agents played the session, so that it holds no real findings.
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
	// Asked is what was really asked, such as "llama3 at 127.0.0.1:8080", if known.
	Asked string
}

// Items returns the items of section s.
func (a *Artifact) Items(s Section) []*Item { return a.Sections[s] }

// Thread returns the research thread, or nil.
func (a *Artifact) Thread() *Item {
	if len(a.Sections[ResearchThread]) == 0 {
		return nil
	}
	return a.Sections[ResearchThread][0]
}

// Find returns the item with the given id, and its section.
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

// Active returns the items of section s that were not killed.
func (a *Artifact) Active(s Section) []*Item {
	var active []*Item
	for _, it := range a.Sections[s] {
		if !it.Killed() {
			active = append(active, it)
		}
	}
	return active
}

// HasContent reports whether any section holds an item.
func (a *Artifact) HasContent() bool {
	return slices.ContainsFunc(a.Sections[:], func(items []*Item) bool { return len(items) > 0 })
}

// HasProvenance reports whether the artifact records the deltas it came from.
func (a *Artifact) HasProvenance() bool { return len(a.Deltas) > 0 }

// WithoutProvenance returns the artifact without its provenance.
func (a *Artifact) WithoutProvenance() Artifact {
	out := Artifact{Metadata: a.Metadata}
	for s, items := range a.Sections {
		for _, it := range items {
			out.Sections[s] = append(out.Sections[s], it.withoutProvenance())
		}
	}
	return out
}

func (it *Item) withoutProvenance() *Item {
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

// IsThreadID reports whether id has the form ^RS-\d{8}-[a-z0-9-]{2,40}$ of a session's thread id.
// The id joins thread, artifact and store, and is used as a file name. The digits need not be a
// calendar date: an id that was accepted once can never be changed.
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
