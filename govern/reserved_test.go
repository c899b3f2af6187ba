package govern_test

import (
	"context"
	"testing"

	"brenner/govern"
	"brenner/govern/finding"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// putBySession writes a record as a session does: directly to the store, and vouched for.
func (k *kit) putBySession(id, kind, text string, links ...record.Link) {
	k.Helper()
	r := record.Record{
		ID: id, Type: kind, Version: 1, Status: record.Draft, Module: "fate", Summary: "summary of " + text, SummaryOf: store.Hash([]byte(text)),
		SummaryBy: record.Extracted, Content: store.Hash([]byte(text)), Creator: "BlueLake", At: k.clock.Now(), Links: links,
	}
	if len(r.Summary) > record.MaxSummary {
		r.Summary = "a long text"
	}
	if err := k.Store.Write(k.ctx(), store.Batch{Blobs: [][]byte{[]byte(text)}, Records: []record.Record{r}}); err != nil {
		k.Fatal(err)
	}
	before := k.Vouched
	k.Vouched = func(ctx context.Context, ref record.Ref) (bool, error) {
		if ref == r.Ref() || before == nil {
			return ref == r.Ref(), nil
		}
		return before(ctx, ref)
	}
}

func TestSessionIDsAndTypesAreReserved(t *testing.T) {
	t.Parallel()
	both(t, func(k *kit) {
		for _, c := range []struct {
			id, kind string
			want     fault.Code
		}{
			{"RS-20260202-bb", record.PaperNote, govern.BadID},
			{"a-reply", record.Reply, govern.BadRecord},
			{"a-kickoff", record.Kickoff, govern.BadRecord},
			{"a-roster", record.Roster, govern.BadRecord},
		} {
			_, err := k.Put(k.ctx(), sydney, draft(c.id, c.kind, "text"))
			k.wantFault(err, c.want, "session")
		}
	})
}

// A record that has an id the program would use blocks nothing.
func TestTakenIDsDoNotBlockTheProgram(t *testing.T) {
	t.Parallel()
	both(t, func(k *kit) {
		for _, id := range []string{"memo-fate", "review-alignment", "task-integrate-fate-1"} {
			k.put(draft(id, record.PaperNote, "in the way of "+id))
		}
		elsewhere := draft("memo-fate-2", record.IntegratedMemo, "of another module")
		elsewhere.Module = "signal"
		k.put(elsewhere)
		h, _ := helper("What is known.")
		memo, err := k.Consolidate(k.ctx(), sydney, "fate", h)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("memo", memo.Record.ID, "memo-fate-3")
		calls, err := k.Calls(k.ctx())
		k.equal("task", []any{calls[0].Task, err}, []any{"task-integrate-fate-1-2@v1", nil})
		found, err := k.Check(k.ctx(), sydney, finding.Alignment)
		if err != nil {
			k.Fatal(err)
		}
		review, err := k.Review(k.ctx(), sydney, finding.Alignment, found)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("review", review.Record.ID, "review-alignment-2")
		for _, id := range []string{"project-brief", "project-summary"} {
			_, err := k.Put(k.ctx(), sydney, draft(id, record.PaperNote, "in the way"))
			k.wantFault(err, govern.BadID, "reserved for the project's ")
		}
	})
}
