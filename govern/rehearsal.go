package govern

import (
	"context"
	"slices"

	"brenner/policy"
	"brenner/record"
	"brenner/store"
)

// rehearsals knows which records come from rehearsals, and finds out what stems from
// them: nobody thought of what those say, so nothing that rests on one holds, however
// many steps lie between.
type rehearsals struct {
	*Door
	ids map[string]bool // of records that have a version from a rehearsal
}

// mostGrounds is how many versions are looked at under one question.
const mostGrounds = 20_000

func (d *Door) rehearsals(ctx context.Context) (*rehearsals, error) {
	heads, err := d.Store.Heads(ctx, store.HeadQuery{Tag: policy.Rehearsal})
	if err != nil {
		return nil, err
	}
	p := &rehearsals{Door: d, ids: make(map[string]bool, len(heads))}
	for i := range heads {
		p.ids[heads[i].ID] = true
	}
	return p, nil
}

// stem is why a version stems from a rehearsal.
type stem struct {
	played  record.Ref // the version that comes from one
	through record.Ref // what the version itself rests on; played, where that is direct
}

func (s stem) String() string {
	if s.through == s.played {
		return s.played.String()
	}
	return s.played.String() + ", through " + s.through.String()
}

// under walks up from versions, level by level, and gives those that come from a
// rehearsal or stem from one. It looks at every version once, whatever cycles there
// are; whole says that it saw all of them. Where there are no rehearsals it reads
// nothing.
func (p *rehearsals) under(ctx context.Context, refs ...record.Ref) (found map[record.Ref]stem, whole bool, err error) {
	found = make(map[record.Ref]stem)
	if len(p.ids) == 0 {
		return found, true, nil
	}
	rests := make(map[record.Ref][]record.Ref) // by what they rest on
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
	for len(level) > 0 && len(seen) <= mostGrounds {
		edges, _, err := p.edges(ctx, store.EdgeQuery{From: level})
		if err != nil {
			return nil, false, err
		}
		played, err := p.among(ctx, level)
		if err != nil {
			return nil, false, err
		}
		for _, ref := range played {
			found[ref] = stem{played: ref, through: ref}
		}
		level = nil
		for _, e := range edges {
			if record.Depends(e.Relation) || e.Relation == record.RepliesTo {
				rests[e.To] = append(rests[e.To], e.From)
				visit(e.To)
			}
		}
	}
	spread(found, rests)
	return found, len(level) == 0, nil
}

// among gives the versions that come from a rehearsal themselves.
func (p *rehearsals) among(ctx context.Context, refs []record.Ref) ([]record.Ref, error) {
	var out []record.Ref
	for _, ref := range refs {
		if !p.ids[ref.ID] {
			continue
		}
		r, err := p.Store.Records(ctx, store.Query{ID: ref.ID, Version: ref.Version})
		if err != nil {
			return nil, err
		}
		if len(r) > 0 && policy.Rehearsed(&r[0]) {
			out = append(out, ref)
		}
	}
	return out, nil
}

// spread gives everything that rests on what was found, step by step, the reason of
// what it rests on.
func spread(found map[record.Ref]stem, rests map[record.Ref][]record.Ref) {
	var level []record.Ref
	for ref := range found {
		level = append(level, ref)
	}
	for len(level) > 0 {
		slices.SortFunc(level, record.CompareRefs) // of several reasons always the same
		var next []record.Ref
		for _, to := range level {
			for _, from := range rests[to] {
				if _, known := found[from]; !known {
					found[from] = stem{played: found[to].played, through: to}
					next = append(next, from)
				}
			}
		}
		level = next
	}
}

// real gives the standing versions of records, without those that stem from
// rehearsals.
func (p *rehearsals) real(ctx context.Context, heads []record.Head) ([]record.Ref, error) {
	refs := make([]record.Ref, len(heads))
	for i := range heads {
		refs[i] = heads[i].Standing()
	}
	found, _, err := p.under(ctx, refs...)
	return slices.DeleteFunc(refs, func(ref record.Ref) bool { _, stems := found[ref]; return stems }), err
}
