package govern

import (
	"context"
	"slices"

	"brenner/store"
	"brenner/store/record"
)

// rehearsals knows which records come from rehearsals, and finds out what stems from
// them: nobody thought of what those say, so nothing that rests on one holds, however
// many steps lie between.
type rehearsals struct {
	*Door
	ids map[string]bool // of records that have a version from a rehearsal
}

func (d *Door) rehearsals(ctx context.Context) (*rehearsals, error) {
	heads, err := d.Store.Heads(ctx, store.HeadQuery{Tag: record.Rehearsal})
	if err != nil {
		return nil, err
	}
	p := &rehearsals{Door: d, ids: make(map[string]bool, len(heads))}
	for i := range heads {
		p.ids[heads[i].ID] = true
	}
	return p, nil
}

// under gives the versions that come from a rehearsal or stem from one. Where there
// are no rehearsals it reads nothing.
func (p *rehearsals) under(ctx context.Context, refs ...record.Ref) (found map[record.Ref]stem, whole bool, err error) {
	if len(p.ids) == 0 {
		return nil, true, nil
	}
	return p.grounds(ctx, refs, p.among)
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
		if len(r) > 0 && record.Rehearsed(&r[0]) {
			out = append(out, ref)
		}
	}
	return out, nil
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
