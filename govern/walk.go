package govern

import (
	"context"
	"slices"

	"brenner/store"
	"brenner/store/record"
)

type origin struct {
	source  record.Ref // the source found
	through record.Ref // the direct dependency; equals source if that is direct
}

func (s origin) String() string {
	if s.through == s.source {
		return s.source.String()
	}
	return s.source.String() + ", through " + s.through.String()
}

// maxTraced bounds the versions examined for one question.
const maxTraced = 20_000

// traceSources walks up from versions, level by level, and returns those that are sources or
// depend on one. Complete reports whether all were examined.
func (rs *Records) traceSources(ctx context.Context, refs []record.Ref, isSource func(record.Ref) (bool, error)) (found map[record.Ref]origin, complete bool, err error) {
	found = make(map[record.Ref]origin)
	dependents := make(map[record.Ref][]record.Ref)
	seen := make(map[record.Ref]bool)
	var level []record.Ref
	visit := func(ref record.Ref) {
		if !seen[ref] {
			seen[ref] = true
			level = append(level, ref)
		}
	}
	for _, ref := range refs {
		visit(ref)
	}
	for len(level) > 0 && len(seen) <= maxTraced {
		edges, _, err := rs.edges(ctx, store.EdgeQuery{From: level})
		if err != nil {
			return nil, false, err
		}
		sources, err := filter(level, isSource)
		if err != nil {
			return nil, false, err
		}
		for _, ref := range sources {
			found[ref] = origin{source: ref, through: ref}
		}
		level = nil
		for _, e := range edges {
			if record.Depends(e.Relation) || e.Relation == record.RepliesTo {
				dependents[e.To] = append(dependents[e.To], e.From)
				visit(e.To)
			}
		}
	}
	propagate(found, dependents)
	return found, len(level) == 0, nil
}

// propagate adds everything that depends on what was found, with the same source.
func propagate(found map[record.Ref]origin, dependents map[record.Ref][]record.Ref) {
	var level []record.Ref
	for ref := range found {
		level = append(level, ref)
	}
	for len(level) > 0 {
		slices.SortFunc(level, record.CompareRefs) // of several sources, always choose the same
		var next []record.Ref
		for _, to := range level {
			for _, from := range dependents[to] {
				if _, known := found[from]; !known {
					found[from] = origin{source: found[to].source, through: to}
					next = append(next, from)
				}
			}
		}
		level = next
	}
}

// rehearsals finds versions that depend on rehearsals, and so are not real findings.
type rehearsals struct {
	*Records
	ids map[string]bool // of records that have a version from a rehearsal
}

func (rs *Records) rehearsals(ctx context.Context) (*rehearsals, error) {
	heads, err := rs.Store.Heads(ctx, store.HeadQuery{Tag: record.Rehearsal})
	if err != nil {
		return nil, err
	}
	p := &rehearsals{Records: rs, ids: make(map[string]bool, len(heads))}
	for i := range heads {
		p.ids[heads[i].ID] = true
	}
	return p, nil
}

func (p *rehearsals) findTainted(ctx context.Context, refs ...record.Ref) (found map[record.Ref]origin, complete bool, err error) {
	if len(p.ids) == 0 {
		return nil, true, nil
	}
	return p.traceSources(ctx, refs, func(ref record.Ref) (bool, error) { return p.isRehearsed(ctx, ref) })
}

func (p *rehearsals) isRehearsed(ctx context.Context, ref record.Ref) (bool, error) {
	if !p.ids[ref.ID] {
		return false, nil
	}
	r, err := p.lookup(ctx, ref)
	return r != nil && record.Rehearsed(r), err
}

// untainted returns the standing versions of records that do not depend on rehearsals.
func (p *rehearsals) untainted(ctx context.Context, heads []record.Head) ([]record.Ref, error) {
	refs := make([]record.Ref, len(heads))
	for i := range heads {
		refs[i] = heads[i].Standing()
	}
	found, _, err := p.findTainted(ctx, refs...)
	return slices.DeleteFunc(refs, func(ref record.Ref) bool { _, tainted := found[ref]; return tainted }), err
}

// staleFrom is a record whose canonical version moved: what depends on a version other than now is
// stale. Now 0 means that no version holds. If only is set, just those versions no longer hold.
type staleFrom struct {
	id   string
	now  int
	only []int
}

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

// stale finds everything that depends on what no longer holds, nearest first. Task specs,
// reviews and raw traffic do not become stale, but what was made from them does.
func (rs *Records) stale(ctx context.Context, from []staleFrom) ([]Stale, error) {
	var out []Stale
	seen := make(map[record.Ref]bool)
	now := make(map[string]int)
	var level []record.Ref
	for _, f := range from {
		now[f.id] = f.now
		level = append(level, f.refs()...)
	}
	for len(level) > 0 {
		edges, _, err := rs.edges(ctx, store.EdgeQuery{To: level})
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
			passed, marked, err := rs.becomesStale(ctx, e)
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

// becomesStale reports whether the dependents of a link's source are stale, too, and returns the
// source if it is to be marked: only a relevant version is.
func (rs *Records) becomesStale(ctx context.Context, e record.Edge) (passed bool, marked *Stale, err error) {
	h, err := rs.existingHead(ctx, e.From.ID)
	if err != nil {
		return false, nil, err
	}
	kind, _ := rs.Types.Find(h.Type)
	switch {
	case kind.Raw: // the reply to it passes it on
		return true, nil, nil
	case h.Type == record.Review || !record.Depends(e.Relation):
		return false, nil, nil
	case h.Type == record.TaskSpec:
		return true, nil, nil
	}
	if counts, err := rs.isRelevant(ctx, &h, e.From.Version); err != nil || !counts {
		return false, nil, err
	}
	r, err := rs.version(ctx, e.From, h.Latest)
	if err != nil || r.Status == record.Deprecated {
		return false, nil, err
	}
	if r.Status == record.NeedsUpdate || r.Status == record.NeedsRebase {
		return true, nil, nil
	}
	return true, &Stale{Ref: e.From, Type: r.Type, Module: r.Module, Because: e.To.String()}, nil
}
