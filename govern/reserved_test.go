package govern_test

import (
	"context"
	"testing"

	"brenner/govern"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

// said writes a record as a session does: beside the door, and vouched for.
func (k *kit) said(id, kind, text string, links ...record.Link) {
	k.Helper()
	r := record.Record{
		ID: id, Type: kind, Version: 1, Status: record.Draft, Module: "fate", Summary: "summary of " + text, SummaryOf: store.Hash([]byte(text)),
		SummaryBy: record.Extracted, Content: store.Hash([]byte(text)), Creator: "BlueLake", At: k.clock.Now(), Links: links,
	}
	if len(r.Summary) > record.MaxSummary {
		r.Summary = "a long text"
	}
	if err := k.Store.Write(k.Context1(), store.Batch{Blobs: [][]byte{[]byte(text)}, Records: []record.Record{r}}); err != nil {
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

// TestSessionsKeepTheirPlace: nobody puts what sessions say, or what has the id of
// one.
func TestSessionsKeepTheirPlace(t *testing.T) {
	t.Parallel()
	both(t, func(k *kit) {
		for _, c := range []struct {
			id, kind string
			want     fault.Code
		}{
			{"RS-20260202-bb", record.PaperNote, govern.BadID},
			{"said", record.Reply, govern.BadRecord},
			{"sent", record.Kickoff, govern.BadRecord},
			{"who", record.Roster, govern.BadRecord},
		} {
			_, err := k.Put(k.Context1(), sydney, draft(c.id, c.kind, "text"))
			k.wantFault(err, c.want, "session")
		}
	})
}
