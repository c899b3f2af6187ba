package govern

import (
	"context"

	"brenner/govern/contexts"
	"brenner/store"
	"brenner/store/journal"
)

// Decided gives the end of the journal of what people and agents put and decided: while
// it stays, nothing is promoted, and nothing stops being so.
func (d *Door) Decided(ctx context.Context) (journal.Head, error) { return d.head(ctx, Changes) }

// Overtaken says which versions that agents were shown as canonical are that no
// longer, and what has to be as it is when that is written down. A record that is not
// there was another project's.
func (d *Door) Overtaken(ctx context.Context, shown []contexts.ShownRecord) ([]Moved, store.Append, error) {
	head, err := d.head(ctx, Changes)
	if err != nil {
		return nil, store.Append{}, err
	}
	var all []Moved
	for _, s := range shown {
		found, err := d.Store.Records(ctx, store.Query{ID: s.Ref.ID, Version: s.Ref.Version})
		if err != nil {
			return nil, store.Append{}, err
		}
		if len(found) == 0 || s.Content != "" && found[0].Content != s.Content {
			continue
		}
		h, err := d.whole(ctx, s.Ref.ID)
		if err != nil {
			return nil, store.Append{}, err
		}
		if h.Canonical != s.Ref.Version {
			all = append(all, Moved{Input{ID: s.Ref.ID, Version: s.Ref.Version, Type: found[0].Type, Stood: s.Ref.Version, Status: found[0].Status}, h.Canonical})
		}
	}
	return all, store.Append{Stream: Changes, After: head}, nil
}
