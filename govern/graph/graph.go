// Package graph reads what versions of records rest on, and which of them no longer hold. It writes nothing.
//
// A version no longer holds if it lapsed (see policy.History.Lapsed), or if it is stale: it rests on one
// that no longer holds, over any number of links. A path that leads through another version of
// the lapsed record does not count, for that version took its place.
//
// A version rests on what its links depend on. The result of a task rests on the inputs of the
// task, except on versions of its own record, which it revises. A research artifact also rests on
// its parent, since its text was made from it. A later version of a session's artifact does not outdate
// what its agents made from an earlier one; what that one rests on does.
package graph

import (
	"context"
	"slices"

	"brenner/govern/policy"
	"brenner/store"
	"brenner/store/record"
)

// ReadHistory returns the versions, marks and tips of a record; its pending marks count.
func (src Source) ReadHistory(ctx context.Context, id string, pending []record.Mark) (*policy.History, error) {
	h := &policy.History{}
	var err error
	if h.Versions, err = src.Store.Records(ctx, store.Query{ID: id, Initial: true}); err != nil {
		return nil, err
	}
	if h.Marks, err = src.Store.Marks(ctx, id); err != nil {
		return nil, err
	}
	for _, m := range pending {
		if m.ID == id {
			h.Marks = append(h.Marks, m)
		}
	}
	h.Tips, err = src.Store.Tips(ctx, id)
	return h, err
}

// Graph answers what versions rest on. It reads each record once.
type Graph struct {
	Source
	HeadOf    func(context.Context, string) (record.Head, error)
	Fresh     map[record.Ref]*record.Record // not stored yet
	Holds     map[record.Ref]bool           // nothing lapsed above them
	pending   []record.Mark                 // not stored yet
	heads     map[string]record.Head
	histories map[string]*policy.History
}

// Graph returns a graph in which marks that are not stored yet count.
func (src Source) Graph(pending ...record.Mark) *Graph {
	return &Graph{Source: src, HeadOf: src.HeadByID, pending: pending, heads: make(map[string]record.Head), histories: make(map[string]*policy.History), Holds: make(map[record.Ref]bool)}
}

// Head returns the head of a record.
func (g *Graph) Head(ctx context.Context, id string) (record.Head, error) {
	if h, known := g.heads[id]; known {
		return h, nil
	}
	h, err := g.HeadOf(ctx, id)
	if err == nil {
		g.heads[id] = h
	}
	return h, err
}

// HistoryOf returns the history of a record, with its versions that are not stored yet.
func (g *Graph) HistoryOf(ctx context.Context, id string) (*policy.History, error) {
	if h := g.histories[id]; h != nil {
		return h, nil
	}
	h, err := g.ReadHistory(ctx, id, g.pending)
	if err != nil {
		return nil, err
	}
	h.Versions, h.Tips = slices.Clone(h.Versions), slices.Clone(h.Tips)
	for {
		r, ok := g.Fresh[record.Ref{ID: id, Version: len(h.Versions) + 1}]
		if !ok {
			break
		}
		h.Versions = append(h.Versions, *r)
		h.Tips = append(slices.DeleteFunc(h.Tips, func(tip int) bool { return tip == r.Parent }), r.Version)
	}
	g.histories[id] = h
	return h, nil
}

func (g *Graph) kind(ctx context.Context, ref record.Ref) (string, error) {
	if r, fresh := g.Fresh[ref]; fresh {
		return r.Type, nil
	}
	h, err := g.Head(ctx, ref.ID)
	return h.Type, err
}

// rest is one version that rests on another. Via is the target of its link: that version, or a
// task that has it as an input.
type rest struct{ from, to, via record.Ref }

// follow returns the links by which the source rests on the target.
func (g *Graph) follow(ctx context.Context, edges []record.Edge) ([]rest, error) {
	var out []rest
	for _, e := range edges {
		if !record.Depends(e.Relation) {
			if e.Relation != record.RepliesTo {
				continue
			}
			kind, err := g.kind(ctx, e.From) // a message passes on what it answers
			if err != nil {
				return nil, err
			}
			if !record.IsRaw(kind) {
				continue
			}
		}
		out = append(out, rest{e.From, e.To, e.To})
	}
	return out, nil
}

// above returns what versions rest on.
func (g *Graph) above(ctx context.Context, refs []record.Ref) ([]rest, error) {
	var stored []record.Ref
	var edges []record.Edge
	var all []rest
	for _, ref := range refs {
		parent := 0
		if r, fresh := g.Fresh[ref]; fresh {
			for _, l := range r.Links {
				edges = append(edges, record.Edge{From: ref, Relation: l.Relation, To: l.Ref()})
			}
			parent = r.Parent
		} else {
			stored = append(stored, ref)
		}
		kind, err := g.kind(ctx, ref)
		if err != nil {
			return nil, err
		}
		if kind != record.ResearchArtifact {
			continue
		}
		if _, fresh := g.Fresh[ref]; !fresh {
			h, err := g.HistoryOf(ctx, ref.ID)
			if err != nil {
				return nil, err
			}
			parent = h.Versions[ref.Version-1].Parent
		}
		if parent > 0 {
			to := record.Ref{ID: ref.ID, Version: parent}
			all = append(all, rest{ref, to, to})
		}
	}
	if len(stored) > 0 {
		more, _, err := g.Edges(ctx, store.EdgeQuery{From: stored})
		if err != nil {
			return nil, err
		}
		edges = append(edges, more...)
	}
	linked, err := g.follow(ctx, edges)
	if err != nil {
		return nil, err
	}
	return g.passTasks(ctx, append(all, linked...), func(r rest) record.Ref { return r.to }, func(refs []record.Ref) store.EdgeQuery { return store.EdgeQuery{From: refs} },
		func(r rest, e record.Edge) (rest, bool) { return rest{r.from, e.To, r.via}, e.From == r.to })
}

// below returns what rests on versions.
func (g *Graph) below(ctx context.Context, refs []record.Ref) ([]rest, error) {
	edges, _, err := g.Edges(ctx, store.EdgeQuery{To: refs})
	if err != nil {
		return nil, err
	}
	all, err := g.follow(ctx, edges)
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		if kind, err := g.kind(ctx, ref); err != nil || kind != record.ResearchArtifact {
			if err != nil {
				return nil, err
			}
			continue
		}
		h, err := g.HistoryOf(ctx, ref.ID)
		if err != nil {
			return nil, err
		}
		for i := range h.Versions {
			if h.Versions[i].Parent == ref.Version {
				all = append(all, rest{h.Versions[i].Ref(), ref, ref})
			}
		}
	}
	return g.passTasks(ctx, all, func(r rest) record.Ref { return r.from }, func(refs []record.Ref) store.EdgeQuery { return store.EdgeQuery{To: refs} },
		func(r rest, e record.Edge) (rest, bool) { return rest{e.From, r.to, e.To}, e.To == r.from })
}

// passTasks replaces steps that end at a task by those that lead on from it.
func (g *Graph) passTasks(ctx context.Context, steps []rest, end func(rest) record.Ref, next func([]record.Ref) store.EdgeQuery, join func(rest, record.Edge) (rest, bool)) ([]rest, error) {
	var out []rest
	for len(steps) > 0 {
		var tasks []rest
		var refs []record.Ref
		for _, s := range steps {
			kind, err := g.kind(ctx, end(s))
			if err != nil {
				return nil, err
			}
			if kind != record.TaskSpec {
				out = append(out, s)
				continue
			}
			tasks, refs = append(tasks, s), append(refs, end(s))
		}
		if len(tasks) == 0 {
			break
		}
		edges, err := g.Store.Edges(ctx, next(refs))
		if err != nil {
			return nil, err
		}
		steps = nil
		for _, t := range tasks {
			for _, e := range edges {
				if s, joined := join(t, e); joined && record.Depends(e.Relation) && s.from.ID != s.to.ID && !slices.Contains(steps, s) {
					steps = append(steps, s)
				}
			}
		}
	}
	return out, nil
}

// Look returns whether a version holds by itself.
func (g *Graph) Look(ctx context.Context, ref record.Ref) (policy.Standing, error) {
	h, err := g.Head(ctx, ref.ID)
	if r, fresh := g.Fresh[ref]; fresh && err == nil {
		s := policy.Standing{Lapsed: r.Status == record.Alternative && h.Canonical > 0, Settled: !policy.NeverStale(r.Type) && !policy.IsStale(r.Status)}
		if policy.IsStale(r.Status) {
			s.Stale = r.Status
		}
		return s, nil
	}
	switch {
	case err != nil || ref.Version > h.Latest: // missing, which is reported elsewhere
		return policy.Standing{Settled: true}, err
	case record.IsRaw(h.Type):
		return policy.Standing{}, nil
	case ref == h.Standing() && (h.Status == record.Canonical || h.Status == record.Draft && ref.Version == h.Latest):
		return policy.Standing{Settled: !policy.NeverStale(h.Type)}, nil
	}
	t, err := g.HistoryOf(ctx, ref.ID)
	if err != nil {
		return policy.Standing{}, err
	}
	s := policy.Standing{Lapsed: t.Lapsed(ref.Version), Stale: t.Stale(ref.Version)}
	relevant := ref.Version == h.Canonical || ref.Version == h.Latest || slices.Contains(t.Tips, ref.Version)
	s.Settled = relevant && s.Stale == "" && t.InUse(ref.Version) && !policy.NeverStale(h.Type)
	return s, nil
}

// Outdated returns what a version rests on directly and that no longer holds, in the order of its
// links, each with its source. Its record is not its own source.
func (g *Graph) Outdated(ctx context.Context, r *record.Record) ([]Origin, error) {
	if policy.NeverStale(r.Type) {
		return nil, nil
	}
	rests, err := g.above(ctx, []record.Ref{r.Ref()})
	if err != nil {
		return nil, err
	}
	var direct []record.Ref
	for _, one := range rests {
		if !slices.Contains(direct, one.to) {
			direct = append(direct, one.to)
		}
	}
	return g.NoLongerHold(ctx, r.ID, direct)
}

// NoLongerHold returns which versions no longer hold for a record that rests on them.
func (g *Graph) NoLongerHold(ctx context.Context, self string, refs []record.Ref) ([]Origin, error) {
	t := &policy.Tracing{Dependents: make(map[record.Ref][]record.Ref), Sources: make(map[string][]record.Ref), Stages: make(map[record.Ref]record.Ref)}
	seen := make(map[record.Ref]bool)
	var settled []record.Ref
	left, err := g.climb(ctx, t, seen, refs, func(ref record.Ref, s policy.Standing) bool {
		t.Add(self, ref, s)
		if s.Settled {
			settled = append(settled, ref)
		}
		return !s.Settled
	})
	if err != nil {
		return nil, err
	}
	for _, ref := range left { // too many to examine: what was not shown to hold counts as lapsed
		t.Sources[ref.ID] = append(t.Sources[ref.ID], ref)
	}
	if err := g.beyond(ctx, t, seen, settled); err != nil {
		return nil, err
	}
	found := t.Spread(self)
	var out []Origin
	for _, ref := range refs {
		if from, ok := found[ref]; ok {
			out = append(out, Origin{Source: from, Through: ref})
		}
	}
	return out, nil
}

// climb visits versions and what they rest on, level by level, as long as visit says so. It
// returns those that it did not visit, since there are too many.
func (g *Graph) climb(ctx context.Context, t *policy.Tracing, seen map[record.Ref]bool, level []record.Ref, visit func(record.Ref, policy.Standing) bool) ([]record.Ref, error) {
	for _, ref := range level {
		seen[ref] = true
	}
	for first := len(seen); len(level) > 0 && len(seen)-first <= maxTraced; {
		var open []record.Ref
		for _, ref := range level {
			s, err := g.Look(ctx, ref)
			if err != nil {
				return nil, err
			}
			if visit(ref, s) {
				open = append(open, ref)
			}
		}
		level = nil
		rests, err := g.above(ctx, open)
		if err != nil {
			return nil, err
		}
		for _, one := range rests {
			t.Dependents[one.to] = append(t.Dependents[one.to], one.from)
			if isStage(one) {
				t.Stages[one.from] = one.to
			}
			if !seen[one.to] {
				seen[one.to] = true
				level = append(level, one.to)
			}
		}
	}
	return level, nil
}

// beyond looks for what lapsed above versions whose status says that nothing has: an import or an
// older program may have put them. If there is too much to examine, their status counts.
func (g *Graph) beyond(ctx context.Context, t *policy.Tracing, seen map[record.Ref]bool, settled []record.Ref) error {
	settled = slices.DeleteFunc(settled, func(ref record.Ref) bool { return g.Holds[ref] })
	if len(settled) == 0 {
		return nil
	}
	lapsed := false
	var visited []record.Ref
	_, err := g.climb(ctx, t, seen, settled, func(ref record.Ref, s policy.Standing) bool {
		if s.Lapsed && !slices.Contains(t.Sources[ref.ID], ref) {
			t.Sources[ref.ID], lapsed = append(t.Sources[ref.ID], ref), true
		}
		visited = append(visited, ref)
		return !g.Holds[ref]
	})
	if err != nil || lapsed {
		return err
	}
	for _, ref := range visited {
		g.Holds[ref] = true
	}
	return nil
}
