package storetest

import (
	"context"
	"errors"
	"slices"
	"strings"
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
	r := Record("'; DROP TABLE records; --\x01é", 1)
	r.Type, r.Status, r.Module, r.Summary = "\x01", "\u2028", "a'b\"", "line\nline\ttab\\\U0001F9EC"
	r.Change, r.Creator, r.Content = "x\x7f", "\u202e", "not even a hash"
	r.At = time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", -7200))
	r.Tags = []string{"", "a", "a", "\x01", "\"]", "é\u2028<>&"}
	r.Links = []record.Link{{Relation: "cites", ID: "p", Version: 3}, {}, {Relation: "\"}", ID: "\x01", Version: -1}}
	write(t, s, store.Batch{Records: []record.Record{r, Record("plain", 1)}})
	r.Tags[1], r.Links[0].ID = "changed afterwards", "changed afterwards"
	got := records(t, s, store.Query{ID: r.ID})
	r.Tags[1], r.Links[0].ID = "a", "p"
	same(t, []record.Record{r}, got)
	if got[0].At.Location() != time.UTC {
		t.Errorf("got the time in %s, want UTC", got[0].At.Location())
	}
}

func testRecordConflict(t *testing.T, s store.Store) {
	write(t, s, store.Batch{Records: []record.Record{Record("a", 1), Record("a", 2)}})
	for id, versions := range map[string][]int{"a": {1, 2, 4, 100}, "b": {2}} {
		for _, version := range versions {
			r := Record(id, version)
			wantCode(t, store.Conflict, s.Write(t.Context(), store.Batch{Records: []record.Record{r}}))
		}
	}
	wantCode(t, store.Conflict, s.Write(t.Context(), store.Batch{Records: []record.Record{Record("a", 3), Record("a", 3)}}))
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
		wantCode(t, record.Invalid, s.Write(t.Context(), store.Batch{Records: []record.Record{r}}))
	}
	untouched(t, s)
}

// NUL is refused wherever a database could not store it, and the queries for it have no result.
func testNUL(t *testing.T, s store.Store) {
	const nul = "a\x00b"
	entry := must(journal.Head{}.Next("a", Instant(0), nul, []byte(`{}`)))(t)
	for name, spoil := range map[string]func(*store.Batch){
		"stream": func(b *store.Batch) {
			b.Appends = []store.Append{{Stream: nul, Entries: Chain(t, nul, journal.Head{}, 1)}}
		},
		"guard":   func(b *store.Batch) { b.Appends = []store.Append{{Stream: nul}} },
		"kind":    func(b *store.Batch) { b.Appends = []store.Append{{Stream: "a", Entries: []journal.Entry{entry}}} },
		"note":    func(b *store.Batch) { b.Appends[0].Summary = nul },
		"id":      func(b *store.Batch) { b.Records[0].ID = nul },
		"type":    func(b *store.Batch) { b.Records[0].Type = nul },
		"status":  func(b *store.Batch) { b.Records[0].Status = nul },
		"module":  func(b *store.Batch) { b.Records[0].Module = nul },
		"summary": func(b *store.Batch) { b.Records[0].Summary = nul },
		"content": func(b *store.Batch) { b.Records[0].Content = nul },
		"change":  func(b *store.Batch) { b.Records[0].Change = nul },
		"creator": func(b *store.Batch) { b.Records[0].Creator = nul },
		"tag":     func(b *store.Batch) { b.Records[0].Tags = []string{nul} },
		"link": func(b *store.Batch) {
			b.Records[0].Links = []record.Link{{Relation: record.Cites, ID: nul, Version: 1}}
		},
		"reason": func(b *store.Batch) { b.Marks[0].Reason = nul },
		"marker": func(b *store.Batch) { b.Marks[0].By = nul },
	} {
		b := store.Batch{
			Appends: []store.Append{{Stream: "a", Entries: Chain(t, "a", journal.Head{}, 1)}}, Records: []record.Record{Record("a", 1)},
			Marks: []record.Mark{mark("a", 1, record.Canonical, 0)},
		}
		spoil(&b)
		if err := s.Write(t.Context(), b); fault.CodeOf(err) != store.BadText || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	untouched(t, s)
	for _, text := range []string{nul, "\xff"} {
		same(t, nil, streams(t, s, text))
		same(t, nil, entries(t, s, text, 0))
		same(t, nil, records(t, s, store.Query{ID: text}))
		same(t, nil, records(t, s, store.Query{Type: text}))
		same(t, nil, records(t, s, store.Query{Status: text}))
		for _, q := range []store.HeadQuery{
			{ID: text},
			{Prefix: text},
			{Types: []string{text}},
			{Types: []string{text, "memo"}},
			{Modules: []string{text}},
			{Tag: text},
			{Status: text},
			{Besides: []record.Ref{{ID: text, Version: 1}}},
		} {
			same(t, nil, heads(t, s, q))
		}
		same(t, nil, must(s.Edges(t.Context(), store.EdgeQuery{From: []record.Ref{{ID: text}}, To: []record.Ref{{ID: text, Version: 1}}}))(t))
		same(t, nil, must(s.Marks(t.Context(), text))(t))
		same(t, nil, must(s.Tips(t.Context(), text))(t))
	}
}

// A batch with one bad part stores none of its good ones.
func testAtomic(t *testing.T, s store.Store) {
	good := store.Batch{
		Blobs:   [][]byte{[]byte("good")},
		Appends: []store.Append{{Stream: "good", Entries: Chain(t, "good", journal.Head{}, 2)}},
		Records: []record.Record{Record("good", 1)},
	}
	moved, conflict := good, good
	moved.Appends = append(moved.Appends[:1:1], store.Append{Stream: "bad", After: journal.Head{Seq: 1, Hash: "x"}})
	conflict.Records = append(conflict.Records[:1:1], Record("bad", 2))
	wantCode(t, store.Moved, s.Write(t.Context(), moved))
	wantCode(t, store.Conflict, s.Write(t.Context(), conflict))
	untouched(t, s)
	wantCode(t, store.NoBlob, fails(s.Blob(t.Context(), store.Hash(good.Blobs[0]))))
	write(t, s, good)
	write(t, s, store.Batch{}) // an empty batch is valid
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

func testEntries(t *testing.T, s store.Store) {
	same(t, nil, entries(t, s, "a", 0))
	add(t, s, "a", 3)
	add(t, s, "b", 1)
	all := add(t, s, "a", 9)
	for after := -1; after <= 13; after++ {
		same(t, all[min(max(after, 0), len(all)):], entries(t, s, "a", after))
	}
	if err := journal.Check("a", journal.Head{}, entries(t, s, "a", 0)); err != nil {
		t.Error(err)
	}
}

// Any JSON text is stored unchanged, and instants keep their nanoseconds.
func testHostileEntries(t *testing.T, s store.Store) {
	var head journal.Head
	var all []journal.Entry
	name := "a\x01b'; DROP TABLE entries; --\u2028é\U0001F9EC"
	for _, kind := range []string{"", "\x01", "a\x01b", "%", "é", "\u202e", strings.Repeat("long ", 5000)} {
		e, err := head.Next(name, Instant(head.Seq).In(time.FixedZone("", 3600)), kind, []byte(`{"text":"a\u0000b\u2028","n":1e300,"":[null,{}]}`))
		if err != nil {
			t.Fatal(err)
		}
		write(t, s, store.Batch{Appends: []store.Append{{Stream: name, After: head, Entries: []journal.Entry{e}}}})
		all, head = append(all, e), e.Head()
	}
	same(t, all, entries(t, s, name, 0))
	same(t, nil, entries(t, s, "a", 0))
	same(t, head, streams(t, s, "a\x01")[0].Head)
}

func testHeadMoved(t *testing.T, s store.Store) {
	all := add(t, s, "a", 3)
	for _, after := range []journal.Head{{}, all[0].Head(), all[1].Head(), {Seq: 3, Hash: all[1].Hash}, {Seq: 4, Hash: "x"}} {
		err := s.Write(t.Context(), store.Batch{Appends: []store.Append{{Stream: "a", After: after, Entries: Chain(t, "a", after, 1)}}})
		wantCode(t, store.Moved, err)
		if err != nil && !strings.Contains(err.Error(), all[2].Hash) {
			t.Errorf("does not name the stream's head: %v", err)
		}
	}
	err := s.Write(t.Context(), store.Batch{Appends: []store.Append{{Stream: "b", After: all[2].Head(), Entries: Chain(t, "b", all[2].Head(), 1)}}})
	wantCode(t, store.Moved, err)
	same(t, all, entries(t, s, "a", 0))
	same(t, 1, len(streams(t, s, "")))
}

func testGuard(t *testing.T, s store.Store) {
	write(t, s, store.Batch{Appends: []store.Append{{Stream: "a"}}})
	untouched(t, s)
	all := add(t, s, "a", 1)
	write(t, s, store.Batch{Appends: []store.Append{{Stream: "a", After: all[0].Head()}}})
	err := s.Write(t.Context(), store.Batch{Appends: []store.Append{{Stream: "a"}}, Blobs: [][]byte{{1}}})
	wantCode(t, store.Moved, err)
	wantCode(t, store.NoBlob, fails(s.Blob(t.Context(), store.Hash([]byte{1}))))
}

func testBrokenChain(t *testing.T, s store.Store) {
	chain := Chain(t, "a", journal.Head{}, 3)
	edited := Chain(t, "a", journal.Head{}, 3)
	edited[1].Kind = "edited"
	for name, list := range map[string][]journal.Entry{
		"gap": {chain[0], chain[2]}, "twice": {chain[0], chain[0]}, "late": chain[1:], "edited": edited, "other stream": Chain(t, "b", journal.Head{}, 1),
	} {
		err := s.Write(t.Context(), store.Batch{Appends: []store.Append{{Stream: "a", Entries: list}}})
		if fault.CodeOf(err) != journal.BrokenChain {
			t.Errorf("%s: %v", name, err)
		}
	}
	untouched(t, s)
}

func testTwoAppends(t *testing.T, s store.Store) {
	chain := Chain(t, "a", journal.Head{}, 4)
	write(t, s, store.Batch{Appends: []store.Append{
		{Stream: "a", Entries: chain[:2]},
		{Stream: "b", Entries: Chain(t, "b", journal.Head{}, 1)},
		{Stream: "a", After: chain[1].Head(), Entries: chain[2:]},
	}})
	same(t, chain, entries(t, s, "a", 0))
	more := Chain(t, "a", chain[3].Head(), 1)
	twice := store.Append{Stream: "a", After: chain[3].Head(), Entries: more}
	wantCode(t, store.Moved, s.Write(t.Context(), store.Batch{Appends: []store.Append{twice, twice}}))
	same(t, chain, entries(t, s, "a", 0))
}

func testStreams(t *testing.T, s store.Store) {
	names := []string{"%", "A", "_", "a", "a%", "a%b", "a/", "a/b", "aXb", "a_b", "ab", "a\\b", "a\x01", "é", "éa", "z", "\U0001F9EC"}
	for _, name := range names {
		add(t, s, name, 1)
	}
	for _, prefix := range append([]string{"", "a\xff", "\xc3", "[a]", "*", "missing"}, names...) {
		var got []string
		for i, one := range streams(t, s, prefix) {
			got = append(got, one.Name)
			if i > 0 && got[i-1] >= one.Name {
				t.Errorf("%q is listed before %q", got[i-1], one.Name)
			}
		}
		want := 0
		for _, name := range names {
			if strings.HasPrefix(name, prefix) {
				want++
			}
		}
		for _, name := range got {
			if !strings.HasPrefix(name, prefix) {
				t.Errorf("%q does not begin with %q", name, prefix)
			}
		}
		if len(got) != want {
			t.Errorf("%q: %q", prefix, got)
		}
		head, err := store.HeadOf(t.Context(), s, prefix)
		if there := slices.Contains(names, prefix); err != nil || there != (head.Seq == 1) || there != (head.Hash != "") {
			t.Errorf("%q: %+v, %v", prefix, head, err)
		}
	}
}

func testStreamTimes(t *testing.T, s store.Store) {
	add(t, s, "a", 2)
	all := add(t, s, "a", 3)
	same(t, []store.Stream{{Name: "a", Head: all[4].Head(), Began: all[0].At, Last: all[4].At}}, streams(t, s, ""))
}

// testStreamSummaries checks that the summary of a stream is that of its last entry, and of nothing
// that was refused.
func testStreamSummaries(t *testing.T, s store.Store) {
	const awkward = "{\"awkward\": \"é\x01' \\\""
	add := func(after journal.Head, n int, summary string) (journal.Head, error) {
		a := store.Append{Stream: "a", After: after, Entries: Chain(t, "a", after, n), Summary: summary}
		if n > 0 {
			after = journal.HeadOf(a.Entries)
		}
		return after, s.Write(t.Context(), store.Batch{Appends: []store.Append{a}})
	}
	want := func(summary string) {
		t.Helper()
		one := must(store.StreamOf(t.Context(), s, "a"))(t)
		same(t, summary, one.Summary)
	}
	first := must(add(journal.Head{}, 1, "one"))(t)
	want("one")
	second := must(add(first, 2, awkward))(t)
	want(awkward)
	must(add(second, 0, "only the head is checked"))(t)
	want(awkward)
	wantCode(t, store.Moved, fails(add(first, 1, "late")))
	want(awkward)
	must(add(second, 1, ""))(t) // a writer without summaries leaves none that is outdated
	want("")
	same(t, store.Stream{}, must(store.StreamOf(t.Context(), s, "b"))(t))
}
