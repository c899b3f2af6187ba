package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

func testRecords(t *testing.T, s store.Store) {
	b1, a1, a2, a3 := Record("b", 1), Record("a", 1), Record("a", 2), Record("a", 3)
	a2.Type, a3.Type, a3.Parent = "memo", "memo", 1 // a3 and a2 are a fork
	write(t, s, store.Batch{Records: []record.Record{b1, a1}})
	write(t, s, store.Batch{Records: []record.Record{a2, a3}})
	for _, test := range []struct {
		query store.Query
		want  []record.Record
	}{
		{store.Query{}, []record.Record{a1, a2, a3, b1}},
		{store.Query{ID: "a"}, []record.Record{a1, a2, a3}},
		{store.Query{ID: "%"}, nil},
		{store.Query{Latest: true}, []record.Record{a3, b1}},
		{store.Query{Type: "memo"}, []record.Record{a2, a3}},
		{store.Query{Type: "memo", Latest: true}, []record.Record{a3}},
		{store.Query{Type: record.ResearchArtifact, Latest: true}, []record.Record{b1}},
		{store.Query{ID: "a", Type: record.ResearchArtifact}, []record.Record{a1}},
		{store.Query{ID: "a", Latest: true}, []record.Record{a3}},
		{store.Query{ID: "b", Type: "memo"}, nil},
		{store.Query{ID: "a", Version: 2}, []record.Record{a2}},
		{store.Query{Version: 1}, []record.Record{a1, b1}},
		{store.Query{Stale: true}, nil},
	} {
		same(t, test.want, records(t, s, test.query))
	}
}

func testRecordsReadBack(t *testing.T, s store.Store) {
	r := Record("'; DROP TABLE records; --\x00é", 1)
	r.Type, r.Status, r.Module, r.Summary = "\x00", "\u2028", "a'b\"", "line\nline\ttab\\\U0001F9EC"
	r.Change, r.Creator, r.Content = "x\x00", "\u202e", "not even a hash"
	r.At = time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", -7200))
	r.Tags = []string{"", "a", "a", "\x00", "\"]", "é\u2028<>&"}
	r.Links = []record.Link{{Relation: "cites", ID: "p", Version: 3}, {}, {Relation: "\"}", ID: "\x00", Version: -1}}
	write(t, s, store.Batch{Records: []record.Record{r, Record("plain", 1)}})
	r.Tags[1], r.Links[0].ID = "changed afterwards", "changed afterwards"
	got := records(t, s, store.Query{ID: r.ID})
	r.Tags[1], r.Links[0].ID = "a", "p"
	same(t, []record.Record{r}, got)
	if got[0].At.Location() != time.UTC {
		t.Errorf("the time came back in %s", got[0].At.Location())
	}
}

func testRecordConflict(t *testing.T, s store.Store) {
	write(t, s, store.Batch{Records: []record.Record{Record("a", 1), Record("a", 2)}})
	for id, versions := range map[string][]int{"a": {1, 2, 4, 100}, "b": {2}} {
		for _, version := range versions {
			r := Record(id, version)
			refused(t, store.Conflict, s.Write(t.Context(), store.Batch{Records: []record.Record{r}}))
		}
	}
	refused(t, store.Conflict, s.Write(t.Context(), store.Batch{Records: []record.Record{Record("a", 3), Record("a", 3)}}))
	same(t, 2, len(records(t, s, store.Query{})))
}

func testInvalidRecord(t *testing.T, s store.Store) {
	for _, spoil := range []func(*record.Record){
		func(r *record.Record) { r.Summary = "" },
		func(r *record.Record) { r.Summary = "\xff" },
		func(r *record.Record) { r.Parent = 1 },
		func(r *record.Record) { r.At = time.Time{} },
	} {
		r := Record("a", 1)
		spoil(&r)
		refused(t, record.Invalid, s.Write(t.Context(), store.Batch{Records: []record.Record{r}}))
	}
	untouched(t, s)
}

// A batch with one bad part leaves nothing of its good ones.
func testWholeOrNot(t *testing.T, s store.Store) {
	good := store.Batch{
		Blobs:   [][]byte{[]byte("good")},
		Appends: []store.Append{{Stream: "good", Entries: Chain(t, "good", journal.Head{}, 2)}},
		Records: []record.Record{Record("good", 1)},
	}
	moved, conflict := good, good
	moved.Appends = append(moved.Appends[:1:1], store.Append{Stream: "bad", After: journal.Head{Seq: 1, Hash: "x"}})
	conflict.Records = append(conflict.Records[:1:1], Record("bad", 2))
	refused(t, store.Moved, s.Write(t.Context(), moved))
	refused(t, store.Conflict, s.Write(t.Context(), conflict))
	untouched(t, s)
	_, err := s.Blob(t.Context(), store.Hash(good.Blobs[0]))
	refused(t, store.NoBlob, err)
	write(t, s, good)
	write(t, s, store.Batch{}) // nothing is also whole
	same(t, 1, len(streams(t, s, "")))
}

func testCancelled(t *testing.T, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for op, err := range everyMethod(ctx, s) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", op, err)
		}
	}
	untouched(t, s)
	write(t, s, store.Batch{Records: []record.Record{Record("a", 1)}}) // it still works
}

func testClosed(t *testing.T, s store.Store) {
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for op, err := range everyMethod(t.Context(), s) {
		if fault.CodeOf(err) != store.Closed {
			t.Errorf("%s: %v", op, err)
		}
	}
}

func everyMethod(ctx context.Context, s store.Store) map[string]error {
	all := map[string]error{"Write": s.Write(ctx, store.Batch{Records: []record.Record{Record("a", 1)}})}
	_, all["Blob"] = s.Blob(ctx, store.Hash(nil))
	_, all["Entries"] = s.Entries(ctx, "a", 0)
	_, all["Streams"] = s.Streams(ctx, "")
	_, all["Records"] = s.Records(ctx, store.Query{})
	_, all["Heads"] = s.Heads(ctx, store.HeadQuery{})
	_, all["Census"] = s.Census(ctx)
	_, all["Edges"] = s.Edges(ctx, store.EdgeQuery{})
	_, all["Marks"] = s.Marks(ctx, "a")
	_, all["Tips"] = s.Tips(ctx, "a")
	return all
}
