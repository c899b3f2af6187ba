package govern

import (
	"context"

	"brenner/govern/memo"
	"brenner/store"
	"brenner/store/record"
)

// memoSummary returns the summary of a memo that the program makes from records, newest first.
func (rs *Records) memoSummary(ctx context.Context, id string, inputs []record.Record) (string, error) {
	linked, err := rs.linkedBy(ctx, id, inputs)
	if err != nil {
		return "", err
	}
	canonical := make(map[string]bool)
	for i := range inputs {
		h, err := rs.existingHead(ctx, inputs[i].ID)
		if err != nil {
			return "", err
		}
		canonical[h.ID] = h.Canonical == inputs[i].Version
	}
	return memo.Summary(inputs, canonical, linked), nil
}

// linkedBy returns how many records link to each of the given ones, besides the memo itself, task
// specs, reviews and raw traffic, which refer to whatever they were made for.
func (rs *Records) linkedBy(ctx context.Context, memo string, inputs []record.Record) (map[string]int, error) {
	refs := make([]record.Ref, len(inputs))
	for i := range inputs {
		refs[i].ID = inputs[i].ID
	}
	edges, err := rs.Store.Edges(ctx, store.EdgeQuery{To: refs})
	if err != nil {
		return nil, err
	}
	counts := make(map[string]bool) // by source
	seen := make(map[[2]string]bool)
	linked := make(map[string]int)
	for _, e := range edges {
		from, pair := e.From.ID, [2]string{e.From.ID, e.To.ID}
		if from == e.To.ID || from == memo || seen[pair] {
			continue
		}
		seen[pair] = true
		if _, known := counts[from]; !known {
			h, err := rs.existingHead(ctx, from)
			if err != nil {
				return nil, err
			}
			counts[from] = h.Type != record.TaskSpec && h.Type != record.Review && !record.IsRaw(h.Type) && h.Status != record.Deprecated
		}
		if counts[from] {
			linked[e.To.ID]++
		}
	}
	return linked, nil
}
