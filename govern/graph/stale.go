package graph

import (
	"context"
	"maps"
	"slices"
	"strings"

	"brenner/govern/policy"
	"brenner/store"
	"brenner/store/record"
)

// Stale is a version that depends on what no longer holds.
type Stale struct {
	Ref    record.Ref `json:",embed"`
	Type   string     `json:"type"`
	Module string     `json:"module"`
	// Because is its direct dependency that is not current.
	Because string `json:"because"`
}

// Unmarked finds the relevant versions that are stale, but not marked: an older program or an
// import put them.
func (src Source) Unmarked(ctx context.Context) ([]Stale, error) {
	marks, err := src.Store.Marks(ctx, "")
	if err != nil {
		return nil, err
	}
	forked, err := src.Store.Heads(ctx, store.HeadQuery{Forked: true})
	if err != nil {
		return nil, err
	}
	lapsed := make(map[string]bool) // records of which a version may have lapsed
	for _, m := range marks {
		if !policy.IsStale(m.Status) && (m.Status != record.Canonical || m.Version > 1) {
			lapsed[m.ID] = true
		}
	}
	for i := range forked {
		lapsed[forked[i].ID] = true
	}
	var refs []record.Ref
	for _, id := range slices.Sorted(maps.Keys(lapsed)) {
		refs = append(refs, record.Ref{ID: id})
	}
	if len(refs) == 0 {
		return nil, nil
	}
	edges, err := src.Store.Edges(ctx, store.EdgeQuery{To: refs})
	if err != nil {
		return nil, err
	}
	linked := make(map[string]bool)
	for _, e := range edges {
		if e.From.ID != e.To.ID {
			linked[e.To.ID] = true
		}
	}
	return src.FindStale(ctx, nil, slices.Sorted(maps.Keys(linked))...)
}

// FindStale finds the relevant versions that rest on lapsed versions of records and are not marked yet,
// nearest first. Marks that are pending count.
func (src Source) FindStale(ctx context.Context, pending []record.Mark, ids ...string) ([]Stale, error) {
	g := src.Graph(pending...)
	var out []Stale
	tested := make(map[record.Ref]bool)
	for _, id := range ids {
		rests, err := g.allBelow(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, one := range rests {
			if tested[one.from] {
				continue
			}
			tested[one.from] = true
			s, err := g.toMark(ctx, one)
			if err != nil {
				return nil, err
			}
			if s != nil {
				out = append(out, *s)
			}
		}
	}
	return out, nil
}

// isStage reports whether a message shows an earlier version of its own session's artifact. What an agent
// made from it is not outdated because the session continues.
func isStage(one rest) bool { return strings.HasPrefix(one.from.ID, "kickoff/"+one.to.ID+"/") }

// allBelow returns the versions of other records that rest on lapsed versions of a record, nearest
// first, each once.
func (g *Graph) allBelow(ctx context.Context, id string) ([]rest, error) {
	h, err := g.HistoryOf(ctx, id)
	if err != nil {
		return nil, err
	}
	var level []record.Ref
	for i := range h.Versions {
		if h.Lapsed(i + 1) {
			level = append(level, h.Versions[i].Ref())
		}
	}
	var all []rest
	seen := make(map[record.Ref]bool)
	for len(level) > 0 {
		rests, err := g.below(ctx, level)
		if err != nil {
			return nil, err
		}
		level = nil
		for _, one := range rests {
			if !seen[one.from] && one.from.ID != id && !(one.to.ID == id && isStage(one)) {
				seen[one.from] = true
				level, all = append(level, one.from), append(all, one)
			}
		}
	}
	return all, nil
}

// toMark returns a stale version if it is to be marked: it is relevant, and not marked yet.
func (g *Graph) toMark(ctx context.Context, one rest) (*Stale, error) {
	h, err := g.Head(ctx, one.from.ID)
	if err != nil || policy.NeverStale(h.Type) {
		return nil, err
	}
	relevant, err := g.IsRelevant(ctx, &h, one.from.Version)
	if err != nil {
		return nil, err
	}
	r, err := g.Version(ctx, one.from, h.Latest)
	if err != nil {
		return nil, err
	}
	for _, m := range g.pending {
		if m.Ref() == one.from {
			r.Status = m.Status
			relevant = relevant || m.Status == record.Canonical
		}
	}
	if !relevant || policy.IsStale(r.Status) || r.Status == record.Deprecated {
		return nil, nil
	}
	return &Stale{Ref: one.from, Type: r.Type, Module: r.Module, Because: one.via.String()}, nil
}

// Parts of the reason of a mark.
const (
	RestsOn    = "it rests on "
	NotCurrent = ", which is not current"
)

// StillTrue reports whether the reason of a mark is true, given what no longer holds.
func (g *Graph) StillTrue(ctx context.Context, reason string, found []Origin) (bool, error) {
	name, isOne := strings.CutPrefix(strings.TrimSuffix(reason, NotCurrent), RestsOn)
	if !isOne || slices.ContainsFunc(found, func(o Origin) bool { return o.Through.String() == name }) {
		return reason != "", nil
	}
	a, err := record.ParseAddress(name)
	if err != nil {
		return false, err
	}
	h, err := g.Head(ctx, a.ID) // the inputs of a task are what was found
	return h.Type == record.TaskSpec, err
}

// ChangedInputs is the cause of a version that was put with outdated inputs.
const ChangedInputs = "inputs that changed before it was put"

// MarkReason returns why a version was last marked as stale.
func (g *Graph) MarkReason(ctx context.Context, r *record.Record) (reason string, err error) {
	h, err := g.HistoryOf(ctx, r.ID)
	if err != nil {
		return "", err
	}
	for _, m := range h.Marks {
		if m.Version == r.Version && policy.IsStale(m.Status) {
			reason = m.Reason
		}
	}
	return reason, nil
}

// CauseGone says what a marked version rests on, if all of that holds now.
func (g *Graph) CauseGone(ctx context.Context, r *record.Record) (string, error) {
	h, err := g.HistoryOf(ctx, r.ID)
	if err != nil {
		return "", err
	}
	reason, err := g.MarkReason(ctx, r)
	if err != nil {
		return "", err
	}
	switch name, ok := strings.CutPrefix(reason, RestsOn); {
	case ok:
		return strings.TrimSuffix(name, NotCurrent) + ", which was not current when it was marked", nil
	case h.Stale(r.Version) == record.NeedsUpdate && record.DependsOnAny(r.Links):
		return "versions that were not current when it was marked", nil
	case h.Stale(r.Version) == record.NeedsUpdate:
		return "what an earlier version of it rested on: it names no inputs itself", nil
	}
	for i := range h.Versions[:r.Version-1] {
		if r.Parent > 0 && h.Versions[i].Parent == r.Parent {
			return record.Ref{ID: r.ID, Version: r.Parent}.String() + ", which had a newer version when it was put", nil
		}
	}
	return ChangedInputs, nil
}
