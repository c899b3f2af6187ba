package storetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
)

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

// What is text to JSON is text to a store, and instants keep their nanosecond.
func testHostileEntries(t *testing.T, s store.Store) {
	var head journal.Head
	var all []journal.Entry
	name := "a\x00b'; DROP TABLE entries; --\u2028é\U0001F9EC"
	for _, kind := range []string{"", "\x00", "a\x00b", "%", "é", "\u202e", strings.Repeat("long ", 5000)} {
		e, err := head.Next(name, Instant(head.Seq).In(time.FixedZone("", 3600)), kind, []byte(`{"text":"a\u0000b\u2028","n":1e300,"":[null,{}]}`))
		if err != nil {
			t.Fatal(err)
		}
		write(t, s, store.Batch{Appends: []store.Append{{Stream: name, After: head, Entries: []journal.Entry{e}}}})
		all, head = append(all, e), e.Head()
	}
	same(t, all, entries(t, s, name, 0))
	same(t, nil, entries(t, s, "a", 0))
	same(t, head, streams(t, s, "a\x00")[0].Head)
}

func testHeadMoved(t *testing.T, s store.Store) {
	all := add(t, s, "a", 3)
	for _, after := range []journal.Head{{}, all[0].Head(), all[1].Head(), {Seq: 3, Hash: all[1].Hash}, {Seq: 4, Hash: "x"}} {
		err := s.Write(t.Context(), store.Batch{Appends: []store.Append{{Stream: "a", After: after, Entries: Chain(t, "a", after, 1)}}})
		refused(t, store.Moved, err)
		if err != nil && !strings.Contains(err.Error(), all[2].Hash) {
			t.Errorf("does not name the stream's head: %v", err)
		}
	}
	err := s.Write(t.Context(), store.Batch{Appends: []store.Append{{Stream: "b", After: all[2].Head(), Entries: Chain(t, "b", all[2].Head(), 1)}}})
	refused(t, store.Moved, err)
	same(t, all, entries(t, s, "a", 0))
	same(t, 1, len(streams(t, s, "")))
}

func testGuard(t *testing.T, s store.Store) {
	write(t, s, store.Batch{Appends: []store.Append{{Stream: "a"}}})
	untouched(t, s)
	all := add(t, s, "a", 1)
	write(t, s, store.Batch{Appends: []store.Append{{Stream: "a", After: all[0].Head()}}})
	err := s.Write(t.Context(), store.Batch{Appends: []store.Append{{Stream: "a"}}, Blobs: [][]byte{{1}}})
	refused(t, store.Moved, err)
	_, err = s.Blob(t.Context(), store.Hash([]byte{1}))
	refused(t, store.NoBlob, err)
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
	refused(t, store.Moved, s.Write(t.Context(), store.Batch{Appends: []store.Append{twice, twice}}))
	same(t, chain, entries(t, s, "a", 0))
}

func testStreams(t *testing.T, s store.Store) {
	names := []string{"%", "A", "_", "a", "a%", "a%b", "a/", "a/b", "aXb", "a_b", "ab", "a\\b", "a\x00", "é", "éa", "z", "\U0001F9EC"}
	for _, name := range names {
		add(t, s, name, 1)
	}
	for _, prefix := range append([]string{"", "a\xff", "\xc3", "[a]", "*", "missing"}, names...) {
		var got []string
		for i, one := range streams(t, s, prefix) {
			got = append(got, one.Name)
			if i > 0 && got[i-1] >= one.Name {
				t.Errorf("%q stands before %q", got[i-1], one.Name)
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
