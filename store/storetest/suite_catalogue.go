package storetest

import (
	"fmt"
	"sync"
	"testing"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

func mark(id string, version int, status string, was int) record.Mark {
	return record.Mark{ID: id, Version: version, Status: status, Was: was, By: "Sydney", Reason: "it holds", At: Instant(version)}
}

func marked(t *testing.T, s store.Store, marks ...record.Mark) {
	t.Helper()
	write(t, s, store.Batch{Marks: marks})
}

func heads(t *testing.T, s store.Store, q store.HeadQuery) []record.Head {
	t.Helper()
	return must(s.Heads(t.Context(), q))(t)
}

func ids(heads []record.Head) []string {
	var all []string
	for _, h := range heads {
		all = append(all, h.ID)
	}
	return all
}

func linked(id string, version int, links ...record.Link) record.Record {
	r := Record(id, version)
	r.Links = links
	return r
}

func testRecordsByStatus(t *testing.T, s store.Store) {
	a1, a2, b1 := Record("a", 1), Record("a", 2), Record("b", 1)
	b1.Status, b1.SummaryOf, b1.SummaryBy = record.NeedsRebase, store.Hash(nil), record.Kept
	write(t, s, store.Batch{Records: []record.Record{a1, a2, b1}, Marks: []record.Mark{mark("a", 1, record.Canonical, 0)}})
	a1.Status = record.Canonical
	same(t, []record.Record{a1}, records(t, s, store.Query{Status: record.Canonical}))
	same(t, []record.Record{a2}, records(t, s, store.Query{Status: record.Draft}))
	same(t, []record.Record{b1}, records(t, s, store.Query{Status: record.NeedsRebase}))
	same(t, []record.Record{b1}, records(t, s, store.Query{Stale: true}))
	marked(t, s, mark("b", 1, record.Draft, 0))
	b1.Status = record.Draft
	same(t, nil, records(t, s, store.Query{Status: record.NeedsRebase}))
	same(t, []record.Record{a2, b1}, records(t, s, store.Query{Status: record.Draft}))
}

func testHeads(t *testing.T, s store.Store) {
	note, memo1, memo2 := Record("note-1", 1), Record("memo", 1), Record("memo", 2)
	note.Type, note.Module, note.At, note.Tags = "paper_note", "fate", Instant(9), []string{"embryo"}
	memo2.Summary = "another summary"
	other := Record("note-2", 1)
	other.Type, other.At = "paper_note", Instant(9)
	write(t, s, store.Batch{Records: []record.Record{note, memo1, memo2, other}})
	head := func(r record.Record, latest, canonical int) record.Head {
		return record.Head{ID: r.ID, Latest: latest, Canonical: canonical, Type: r.Type, Module: r.Module, Status: r.Status, Summary: r.Summary, Tips: 1, Tip: latest, At: r.At}
	}
	same(t, []record.Head{head(memo2, 2, 0), head(note, 1, 0), head(other, 1, 0)}, heads(t, s, store.HeadQuery{}))
	// The canonical version is the standing one; the time is that of the latest.
	marked(t, s, mark("memo", 1, record.Canonical, 0))
	want := head(memo1, 2, 1)
	want.Status, want.At = record.Canonical, memo2.At
	same(t, []record.Head{want}, heads(t, s, store.HeadQuery{Canonical: true}))
	for _, test := range []struct {
		query store.HeadQuery
		want  []string
	}{
		{store.HeadQuery{Newest: true}, []string{"note-1", "note-2", "memo"}},
		{store.HeadQuery{Newest: true, Limit: 1}, []string{"note-1"}},
		{store.HeadQuery{Types: []string{"paper_note"}}, []string{"note-1", "note-2"}},
		{store.HeadQuery{Types: []string{"paper_note", record.ResearchArtifact}, Modules: []string{"cells"}}, []string{"memo", "note-2"}},
		{store.HeadQuery{Tag: "embryo"}, []string{"note-1"}},
		{store.HeadQuery{ID: "note-1"}, []string{"note-1"}},
		{store.HeadQuery{ID: "note-"}, nil},
		{store.HeadQuery{ID: "note-1", Prefix: "memo"}, nil},
		{store.HeadQuery{Prefix: "note-"}, []string{"note-1", "note-2"}},
		{store.HeadQuery{Prefix: "note_"}, nil},
		{store.HeadQuery{Status: record.Canonical}, []string{"memo"}},
		{store.HeadQuery{After: Instant(2)}, []string{"note-1", "note-2"}},
		{store.HeadQuery{Before: Instant(9)}, []string{"memo"}},
		{store.HeadQuery{Forked: true}, nil},
	} {
		same(t, test.want, ids(heads(t, s, test.query)))
	}
	marked(t, s, mark("note-2", 1, record.Deprecated, 0))
	same(t, []string{"memo", "note-1"}, ids(heads(t, s, store.HeadQuery{Live: true})))
	// A version that needs an update is still canonical; a draft is not.
	marked(t, s, mark("memo", 1, record.NeedsUpdate, 0))
	if got := heads(t, s, store.HeadQuery{Prefix: "memo"}); got[0].Canonical != 1 || got[0].Status != record.NeedsUpdate {
		t.Errorf("%+v", got)
	}
	marked(t, s, mark("memo", 1, record.Alternative, 0))
	if got := heads(t, s, store.HeadQuery{Prefix: "memo"}); got[0].Canonical != 0 || got[0].Status != record.Draft || got[0].Summary != "another summary" {
		t.Errorf("%+v", got)
	}
}

// A record is unreferenced if no standing version links to it.
func testUnreferenced(t *testing.T, s store.Store) {
	write(t, s, store.Batch{Records: []record.Record{
		Record("note", 1), linked("memo", 1, record.Link{Relation: record.Cites, ID: "note", Version: 1}),
		linked("self", 1), linked("self", 2, record.Link{Relation: record.Supersedes, ID: "self", Version: 1}),
	}})
	same(t, []string{"memo", "self"}, ids(heads(t, s, store.HeadQuery{Unreferenced: true})))
	write(t, s, store.Batch{Records: []record.Record{Record("memo", 2)}})
	same(t, []string{"memo", "note", "self"}, ids(heads(t, s, store.HeadQuery{Unreferenced: true})))
	marked(t, s, mark("memo", 1, record.Canonical, 0))
	same(t, []string{"memo", "self"}, ids(heads(t, s, store.HeadQuery{Unreferenced: true})))
	marked(t, s, mark("memo", 1, record.Deprecated, 0), mark("memo", 2, record.Deprecated, 0))
	same(t, []string{"memo", "note", "self"}, ids(heads(t, s, store.HeadQuery{Unreferenced: true})))
	var messages []record.Record
	for _, kind := range []string{record.Roster, record.Kickoff, record.Reply, record.Review} {
		r := linked("sent-"+kind, 1, record.Link{Relation: record.Cites, ID: "note", Version: 1})
		r.Type = kind
		messages = append(messages, r)
	}
	write(t, s, store.Batch{Records: messages})
	same(t, []string{"memo", "note", "self"}, ids(heads(t, s, store.HeadQuery{Unreferenced: true, Types: []string{Record("note", 1).Type}})))
}

// Besides excludes what a version depends on while that is the standing version.
func testBesides(t *testing.T, s store.Store) {
	var all []record.Record
	var links []record.Link
	var apart []string
	for _, relation := range record.Relations() {
		all, links = append(all, Record("to-"+relation, 1)), append(links, record.Link{Relation: relation, ID: "to-" + relation, Version: 1})
		if !record.Depends(relation) {
			apart = append(apart, "to-"+relation)
		}
	}
	write(t, s, store.Batch{Records: append(all, linked("memo", 1, links...))})
	left := func(by ...record.Ref) []string {
		return ids(heads(t, s, store.HeadQuery{Prefix: "to-", Besides: by}))
	}
	memo := record.Ref{ID: "memo", Version: 1}
	same(t, apart, left(memo))
	same(t, len(all), len(left(record.Ref{ID: "memo", Version: 2}, record.Ref{ID: "missing", Version: 1})))
	write(t, s, store.Batch{Records: []record.Record{Record("to-cites", 2)}})
	same(t, append([]string{"to-cites"}, apart...), left(memo))
	marked(t, s, mark("to-cites", 1, record.Canonical, 0))
	same(t, apart, left(memo))
}

func testCensus(t *testing.T, s store.Store) {
	note := Record("note", 1)
	note.Type, note.Module = "paper_note", "fate"
	write(t, s, store.Batch{
		Records: []record.Record{Record("a", 1), Record("a", 2), Record("b", 1), note},
		Marks:   []record.Mark{mark("b", 1, record.Canonical, 0)},
	})
	got := must(s.Census(t.Context()))(t)
	same(t, []record.Count{
		{Type: "paper_note", Module: "fate", Status: record.Draft, Records: 1},
		{Type: record.ResearchArtifact, Module: "cells", Status: record.Canonical, Records: 1},
		{Type: record.ResearchArtifact, Module: "cells", Status: record.Draft, Records: 1},
	}, got)
}

func testEdges(t *testing.T, s store.Store) {
	cites := record.Link{Relation: record.Cites, ID: "note", Version: 1}
	write(t, s, store.Batch{Records: []record.Record{
		Record("note", 1), Record("note", 2), linked("memo", 1, cites, cites, record.Link{Relation: record.Refutes, ID: "note", Version: 2}), linked("memo", 2, cites),
	}})
	edge := func(from int, relation string, to int) record.Edge {
		return record.Edge{From: record.Ref{ID: "memo", Version: from}, Relation: relation, To: record.Ref{ID: "note", Version: to}}
	}
	one, refutes, two := edge(1, record.Cites, 1), edge(1, record.Refutes, 2), edge(2, record.Cites, 1)
	for _, test := range []struct {
		query store.EdgeQuery
		want  []record.Edge
	}{
		{store.EdgeQuery{}, nil},
		{store.EdgeQuery{From: []record.Ref{{ID: "memo", Version: 1}}}, []record.Edge{one, refutes}},
		{store.EdgeQuery{From: []record.Ref{{ID: "memo"}}}, []record.Edge{one, refutes, two}},
		{store.EdgeQuery{To: []record.Ref{{ID: "note", Version: 1}}}, []record.Edge{one, two}},
		{store.EdgeQuery{To: []record.Ref{{ID: "note"}}}, []record.Edge{one, refutes, two}},
		{store.EdgeQuery{From: []record.Ref{{ID: "memo", Version: 2}}, To: []record.Ref{{ID: "note", Version: 2}, {ID: "x"}}}, []record.Edge{refutes, two}},
	} {
		got := must(s.Edges(t.Context(), test.query))(t)
		same(t, test.want, got)
	}
	// More than one SQL query can hold.
	many := make([]record.Ref, 1000)
	for i := range many {
		many[i] = record.Ref{ID: fmt.Sprint(i), Version: 1}
	}
	got, err := s.Edges(t.Context(), store.EdgeQuery{From: append(many, record.Ref{ID: "memo", Version: 1})})
	if err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

func testMarks(t *testing.T, s store.Store) {
	write(t, s, store.Batch{Records: []record.Record{Record("a", 1), Record("a", 2), Record("b", 1)}})
	all := []record.Mark{mark("a", 1, record.Canonical, 0), mark("a", 2, record.Canonical, 1), mark("a", 1, record.Deprecated, 0)}
	all[0].Reason = "'; DROP TABLE marks; --\x01é"
	marked(t, s, all...)
	got := must(s.Marks(t.Context(), "a"))(t)
	same(t, all, got)
	if h := heads(t, s, store.HeadQuery{Prefix: "a"}); h[0].Canonical != 2 {
		t.Errorf("%+v", h)
	}
	if got, err := s.Marks(t.Context(), "b"); err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
	other := mark("b", 1, record.Canonical, 0)
	marked(t, s, other, mark("a", 2, record.Deprecated, 0))
	same(t, append(all, other, mark("a", 2, record.Deprecated, 0)), must(s.Marks(t.Context(), ""))(t))
	for _, r := range must(s.Records(t.Context(), store.Query{ID: "a", Status: record.Deprecated, Initial: true}))(t) {
		if r.Status != record.Draft {
			t.Errorf("%s was stored with status %s", r.Ref(), r.Status)
		}
	}
}

func testMarksRefused(t *testing.T, s store.Store) {
	write(t, s, store.Batch{Records: []record.Record{Record("a", 1), Record("a", 2)}, Marks: []record.Mark{mark("a", 2, record.Canonical, 0)}})
	for _, test := range []struct {
		mark record.Mark
		want fault.Code
	}{
		{mark("a", 3, record.Deprecated, 0), store.NoRecord},
		{mark("b", 1, record.Canonical, 0), store.NoRecord},
		{mark("a", 1, record.Canonical, 0), store.CanonMoved},
		{mark("a", 1, record.Canonical, 1), store.CanonMoved},
		{mark("a", 1, "unknown", 0), record.Invalid},
		{mark("", 1, record.Draft, 0), record.Invalid},
		{record.Mark{ID: "a", Version: 1, Status: record.Draft, At: Instant(1)}, record.Invalid},
	} {
		wantCode(t, test.want, s.Write(t.Context(), store.Batch{Marks: []record.Mark{mark("a", 1, record.Alternative, 0), test.mark}}))
	}
	got, err := s.Marks(t.Context(), "a")
	if err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func testTips(t *testing.T, s store.Store) {
	tips := func(want ...int) {
		t.Helper()
		got := must(s.Tips(t.Context(), "a"))(t)
		same(t, want, got)
		if h := heads(t, s, store.HeadQuery{}); len(h) > 0 && h[0].Tips != len(want) {
			t.Errorf("%+v", h[0])
		}
		same(t, len(want) > 1, len(heads(t, s, store.HeadQuery{Forked: true})) == 1)
	}
	tips()
	put := func(version, parent int, links ...record.Link) {
		t.Helper()
		r := linked("a", version, links...)
		r.Parent = parent
		write(t, s, store.Batch{Records: []record.Record{r}})
	}
	put(1, 0)
	tips(1)
	put(2, 1)
	tips(2)
	put(3, 1) // an old parent: a fork
	tips(2, 3)
	put(4, 2)
	tips(3, 4)
	put(5, 4, record.Link{Relation: record.Supersedes, ID: "a", Version: 3}) // merged
	tips(5)
	put(6, 4)
	marked(t, s, mark("a", 6, record.Deprecated, 0)) // deprecated: the other one is the standing tip
	tips(5)
	if h := heads(t, s, store.HeadQuery{}); h[0].Standing().Version != 5 || h[0].Latest != 6 || h[0].Status != record.Draft {
		t.Errorf("%+v", h[0])
	}
	marked(t, s, mark("a", 5, record.Deprecated, 0)) // the last one stays
	tips(5)
}

// One of several concurrent promotions wins, and the others are refused.
func testOnePromotion(t *testing.T, s store.Store) {
	const writers = 8
	for n := 1; n <= writers; n++ {
		write(t, s, store.Batch{Records: []record.Record{Record("a", n)}})
	}
	ctx := background(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for n := 1; n <= writers; n++ {
		all.Go(func() {
			err := s.Write(ctx, store.Batch{Marks: []record.Mark{mark("a", n, record.Canonical, 0)}})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won = n
			case fault.CodeOf(err) != store.CanonMoved:
				t.Error(err)
			}
		})
	}
	all.Wait()
	got, err := s.Marks(ctx, "a")
	if err != nil || len(got) != 1 || got[0].Version != won {
		t.Errorf("%v, %v", got, err)
	}
}
