package graph

import (
	"context"
	"slices"

	"brenner/store"
	"brenner/store/record"
)

// Origin is a source that a version depends on, and the dependency that leads to it.
type Origin struct {
	Source  record.Ref
	Through record.Ref // the direct dependency; equals source if that is direct
}

func (s Origin) String() string {
	if s.Through == s.Source {
		return s.Source.String()
	}
	return s.Source.String() + ", through " + s.Through.String()
}

// Because says why the direct dependency no longer holds.
func (s Origin) Because(lapsed bool) string {
	switch {
	case lapsed:
		return s.Through.String() + ", which is outdated"
	case s.Source == s.Through:
		return s.Through.String() + ", which needs an update"
	}
	return s.Through.String() + ", which rests on " + s.Source.String() + ", which is outdated"
}

// maxTraced bounds the versions examined for one question.
const maxTraced = 20_000

// TraceSources walks up from versions, level by level, and returns those that are sources or
// depend on one. Complete reports whether all were examined.
func (src Source) TraceSources(ctx context.Context, refs []record.Ref, isSource func(record.Ref) (bool, error)) (found map[record.Ref]Origin, complete bool, err error) {
	found = make(map[record.Ref]Origin)
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
		edges, _, err := src.Edges(ctx, store.EdgeQuery{From: level})
		if err != nil {
			return nil, false, err
		}
		for _, ref := range level {
			is, err := isSource(ref)
			if err != nil {
				return nil, false, err
			}
			if is {
				found[ref] = Origin{Source: ref, Through: ref}
			}
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
func propagate(found map[record.Ref]Origin, dependents map[record.Ref][]record.Ref) {
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
					found[from] = Origin{Source: found[to].Source, Through: to}
					next = append(next, from)
				}
			}
		}
		level = next
	}
}

// Rehearsals finds versions that depend on rehearsals, and so are not real findings.
type Rehearsals struct {
	Source
	ids map[string]bool // of records that have a version from a rehearsal
}

// Rehearsals returns a finder of versions that depend on rehearsals.
func (src Source) Rehearsals(ctx context.Context) (*Rehearsals, error) {
	heads, err := src.Store.Heads(ctx, store.HeadQuery{Tag: record.Rehearsal})
	if err != nil {
		return nil, err
	}
	p := &Rehearsals{Source: src, ids: make(map[string]bool, len(heads))}
	for i := range heads {
		p.ids[heads[i].ID] = true
	}
	return p, nil
}

// FindTainted returns the versions that depend on rehearsals, each with one of these. Complete reports
// whether all were examined.
func (p *Rehearsals) FindTainted(ctx context.Context, refs ...record.Ref) (found map[record.Ref]Origin, complete bool, err error) {
	if len(p.ids) == 0 {
		return nil, true, nil
	}
	return p.TraceSources(ctx, refs, func(ref record.Ref) (bool, error) { return p.isRehearsed(ctx, ref) })
}

func (p *Rehearsals) isRehearsed(ctx context.Context, ref record.Ref) (bool, error) {
	if !p.ids[ref.ID] {
		return false, nil
	}
	r, err := p.Lookup(ctx, ref)
	return r != nil && record.Rehearsed(r), err
}

// Untainted returns the standing versions of records that do not depend on rehearsals.
func (p *Rehearsals) Untainted(ctx context.Context, heads []record.Head) ([]record.Ref, error) {
	refs := make([]record.Ref, len(heads))
	for i := range heads {
		refs[i] = heads[i].Standing()
	}
	found, _, err := p.FindTainted(ctx, refs...)
	return slices.DeleteFunc(refs, func(ref record.Ref) bool { _, tainted := found[ref]; return tainted }), err
}
