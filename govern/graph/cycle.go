package graph

import (
	"context"
	"slices"

	"brenner/store"
	"brenner/store/record"
)

// Pending is a store, and versions that are about to be stored.
type Pending struct {
	Source
	Fresh map[record.Ref]*record.Record
}

// Cycle returns the versions over which a record would depend on itself by its links, or nil. A review is about
// an earlier version on purpose, so the version that takes it up does not depend on itself.
func (p *Pending) Cycle(ctx context.Context, r *record.Record, links []record.Link) ([]record.Ref, error) {
	if r.Version == 1 {
		return nil, nil // nothing can link to it yet
	}
	path, err := p.cycle(ctx, r, links, "")
	if path != nil && r.Type != record.Review {
		path, err = p.cycle(ctx, r, links, record.Review)
	}
	return path, err
}

// without returns the versions that are not of a type, which may be "".
func (p *Pending) without(ctx context.Context, kind string, refs []record.Ref) ([]record.Ref, error) {
	if kind == "" {
		return refs, nil
	}
	var out []record.Ref
	for _, ref := range refs {
		is, err := p.IsA(ctx, ref, kind)
		if err != nil {
			return nil, err
		}
		if !is {
			out = append(out, ref)
		}
	}
	return out, nil
}

// cycle returns the first cycle, except those over a type, which may be "".
func (p *Pending) cycle(ctx context.Context, r *record.Record, links []record.Link, except string) ([]record.Ref, error) {
	prev := make(map[record.Ref]record.Ref)
	var level []record.Ref
	for _, l := range links {
		if record.Depends(l.Relation) {
			level = append(level, l.Ref())
		}
	}
	for len(level) > 0 {
		var stored, next []record.Ref
		passed, err := p.without(ctx, except, level)
		if err != nil {
			return nil, err
		}
		for _, ref := range passed {
			if fresh, ok := p.Fresh[ref]; ok && ref.ID != r.ID {
				next = visitFresh(prev, next, fresh)
				continue
			}
			if ref.ID != r.ID {
				stored = append(stored, ref)
				continue
			}
			if revised, err := p.isOwnTask(ctx, prev[ref], links); err != nil || !revised {
				return pathTo(prev, ref), err
			}
		}
		edges, err := p.Store.Edges(ctx, store.EdgeQuery{From: stored})
		if err != nil {
			return nil, err
		}
		for _, e := range edges {
			next = visit(prev, next, e)
		}
		level = next
	}
	return nil, nil
}

// isOwnTask reports whether a version is a task of a record with these links. Its own task may be to revise it; a
// task of one of its dependencies may not.
func (p *Pending) isOwnTask(ctx context.Context, ref record.Ref, links []record.Link) (bool, error) {
	is, err := p.IsA(ctx, ref, record.TaskSpec)
	return is && slices.ContainsFunc(links, func(l record.Link) bool { return l.Ref() == ref }), err
}

// IsA reports whether a version, stored or not, is of a type.
func (p *Pending) IsA(ctx context.Context, ref record.Ref, kind string) (bool, error) {
	if ref == (record.Ref{}) {
		return false, nil
	}
	if fresh, ok := p.Fresh[ref]; ok {
		return fresh.Type == kind, nil
	}
	found, err := p.Store.Records(ctx, store.Query{ID: ref.ID, Version: ref.Version, Type: kind})
	return len(found) > 0, err
}

func visitFresh(prev map[record.Ref]record.Ref, next []record.Ref, fresh *record.Record) []record.Ref {
	for _, l := range fresh.Links {
		next = visit(prev, next, record.Edge{From: fresh.Ref(), Relation: l.Relation, To: l.Ref()})
	}
	return next
}

func visit(prev map[record.Ref]record.Ref, next []record.Ref, e record.Edge) []record.Ref {
	if _, seen := prev[e.To]; seen || !record.Depends(e.Relation) {
		return next
	}
	prev[e.To] = e.From
	return append(next, e.To)
}

func pathTo(prev map[record.Ref]record.Ref, at record.Ref) []record.Ref {
	path := []record.Ref{at}
	for from, ok := prev[at]; ok; from, ok = prev[from] {
		path = append(path, from)
	}
	slices.Reverse(path)
	return path
}
