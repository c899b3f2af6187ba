package govern

import (
	"context"
	"fmt"
	"slices"
	"time"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// Unused gives the records at which nothing that stands has pointed for the time
// that the rules say, and that nobody promoted.
func (d *Door) Unused(ctx context.Context) ([]record.Head, error) {
	if d.Rules.Unused <= 0 {
		return nil, nil
	}
	since := d.Now().Add(-d.Rules.Unused)
	found, err := d.Store.Heads(ctx, store.HeadQuery{Live: true, Unreferenced: true, Before: since})
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(h record.Head) bool {
		kind, _ := d.Types.Find(h.Type)
		return h.Canonical > 0 || kind.Core || kind.Raw
	})
	lately, err := d.usedSince(ctx, found, since)
	return slices.DeleteFunc(found, func(h record.Head) bool { return lately[h.ID] }), err
}

// usedSince tells, of records at which nothing that stands points now, where something did
// after an instant.
func (d *Door) usedSince(ctx context.Context, heads []record.Head, since time.Time) (map[string]bool, error) {
	refs := make([]record.Ref, len(heads))
	for i := range heads {
		refs[i].ID = heads[i].ID
	}
	edges, err := d.Store.Edges(ctx, store.EdgeQuery{To: refs})
	if err != nil {
		return nil, err
	}
	used := make(map[string]bool)
	stood := make(map[record.Ref]bool) // a memo points at many
	for _, e := range edges {
		if e.From.ID == e.To.ID || used[e.To.ID] {
			continue
		}
		if _, known := stood[e.From]; !known {
			if stood[e.From], err = d.stoodAfter(ctx, e.From, since); err != nil {
				return nil, err
			}
		}
		used[e.To.ID] = stood[e.From]
	}
	return used, nil
}

// stoodAfter tells whether a version that does not stand now may have stood after an
// instant: what came next, or a decision, took its place later than that. What was sent
// and said never stands for anything.
func (d *Door) stoodAfter(ctx context.Context, ref record.Ref, since time.Time) (bool, error) {
	versions, err := d.Store.Records(ctx, store.Query{ID: ref.ID})
	if err != nil || len(versions) == 0 || record.IsRaw(versions[0].Type) {
		return false, err
	}
	for i := range versions {
		if r := &versions[i]; (r.Parent == ref.Version || r.Version == ref.Version+1) && r.At.After(since) {
			return true, nil
		}
	}
	marks, err := d.Store.Marks(ctx, ref.ID)
	return slices.ContainsFunc(marks, func(m record.Mark) bool {
		return (m.Version == ref.Version || m.Status == record.Canonical) && m.At.After(since)
	}), err
}

// DeprecateUnused deprecates all of Unused.
func (d *Door) DeprecateUnused(ctx context.Context, who Actor) ([]record.Mark, error) {
	if err := d.mayDeprecate(ctx, who, ""); err != nil {
		return nil, err
	}
	unused, err := d.Unused(ctx)
	if err != nil {
		return nil, err
	}
	var all []record.Mark
	for _, h := range unused {
		marks, err := d.Deprecate(ctx, who, h.Standing().String(), fmt.Sprintf("nothing that stands has pointed at it for %s", d.Rules.Unused), false)
		if err != nil {
			return all, err
		}
		all = append(all, marks...)
	}
	return all, nil
}

// DeprecateOptions say what to deprecate: one record or version, or all of Unused.
type DeprecateOptions struct {
	Address string // empty is all of Unused
	Reason  string
	Anyway  bool // though others rest on it
	Dry     bool // only list what is unused
}

// Deprecation is what was marked, or would be.
type Deprecation struct {
	Schema string    `json:"schema"`
	DryRun bool      `json:"dry_run"`
	Marks  []MarkRow `json:"marks"`
}

// Retire deprecates what the options say.
func (d *Door) Retire(ctx context.Context, who Actor, o DeprecateOptions) (*Deprecation, error) {
	var marks []record.Mark
	var err error
	switch {
	case o.Address != "":
		marks, err = d.Deprecate(ctx, who, o.Address, o.Reason, o.Anyway)
	case o.Dry:
		marks, err = d.wouldDeprecate(ctx, who)
	default:
		marks, err = d.DeprecateUnused(ctx, who)
	}
	if err != nil {
		return nil, err
	}
	return &Deprecation{Schema: "brenner.store.deprecate/v1", DryRun: o.Dry, Marks: markRows(marks)}, nil
}

// wouldDeprecate returns the marks that DeprecateUnused would put.
func (d *Door) wouldDeprecate(ctx context.Context, who Actor) ([]record.Mark, error) {
	heads, err := d.Unused(ctx)
	var marks []record.Mark
	for i := range heads {
		h := &heads[i]
		marks = append(marks, record.Mark{ID: h.ID, Version: h.Standing().Version, Status: record.Deprecated, By: who.Name, Reason: "nothing that stands has pointed at it since " + fault.Shown(h.At.Format("2006-01-02")), At: h.At})
	}
	return marks, err
}
