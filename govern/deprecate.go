package govern

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner/govern/finding"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// Deprecate marks a record, or one version of it, as no longer in use. Unless anyway is set, no
// standing version may depend on it.
func (rs *Records) Deprecate(ctx context.Context, who Actor, address, reason string, anyway bool) ([]record.Mark, error) {
	a, err := record.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(reason) == "" {
		return nil, &fault.Error{Code: BadRecord, Op: "deprecate " + fault.Shown(address), Detail: "no reason given", Hint: "pass -m REASON"}
	}
	if err := rs.mayDeprecate(ctx, who, a.ID); err != nil {
		return nil, err
	}
	var marks []record.Mark
	err = rs.write(ctx, func() (*change, error) {
		r, h, err := rs.Find(ctx, address)
		if err != nil {
			return nil, err
		}
		which := []int{r.Version}
		if !a.HasVersion() {
			if which, err = rs.Store.Tips(ctx, h.ID); err != nil {
				return nil, err
			}
			if h.Canonical > 0 && !slices.Contains(which, h.Canonical) {
				which = append(which, h.Canonical)
			}
		}
		if which, err = rs.inUse(ctx, h, which); err != nil {
			return nil, err
		}
		if err := rs.checkUnused(ctx, h, which, anyway); err != nil {
			return nil, err
		}
		m := rs.marking(who)
		for _, v := range which {
			m.mark(record.Ref{ID: h.ID, Version: v}, record.Deprecated, reason)
		}
		_, err = m.markStale(ctx, h.ID)
		marks = m.marks
		return m.change(kindMarked, "deprecate", reason), err
	})
	return marks, err
}

// unusedReason is the reason of a mark on an unused record.
func (rs *Records) unusedReason() string { return fmt.Sprintf(finding.UnusedFor, rs.Rules.Unused) }

func (rs *Records) inUse(ctx context.Context, h record.Head, which []int) ([]int, error) {
	out, err := filter(which, func(v int) (bool, error) {
		r, err := rs.Version(ctx, record.Ref{ID: h.ID, Version: v}, h.Latest)
		return r.Status != record.Deprecated, err
	})
	if err == nil && len(out) == 0 {
		err = &fault.Error{Code: NothingNew, Op: "deprecate " + h.ID, Detail: "already deprecated: " + Versions(which), Hint: "nothing was written"}
	}
	return out, err
}

// mayDeprecate refuses an actor who may not decide.
func (rs *Records) mayDeprecate(ctx context.Context, who Actor, id string) error {
	if rs.authority(who) {
		return nil
	}
	kind := "record"
	if id != "" {
		h, err := rs.Head(ctx, id)
		if err != nil {
			return err
		}
		id, kind = h.ID, h.Type
	}
	if who.person() {
		f := &fault.Error{Code: policy.OutOfScope, Detail: fault.Shown(who.Name) + " has no authority to deprecate records", Hint: "the operator and the authorities of brenner.yaml have it; the attempt was recorded"}
		return rs.logRefused(ctx, who, "deprecate", kind, id, f)
	}
	return rs.refuse(ctx, who, "deprecate", kind, id)
}

// checkUnused refuses to deprecate the spine of the project, or what a standing version depends on.
func (rs *Records) checkUnused(ctx context.Context, h record.Head, which []int, anyway bool) error {
	kind, _ := rs.Types.Find(h.Type)
	if kind.Key && h.Canonical > 0 && slices.Contains(which, h.Canonical) {
		return &fault.Error{
			Code: StillUsed, Op: "deprecate " + h.ID, Detail: "it is the canonical " + h.Type + " of " + h.Module,
			Hint: "promote another record with --replace first",
		}
	}
	if anyway {
		return nil
	}
	var users []string
	for _, v := range which {
		found, err := rs.users(ctx, record.Ref{ID: h.ID, Version: v})
		if err != nil {
			return err
		}
		users = append(users, found...)
	}
	if len(users) == 0 {
		return nil
	}
	return &fault.Error{
		Code: StillUsed, Op: "deprecate " + h.ID, Detail: "used by " + strings.Join(users, ", "),
		Hint: "pass --anyway to deprecate it regardless",
	}
}

func (rs *Records) users(ctx context.Context, ref record.Ref) ([]string, error) {
	edges, err := rs.Store.Edges(ctx, store.EdgeQuery{To: []record.Ref{ref}})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range edges {
		if e.From.ID == ref.ID || !record.Depends(e.Relation) {
			continue
		}
		h, err := rs.existingHead(ctx, e.From.ID)
		if err != nil {
			return nil, err
		}
		if h.Standing() == e.From && h.Status != record.Deprecated && h.Type != record.TaskSpec && h.Type != record.Review && !record.IsRaw(h.Type) {
			names = append(names, e.From.String())
		}
	}
	return names, nil
}

// Unused returns unpromoted records without links from standing versions for the configured time.
func (rs *Records) Unused(ctx context.Context) ([]record.Head, error) {
	if rs.Rules.Unused <= 0 {
		return nil, nil
	}
	since := rs.Now().Add(-rs.Rules.Unused)
	found, err := rs.Store.Heads(ctx, store.HeadQuery{Live: true, Unreferenced: true, Before: since})
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(h record.Head) bool {
		kind, _ := rs.Types.Find(h.Type)
		return h.Canonical > 0 || kind.Core || kind.Raw
	})
	lately, err := rs.usedSince(ctx, found, since)
	return slices.DeleteFunc(found, func(h record.Head) bool { return lately[h.ID] }), err
}

// usedSince returns which records had a link from a standing version after an instant.
func (rs *Records) usedSince(ctx context.Context, heads []record.Head, since time.Time) (map[string]bool, error) {
	refs := make([]record.Ref, len(heads))
	for i := range heads {
		refs[i].ID = heads[i].ID
	}
	edges, err := rs.Store.Edges(ctx, store.EdgeQuery{To: refs})
	if err != nil {
		return nil, err
	}
	used := make(map[string]bool)
	stood := make(map[record.Ref]bool) // cached, since a memo has many links
	for _, e := range edges {
		if e.From.ID == e.To.ID || used[e.To.ID] {
			continue
		}
		if _, known := stood[e.From]; !known {
			if stood[e.From], err = rs.stoodAfter(ctx, e.From, since); err != nil {
				return nil, err
			}
		}
		used[e.To.ID] = stood[e.From]
	}
	return used, nil
}

// stoodAfter reports whether a version may have been the standing one after an instant: its
// successor came later.
func (rs *Records) stoodAfter(ctx context.Context, ref record.Ref, since time.Time) (bool, error) {
	versions, err := rs.Store.Records(ctx, store.Query{ID: ref.ID})
	if err != nil || len(versions) == 0 || !record.Uses(versions[0].Type) {
		return false, err
	}
	for i := range versions {
		if r := &versions[i]; (r.Parent == ref.Version || r.Version == ref.Version+1) && r.At.After(since) {
			return true, nil
		}
	}
	marks, err := rs.Store.Marks(ctx, ref.ID)
	return slices.ContainsFunc(marks, func(m record.Mark) bool {
		return (m.Version == ref.Version || m.Status == record.Canonical) && m.At.After(since)
	}), err
}

// DeprecateUnused deprecates all of Unused.
func (rs *Records) DeprecateUnused(ctx context.Context, who Actor) ([]record.Mark, error) {
	if err := rs.mayDeprecate(ctx, who, ""); err != nil {
		return nil, err
	}
	unused, err := rs.Unused(ctx)
	if err != nil {
		return nil, err
	}
	var all []record.Mark
	for _, h := range unused {
		marks, err := rs.Deprecate(ctx, who, h.Standing().String(), rs.unusedReason(), false)
		if err != nil {
			return all, err
		}
		all = append(all, marks...)
	}
	return all, nil
}

// DeprecateOptions select what to deprecate: one record or version, or all of Unused.
type DeprecateOptions struct {
	Address string // empty means all of Unused
	Reason  string
	Anyway  bool // even if others depend on it
	Dry     bool // only list what is unused
}

// Deprecation is what was marked, or would be.
type Deprecation struct {
	Schema string    `json:"schema"`
	DryRun bool      `json:"dry_run"`
	Marks  []MarkRow `json:"marks"`
}

// Retire deprecates what the options select.
func (rs *Records) Retire(ctx context.Context, who Actor, o DeprecateOptions) (*Deprecation, error) {
	var marks []record.Mark
	var err error
	switch {
	case o.Address != "":
		marks, err = rs.Deprecate(ctx, who, o.Address, o.Reason, o.Anyway)
		if fault.CodeOf(err) == StillUsed {
			r, _, found := rs.Find(ctx, o.Address)
			err = cmp.Or(found, rs.logRefused(ctx, who, "deprecate", r.Type, r.ID, err))
		}
	case o.Dry:
		marks, err = rs.wouldDeprecate(ctx, who)
	default:
		marks, err = rs.DeprecateUnused(ctx, who)
	}
	if err != nil {
		return nil, err
	}
	return &Deprecation{Schema: "brenner.store.deprecate/v1", DryRun: o.Dry, Marks: markRows(marks)}, nil
}

func (rs *Records) wouldDeprecate(ctx context.Context, who Actor) ([]record.Mark, error) {
	heads, err := rs.Unused(ctx)
	var marks []record.Mark
	for i := range heads {
		h := &heads[i]
		marks = append(marks, record.Mark{ID: h.ID, Version: h.Standing().Version, Status: record.Deprecated, By: who.Name, Reason: rs.unusedReason(), At: h.At})
	}
	return marks, err
}
