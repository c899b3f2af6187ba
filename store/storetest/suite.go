// Package storetest is the conformance suite of store.Store and store.Locks, which each
// implementation runs on itself.
//
// Only tests import it, and it must not know any implementation.
package storetest

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// Run tests a store.Store. open returns a new, empty store and closes it when the test ends.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, store.Store)
	}{
		{"Blobs", testBlobs},
		{"BlobsAreCopies", testBlobsAreCopies},
		{"NoBlob", testNoBlob},
		{"Entries", testEntries},
		{"EntriesOfHostileText", testHostileEntries},
		{"HeadMoved", testHeadMoved},
		{"GuardWithoutEntries", testGuard},
		{"BrokenChain", testBrokenChain},
		{"TwoAppendsToOneStream", testTwoAppends},
		{"StreamsByPrefix", testStreams},
		{"StreamTimes", testStreamTimes},
		{"StreamSummaries", testStreamSummaries},
		{"Records", testRecords},
		{"RecordsReadBack", testRecordsReadBack},
		{"RecordConflict", testRecordConflict},
		{"InvalidRecord", testInvalidRecord},
		{"RecordsByStatus", testRecordsByStatus},
		{"Heads", testHeads},
		{"HeadsUnreferenced", testUnreferenced},
		{"HeadsBesides", testBesides},
		{"Census", testCensus},
		{"Edges", testEdges},
		{"Marks", testMarks},
		{"MarksRefused", testMarksRefused},
		{"Tips", testTips},
		{"OnePromotionWins", testOnePromotion},
		{"NUL", testNUL},
		{"Atomic", testAtomic},
		{"Cancelled", testCancelled},
		{"Closed", testClosed},
		{"OneWinnerEach", testOneWinner},
		{"ReadersSeeCompleteBatches", testReadersSeeCompleteBatches},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open(t))
		})
	}
}

// Instant returns the n-th of a series of instants with nanoseconds.
func Instant(n int) time.Time {
	return time.Date(2026, 1, 2, 3, 4, 5, 123456789, time.UTC).Add(time.Duration(n) * time.Second)
}

// Chain returns n entries that follow a head.
func Chain(t testing.TB, stream string, after journal.Head, n int) []journal.Entry {
	t.Helper()
	var entries []journal.Entry
	for i := range n {
		e, err := after.Next(stream, Instant(after.Seq), "tested", fmt.Appendf(nil, `{"i":%d,"of":%d}`, i, n))
		if err != nil {
			t.Fatal(err)
		}
		entries, after = append(entries, e), e.Head()
	}
	return entries
}

// Record returns a valid record.
func Record(id string, version int) record.Record {
	return record.Record{
		ID: id, Type: record.ResearchArtifact, Version: version, Parent: version - 1, Status: record.Draft,
		Module: "cells", Summary: "a summary", SummaryOf: store.Hash([]byte(id)), SummaryBy: record.Given, Content: store.Hash([]byte(id)), Creator: "BlueLake", At: Instant(version),
	}
}

func write(t *testing.T, s store.Store, b store.Batch) {
	t.Helper()
	if err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// add appends n entries to a stream and returns all of its entries.
func add(t *testing.T, s store.Store, stream string, n int) []journal.Entry {
	t.Helper()
	have := entries(t, s, stream, 0)
	added := Chain(t, stream, journal.HeadOf(have), n)
	write(t, s, store.Batch{Appends: []store.Append{{Stream: stream, After: journal.HeadOf(have), Entries: added}}})
	return append(have, added...)
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func entries(t *testing.T, s store.Store, stream string, after int) []journal.Entry {
	t.Helper()
	return must(s.Entries(t.Context(), stream, after))(t)
}

func records(t *testing.T, s store.Store, q store.Query) []record.Record {
	t.Helper()
	return must(s.Records(t.Context(), q))(t)
}

func streams(t *testing.T, s store.Store, prefix string) []store.Stream {
	t.Helper()
	return must(s.Streams(t.Context(), prefix))(t)
}

func same[T any](t *testing.T, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func fails[T any](_ T, err error) error { return err }

// wantCode requires an error with the given code, a message and a hint.
func wantCode(t *testing.T, want fault.Code, err error) {
	t.Helper()
	if fault.CodeOf(err) != want || fault.HintOf(err) == "" {
		t.Errorf("got %v (%s), want %s with a hint", err, fault.CodeOf(err), want)
	}
}

func untouched(t *testing.T, s store.Store) {
	t.Helper()
	same(t, nil, streams(t, s, ""))
	same(t, nil, records(t, s, store.Query{}))
}

func background(t *testing.T) context.Context { return context.WithoutCancel(t.Context()) }

func testBlobs(t *testing.T, s store.Store) {
	everyByte := make([]byte, 256)
	for i := range everyByte {
		everyByte[i] = byte(i)
	}
	blobs := [][]byte{nil, {}, {0}, []byte("a"), []byte("\xff\xfe not UTF-8"), everyByte, bytes.Repeat(everyByte, 10_000)}
	write(t, s, store.Batch{Blobs: blobs})
	write(t, s, store.Batch{Blobs: blobs}) // storing it again is allowed
	for _, want := range blobs {
		got := must(s.Blob(t.Context(), store.Hash(want)))(t)
		if !bytes.Equal(want, got) {
			t.Errorf("got %d other bytes, want %d", len(got), len(want))
		}
	}
}

func testBlobsAreCopies(t *testing.T, s store.Store) {
	data := []byte("as written")
	hash := store.Hash(data)
	write(t, s, store.Batch{Blobs: [][]byte{data}})
	data[0] = 'X'
	for range 2 {
		got := must(s.Blob(t.Context(), hash))(t)
		same(t, "as written", string(got))
		got[0] = 'Y'
	}
}

func testNoBlob(t *testing.T, s store.Store) {
	write(t, s, store.Batch{Blobs: [][]byte{[]byte("a")}})
	for _, hash := range []string{store.Hash([]byte("b")), "", "%", "_", "'; DROP TABLE blobs; --", "\xff", store.Hash([]byte("a"))[:63]} {
		wantCode(t, store.NoBlob, fails(s.Blob(t.Context(), hash)))
	}
}

const (
	writers    = 16
	eachWrites = 3
)

// testOneWinner appends to one stream concurrently: one writer wins each head, the others retry,
// and in the end every entry is stored once.
func testOneWinner(t *testing.T, s store.Store) {
	var all sync.WaitGroup
	for n := range writers {
		all.Go(func() {
			for i := range eachWrites {
				if err := appendUntilWon(background(t), s, fmt.Sprintf("writer %d, entry %d", n, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got := entries(t, s, "race", 0)
	if err := journal.Check("race", journal.Head{}, got); err != nil {
		t.Error(err)
	}
	kinds := map[string]int{}
	for _, e := range got {
		kinds[e.Kind]++
	}
	if len(got) != writers*eachWrites || len(kinds) != writers*eachWrites {
		t.Errorf("%d entries, %d distinct", len(got), len(kinds))
	}
}

func appendUntilWon(ctx context.Context, s store.Store, kind string) error {
	for {
		have, err := s.Entries(ctx, "race", 0)
		if err != nil {
			return err
		}
		head := journal.HeadOf(have)
		e, err := head.Next("race", Instant(head.Seq), kind, []byte(`{}`))
		if err != nil {
			return err
		}
		err = s.Write(ctx, store.Batch{Appends: []store.Append{{Stream: "race", After: head, Entries: []journal.Entry{e}}}})
		if fault.CodeOf(err) != store.Moved {
			return err
		}
	}
}

// testReadersSeeCompleteBatches reads during writes: a result always ends with a complete batch.
func testReadersSeeCompleteBatches(t *testing.T, s store.Store) {
	const batches, size = 10, 5
	ctx := background(t)
	done := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		defer close(done)
		var head journal.Head
		for i := range batches {
			chain := Chain(t, "a", head, size)
			err := s.Write(ctx, store.Batch{
				Appends: []store.Append{{Stream: "a", After: head, Entries: chain}}, Records: []record.Record{Record("a", i+1)},
			})
			if err != nil {
				t.Error(err)
				return
			}
			head = journal.HeadOf(chain)
		}
	})
	for range 3 {
		all.Go(func() {
			for ended := false; !ended; {
				select {
				case <-done:
					ended = true
				default:
				}
				got, err := s.Entries(ctx, "a", 0)
				if err != nil || len(got)%size != 0 || journal.Check("a", journal.Head{}, got) != nil {
					t.Errorf("%d entries: %v", len(got), err)
					return
				}
			}
		})
	}
	all.Wait()
	same(t, batches*size, len(entries(t, s, "a", 0)))
}
