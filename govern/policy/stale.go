package policy

import (
	"maps"
	"slices"

	"brenner/store/record"
)

// NeverStale reports whether a type is about old versions on purpose. What was made from such a
// record can be stale.
func NeverStale(kind string) bool {
	switch kind {
	case record.TaskSpec, record.Review, record.StalemateRequest, record.StalemateVerdict:
		return true
	}
	return record.IsRaw(kind)
}

// IsStale reports whether a status marks a stale version.
func IsStale(status string) bool { return status == record.NeedsUpdate || status == record.NeedsRebase }

// History is everything that was decided about the versions of a record.
type History struct {
	Versions []record.Record // with their first statuses
	Marks    []record.Mark
	Tips     []int
}

// Canonical returns the canonical version, or 0.
func (h *History) Canonical() int {
	canonical := 0
	for _, m := range h.Marks {
		switch {
		case m.Status == record.Canonical:
			canonical = m.Version
		case m.Version == canonical && !record.KeepsCanonical(m.Status):
			canonical = 0
		}
	}
	return canonical
}

// decided returns the last status of a version other than needs_update and needs_rebase, and
// whether a mark set it.
func (h *History) decided(version int) (status string, marked bool) {
	if status = h.Versions[version-1].Status; IsStale(status) {
		status = record.Draft
	}
	for _, m := range h.Marks {
		if m.Version == version && !IsStale(m.Status) {
			status, marked = m.Status, true
		}
	}
	return status, marked
}

// Stale returns needs_update or needs_rebase, or "". Only a promotion ends it: what displaces or
// deprecates a version does not.
func (h *History) Stale(version int) string {
	status := ""
	if first := h.Versions[version-1].Status; IsStale(first) {
		status = first
	}
	for _, m := range h.Marks {
		switch {
		case m.Version != version:
		case IsStale(m.Status):
			status = m.Status
		case m.Status == record.Canonical:
			status = ""
		}
	}
	return status
}

// Lapsed reports whether a version was superseded, set aside or withdrawn, or was never chosen. A
// draft that is ahead of the canonical version holds. Messages, tasks and rulings say what
// happened, which stays true.
func (h *History) Lapsed(version int) bool {
	canonical := h.Canonical()
	kind := h.Versions[version-1].Type
	switch status, marked := h.decided(version); {
	case version == canonical, NeverStale(kind) && kind != record.Review:
		return false
	case version < canonical, status == record.Deprecated, status == record.Alternative && (marked || canonical > 0):
		return true
	}
	return h.continued(version) || canonical == 0 && !slices.ContainsFunc(h.Tips, h.InUse)
}

// InUse reports whether a version is not deprecated.
func (h *History) InUse(version int) bool {
	status, _ := h.decided(version)
	return status != record.Deprecated
}

// SetAside reports whether something else was chosen instead of a version.
func (h *History) SetAside(version int) bool {
	status, marked := h.decided(version)
	return status == record.Alternative && marked
}

// WasCanonical reports whether a version was ever promoted.
func (h *History) WasCanonical(version int) bool {
	return slices.ContainsFunc(h.Marks, func(m record.Mark) bool { return m.Version == version && m.Status == record.Canonical })
}

// Ended returns what is to be set aside if another record supersedes a version: it, and the
// canonical version that it continues. What says what happened, and what was set aside before,
// stays as it is.
func (h *History) Ended(version int) []int {
	if NeverStale(h.Versions[version-1].Type) {
		return nil
	}
	var out []int
	for v := version; v > 0; v = h.Versions[v-1].Parent {
		if v == h.Canonical() || v == version && h.InUse(v) && !h.SetAside(v) {
			out = append(out, v)
		}
	}
	return out
}

// continued reports whether a version that continues this one was canonical once.
func (h *History) continued(version int) bool {
	return slices.ContainsFunc(h.Marks, func(m record.Mark) bool {
		if m.Status != record.Canonical || m.Version <= version {
			return false
		}
		v := m.Version
		for v > version {
			v = h.Versions[v-1].Parent
		}
		return v == version
	})
}

// Standing is the state of a version that others rest on.
type Standing struct {
	Lapsed bool
	Stale  string
	// Settled means that its status says everything: if it is not stale, nothing that it rests on
	// has lapsed. Versions that are no longer relevant are not marked.
	Settled bool
}

// Tracing is what was read about the versions that one rests on.
type Tracing struct {
	Dependents map[record.Ref][]record.Ref
	Sources    map[string][]record.Ref // what lapsed, by record
	// Stages are the messages that show an earlier version of their own session's artifact: a later
	// version does not end what was made from them.
	Stages  map[record.Ref]record.Ref
	rebases []record.Ref // what needs a rebase
	updates []record.Ref // what needs an update
}

// Add adds a version and its state.
func (t *Tracing) Add(self string, ref record.Ref, s Standing) {
	switch {
	case s.Lapsed:
		t.Sources[ref.ID] = append(t.Sources[ref.ID], ref)
	case s.Stale == record.NeedsRebase && ref.ID != self:
		t.rebases = append(t.rebases, ref)
	case s.Stale == record.NeedsUpdate && ref.ID != self:
		t.updates = append(t.updates, ref)
	}
}

// Spread returns what no longer holds, and a source of it each. A mark whose cause is gone still
// counts; one that only the record itself has caused does not.
func (t *Tracing) Spread(self string) map[record.Ref]record.Ref {
	found := make(map[record.Ref]record.Ref)
	for _, id := range slices.Sorted(maps.Keys(t.Sources)) {
		if id != self {
			t.from(found, t.Sources[id], t.Stages)
		}
	}
	for _, ref := range t.rebases {
		t.from(found, []record.Ref{ref}, nil)
	}
	own := make(map[record.Ref]record.Ref)
	t.from(own, t.Sources[self], nil)
	left := slices.DeleteFunc(slices.Clone(t.updates), func(ref record.Ref) bool {
		_, explained := found[ref]
		_, itself := own[ref]
		return explained || itself
	})
	for _, ref := range left {
		t.from(found, []record.Ref{ref}, nil)
	}
	return found
}

// from adds what rests on versions of one record, without a way through others of that record, or from
// a source to a stage of it.
func (t *Tracing) from(found map[record.Ref]record.Ref, sources []record.Ref, stages map[record.Ref]record.Ref) {
	seen := make(map[record.Ref]bool)
	for _, source := range sources {
		level := []record.Ref{source}
		for len(level) > 0 {
			var next []record.Ref
			for _, ref := range level {
				if seen[ref] {
					continue
				}
				seen[ref] = true
				if _, known := found[ref]; !known {
					found[ref] = source
				}
				for _, from := range t.Dependents[ref] {
					if from.ID != source.ID && (ref != source || stages[from] != ref) {
						next = append(next, from)
					}
				}
			}
			level = next
		}
	}
}
