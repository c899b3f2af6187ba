package govern

import (
	"context"
	"maps"
	"slices"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// setAside tells whether a version is one that others do not go on from unless they
// name it. One that needs a rebase is that only beside another way: where it is the
// only one, its inputs have moved, and it is mended by going on.
func setAside(status string, forked bool) bool {
	return status == record.Alternative || status == record.Deprecated || status == record.NeedsRebase && forked
}

// goesOnFrom chooses the parent of a draft that names none.
func (b *putting) goesOnFrom(ctx context.Context, h *record.Head) (int, error) {
	if _, here := b.heads[h.ID]; here {
		return h.Latest, nil // put in the same change, before
	}
	if was, tried := b.parents[b.nth]; tried {
		if was == 0 && h.Latest > 0 {
			return 0, &fault.Error{
				Code: store.Conflict, Op: "put " + fault.Shown(h.ID), Detail: "somebody else put a record of this id at the same time",
				Hint: "look at it with `brenner store show " + h.ID + "`, and put yours again, or under another id",
			}
		}
		return was, nil
	}
	from, err := b.continued(ctx, h)
	if err == nil {
		b.parents[b.nth] = from
	}
	return from, err
}

// continued gives the version that a new one of a record goes on from where nobody
// says which.
func (d *Door) continued(ctx context.Context, h *record.Head) (int, error) {
	if h.Latest == 0 {
		return 0, nil
	}
	latest, err := d.version(ctx, record.Ref{ID: h.ID, Version: h.Latest}, h.Latest)
	if err != nil {
		return 0, err
	}
	switch left := setAside(latest.Status, h.Forked()); {
	case left && h.Canonical > 0:
		return h.Canonical, nil
	case left && h.Forked():
		tips, err := d.Store.Tips(ctx, h.ID)
		if err != nil {
			return 0, err
		}
		return 0, &fault.Error{
			Code: BadRecord, Op: "put " + fault.Shown(h.ID), Detail: "it goes several ways, and nobody has decided between " + versions(tips),
			Hint: "say with --parent which one this goes on from; `brenner store merge " + h.ID + "` joins them",
		}
	case left:
		return h.Tip, nil
	}
	return h.Latest, nil
}

func (b *putting) parent(ctx context.Context, r *record.Record, h record.Head) (record.Record, error) {
	ref := record.Ref{ID: r.ID, Version: r.Parent}
	if fresh, ok := b.fresh[ref]; ok {
		return *fresh, nil
	}
	return b.version(ctx, ref, h.Latest)
}

// fork gives the ways that a record goes once the version is put, if there are
// several and the version begins one of them.
func (b *putting) fork(ctx context.Context, r *record.Record, h record.Head) ([]int, error) {
	if h.Latest == 0 || r.Parent == h.Latest && h.Tips <= 1 {
		return nil, nil
	}
	tips, err := b.Store.Tips(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	for _, ref := range slices.SortedFunc(maps.Keys(b.fresh), record.CompareRefs) { // put in the same change
		if ref.ID == r.ID {
			tips = append(slices.DeleteFunc(tips, func(n int) bool { return n == b.fresh[ref].Parent }), ref.Version)
		}
	}
	slices.Sort(tips)
	begins := !slices.Contains(tips, r.Parent)
	closed := func(n int) bool {
		return n == r.Parent || slices.Contains(r.Links, record.Link{Relation: record.Supersedes, ID: r.ID, Version: n})
	}
	tips = append(slices.DeleteFunc(tips, closed), r.Version)
	if len(tips) < 2 || !begins {
		return nil, nil
	}
	return tips, nil
}
