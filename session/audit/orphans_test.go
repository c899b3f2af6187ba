package audit_test

import (
	"context"
	"testing"

	"brenner/session"
	"brenner/session/audit"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/opentest"
	"brenner/store/record"
	"brenner/store/storetest"
)

// beginningStore is a store in which a session begins right after the sessions are listed.
type beginningStore struct {
	store.Store
	thread string
}

func (b *beginningStore) Streams(ctx context.Context, prefix string) ([]store.Stream, error) {
	streams, err := b.Store.Streams(ctx, prefix)
	if thread := b.thread; err == nil && thread != "" {
		b.thread = ""
		e, err := journal.Head{}.Next(session.Prefix+thread, storetest.Instant(0), "briefed", []byte(`{}`))
		if err != nil {
			return nil, err
		}
		r := storetest.Record(thread, 1)
		err = b.Write(ctx, store.Batch{Appends: []store.Append{{Stream: e.Stream, Entries: []journal.Entry{e}}}, Records: []record.Record{r}})
		return streams, err
	}
	return streams, err
}

// A session that begins during the search is not an orphan.
func TestOrphansIgnoresNewSessions(t *testing.T) {
	st := &beginningStore{opentest.New(t), "RS-20261115-new"}
	if lost, err := audit.Orphans(t.Context(), st); len(lost) > 0 || err != nil {
		t.Errorf("lost %v, %v; want none", lost, err)
	}
	if err := st.Write(t.Context(), store.Batch{Records: []record.Record{storetest.Record("RS-20261115-gone", 1)}}); err != nil {
		t.Fatal(err)
	}
	if lost, err := audit.Orphans(t.Context(), st); len(lost) != 1 || err == nil {
		t.Errorf("lost %v, %v; want one, and an error", lost, err)
	}
}
