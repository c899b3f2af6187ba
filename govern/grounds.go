package govern

import (
	"context"
	"slices"

	"brenner/store"
	"brenner/store/record"
)

// stem is why a version stems from another one.
type stem struct {
	source  record.Ref // the version that was looked for
	through record.Ref // what the version itself rests on; source, where that is direct
}

func (s stem) String() string {
	if s.through == s.source {
		return s.source.String()
	}
	return s.source.String() + ", through " + s.through.String()
}

// mostGrounds is how many versions are looked at under one question.
const mostGrounds = 20_000

// grounds walks up from versions, level by level, and gives those that are looked for,
// by what sources says of a level, or that stem from such a one. It looks at every
// version once, whatever cycles there are; whole says that it saw all of them.
func (d *Door) grounds(ctx context.Context, refs []record.Ref, sources func(context.Context, []record.Ref) ([]record.Ref, error)) (found map[record.Ref]stem, whole bool, err error) {
	found = make(map[record.Ref]stem)
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
		edges, _, err := d.edges(ctx, store.EdgeQuery{From: level})
		if err != nil {
			return nil, false, err
		}
		these, err := sources(ctx, level)
		if err != nil {
			return nil, false, err
		}
		for _, ref := range these {
			found[ref] = stem{source: ref, through: ref}
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
					found[from] = stem{source: found[to].source, through: to}
					next = append(next, from)
				}
			}
		}
		level = next
	}
}
