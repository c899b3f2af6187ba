package govern

import (
	"context"

	"brenner/store"
	"brenner/store/record"
)

// staleFrom is a record whose canonical version moved: whoever rests on another
// version than now is stale. Now 0 means that no version of it holds. With only,
// nothing moved but that those versions do not hold any more.
type staleFrom struct {
	id   string
	now  int
	only []int
}

// refs gives the versions that whoever is stale points at.
func (f *staleFrom) refs() []record.Ref {
	if len(f.only) == 0 {
		return []record.Ref{{ID: f.id}}
	}
	var all []record.Ref
	for _, v := range f.only {
		all = append(all, record.Ref{ID: f.id, Version: v})
	}
	return all
}

// stale finds everything that rests on what does not hold any more, step by step,
// the nearest first. Task specs pin old versions on purpose, and reviews are about
// one version: neither becomes stale, but what was made from a task does. What was
// sent and said in a session stays what it was, and what came of it is stale.
func (d *Door) stale(ctx context.Context, from []staleFrom) ([]Stale, error) {
	var out []Stale
	seen := make(map[record.Ref]bool)
	now := make(map[string]int)
	var level []record.Ref
	for _, f := range from {
		now[f.id] = f.now
		level = append(level, f.refs()...)
	}
	for len(level) > 0 {
		edges, _, err := d.edges(ctx, store.EdgeQuery{To: level})
		if err != nil {
			return nil, err
		}
		var next []record.Ref
		for _, e := range edges {
			current, moved := now[e.To.ID]
			if !record.Depends(e.Relation) && e.Relation != record.RepliesTo || seen[e.From] || moved && e.To.Version == current {
				continue
			}
			if _, itself := now[e.From.ID]; itself {
				continue
			}
			passed, marked, err := d.becomesStale(ctx, e)
			if err != nil {
				return nil, err
			}
			seen[e.From] = passed
			if marked != nil {
				out = append(out, *marked)
			}
			if passed {
				next = append(next, e.From)
			}
		}
		level = next
	}
	return out, nil
}

// becomesStale decides about one version that rests on something stale: whether
// what rests on it is stale too, and whether it is to be marked itself. Only a
// version that counts is.
func (d *Door) becomesStale(ctx context.Context, e record.Edge) (passed bool, marked *Stale, err error) {
	h, err := d.whole(ctx, e.From.ID)
	if err != nil {
		return false, nil, err
	}
	kind, _ := d.Types.Find(h.Type)
	switch {
	case kind.Raw: // the answer to what was sent carries it on
		return true, nil, nil
	case h.Type == record.Review || !record.Depends(e.Relation):
		return false, nil, nil
	case h.Type == record.TaskSpec:
		return true, nil, nil
	}
	if counts, err := d.counts(ctx, &h, e.From.Version); err != nil || !counts {
		return false, nil, err
	}
	r, err := d.version(ctx, e.From, h.Latest)
	if err != nil || r.Status == record.Deprecated {
		return false, nil, err
	}
	if r.Status == record.NeedsUpdate || r.Status == record.NeedsRebase {
		return true, nil, nil
	}
	return true, &Stale{Ref: e.From, Type: r.Type, Module: r.Module, Because: e.To.String()}, nil
}
