package graph

import (
	"context"
	"fmt"
	"slices"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// Source is the store of a project's records, and what its sessions know of their links.
type Source struct {
	Store store.Store
	// LinkTarget returns the type and the content hash, as far as known, of the record that a
	// link refers to, if another journal has them: an imported session links to records of
	// another project. It is nil if there are no sessions.
	LinkTarget func(ctx context.Context, from, to record.Ref) (kind, content string, known bool, err error)
}

// HeadByID returns the head of a record by its complete id; Latest is 0 if there is no record.
func (src Source) HeadByID(ctx context.Context, id string) (record.Head, error) {
	found, err := src.Store.Heads(ctx, store.HeadQuery{ID: id})
	if err != nil || len(found) == 0 {
		return record.Head{ID: id}, err
	}
	return found[0], nil
}

// InRange returns an error for a version after the latest one.
func InRange(ref record.Ref, latest int) error {
	if ref.Version <= latest {
		return nil
	}
	return &fault.Error{
		Code: store.NoRecord, Detail: fmt.Sprintf("%s has no version %d", ref.ID, ref.Version), Hint: fmt.Sprintf("the latest is v%d", latest),
	}
}

// Version reads a version that must exist.
func (src Source) Version(ctx context.Context, ref record.Ref, latest int) (record.Record, error) {
	if err := InRange(ref, latest); err != nil {
		return record.Record{}, err
	}
	r, err := src.Lookup(ctx, ref)
	if err != nil {
		return record.Record{}, err
	}
	if r == nil {
		return record.Record{}, &fault.Error{Code: store.NoRecord, Detail: "no such record: " + ref.String(), Hint: "list the records with `brenner store log`"}
	}
	return *r, nil
}

// Lookup reads one version, or returns nil if the store has none.
func (src Source) Lookup(ctx context.Context, ref record.Ref) (*record.Record, error) {
	found, err := src.Store.Records(ctx, store.Query{ID: ref.ID, Version: ref.Version})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// IsRelevant reports whether a version is relevant: it is canonical, the latest, or a tip.
func (src Source) IsRelevant(ctx context.Context, h *record.Head, version int) (bool, error) {
	if known := version == h.Canonical || version == h.Latest || version == h.Tip; known || !h.Forked() {
		return known, nil
	}
	tips, err := src.Store.Tips(ctx, h.ID)
	return slices.Contains(tips, version), err
}

// Edges returns links within this project, and those to records of other projects.
func (src Source) Edges(ctx context.Context, q store.EdgeQuery) (here, elsewhere []record.Edge, err error) {
	all, err := src.Store.Edges(ctx, q)
	if err != nil || src.LinkTarget == nil {
		return all, nil, err
	}
	for _, e := range all {
		other, err := src.isElsewhere(ctx, e)
		switch {
		case err != nil:
			return nil, nil, err
		case other:
			elsewhere = append(elsewhere, e)
		default:
			here = append(here, e)
		}
	}
	return here, elsewhere, nil
}

// isElsewhere reports whether a link refers to a record other than the local one of that name.
func (src Source) isElsewhere(ctx context.Context, e record.Edge) (bool, error) {
	kind, content, known, err := src.LinkTarget(ctx, e.From, e.To)
	if err != nil || !known {
		return false, err
	}
	r, err := src.Lookup(ctx, e.To)
	if err != nil || r == nil {
		return false, err
	}
	return content != "" && r.Content != content || kind != "" && r.Type != kind, nil
}
