package govern_test

import (
	"context"
	"testing"

	"brenner/govern"
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
