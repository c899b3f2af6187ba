package govern_test

import (
	"context"
	"testing"

	"brenner/govern"
	"brenner/govern/contexts"
	"brenner/govern/policy"
	"brenner/store"
	"brenner/store/record"
)

// A link names a record by its complete id. If that record is missing, another one whose id
// begins with it does not match, and nothing fails.
func TestLinksMatchCompleteIDs(t *testing.T) {
	both(t, func(k *kit) {
		text := []byte("imported")
		imported := record.Record{
			ID: "imported", Type: record.PaperNote, Version: 1, Status: record.Draft, Module: "fate", Summary: "s", SummaryOf: store.Hash(text), SummaryBy: record.Given,
			Content: store.Hash(text), Creator: "Sydney", At: k.Now(), Links: []record.Link{{Relation: record.Cites, ID: "elsewhere", Version: 1}},
		}
		if err := k.Store.Write(k.ctx(), store.Batch{Blobs: [][]byte{text}, Records: []record.Record{imported}}); err != nil {
			k.Fatal(err)
		}
		k.Vouched = func(_ context.Context, ref record.Ref) (bool, error) { return ref.ID == "imported", nil }
		linked := func() []string {
			k.Helper()
			var ids []string
			for _, s := range k.context(govern.Request{Role: policy.Integrator, Purpose: "p", Inputs: []string{"imported"}}).Shown {
				if s.Near == contexts.Linked {
					ids = append(ids, s.Ref.ID)
				}
			}
			return ids
		}
		k.equal("linked", linked(), []string(nil))
		k.put(draft("elsewhere-2", record.PaperNote, "another one"))
		k.equal("linked", linked(), []string(nil))
		k.put(draft("elsewhere", record.PaperNote, "that of this project"))
		k.equal("linked", linked(), []string{"elsewhere"})
		// The link refers to a record of another project.
		k.LinkTarget = func(_ context.Context, from, _ record.Ref) (string, string, bool, error) {
			return record.PaperNote, store.Hash([]byte("theirs")), from.ID == "imported", nil
		}
		k.equal("linked", linked(), []string(nil))
	})
}
