package govern

import (
	"context"
	"maps"
	"slices"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// setParent sets the parent of a version, and returns it; it is empty if there is none.
func (b *putting) setParent(ctx context.Context, r *record.Record, draft *Draft, h record.Head) (parent record.Record, err error) {
	switch {
	case draft.newest:
		r.Parent = h.Latest
	case r.Parent == 0 && !(draft.unparented && h.Type == r.Type):
		if r.Parent, err = b.defaultParent(ctx, &h); err != nil {
			return parent, err
		}
	}
	if h.Latest == 0 || r.Parent == 0 {
		return parent, nil
	}
	return b.parent(ctx, r, h)
}

// setAside reports whether drafts continue a version only if they name it.
func setAside(status string, forked bool) bool {
	return status == record.Alternative || status == record.Deprecated || status == record.NeedsRebase && forked
}

// defaultParent returns the parent of a draft that names none.
func (b *putting) defaultParent(ctx context.Context, h *record.Head) (int, error) {
	if _, here := b.heads[h.ID]; here {
		return h.Latest, nil // put earlier in the same change
	}
	if was, tried := b.parents[b.nth]; tried {
		if was == 0 && h.Latest > 0 {
			return 0, &fault.Error{
				Code: store.Conflict, Op: "put " + fault.Shown(h.ID), Detail: "another process put a record with this id at the same time",
				Hint: "look at it with `brenner store show " + h.ID + "`, then put yours again or under another id",
			}
		}
		return was, nil
	}
	from, err := b.continuedVersion(ctx, h)
	if err == nil {
		b.parents[b.nth] = from
	}
	return from, err
}

func (rs *Records) continuedVersion(ctx context.Context, h *record.Head) (int, error) {
	if h.Latest == 0 {
		return 0, nil
	}
	latest, err := rs.Version(ctx, record.Ref{ID: h.ID, Version: h.Latest}, h.Latest)
	if err != nil {
		return 0, err
	}
	switch left := setAside(latest.Status, h.Forked()); {
	case left && h.Canonical > 0:
		return h.Canonical, nil
	case left && h.Forked():
		return 0, rs.branchError(ctx, "put", h.ID, "select the parent with --parent vN, or merge them with `brenner store merge "+h.ID+"`")
	case left:
		return h.Tip, nil
	}
	return h.Latest, nil
}

// branchError is the error for a record with several tips, none of which was chosen.
func (rs *Records) branchError(ctx context.Context, op, id, hint string) error {
	tips, err := rs.Store.Tips(ctx, id)
	if err != nil {
		return err
	}
	return &fault.Error{Code: BadRecord, Op: op + " " + id, Detail: "unmerged branches: " + Versions(tips), Hint: hint}
}

func (b *putting) parent(ctx context.Context, r *record.Record, h record.Head) (record.Record, error) {
	ref := record.Ref{ID: r.ID, Version: r.Parent}
	if fresh, ok := b.fresh[ref]; ok {
		return *fresh, nil
	}
	return b.Version(ctx, ref, h.Latest)
}

// fork returns the tips of a record after the put, if the version begins a new branch.
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
