package postgres

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/postgres/postgrestest"
	"brenner/store/record"
	"brenner/store/storetest"
)

// A commit whose answer is lost is neither reported as failed nor done twice.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]postgrestest.Fault{
		"after": postgrestest.CutAfterCommit, "at": postgrestest.CutAtCommit, "before": postgrestest.CutBeforeCommit,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := postgrestest.Address(t)
			proxy := postgrestest.NewProxy(t, address)
			s, direct := openAt(t, proxy.Through(address), Options{}), openAt(t, address, Options{})
			var head journal.Head
			const rounds = 5
			for n := range rounds {
				entries := storetest.Chain(t, "s", head, 2)
				mark := record.Mark{ID: "a", Version: n + 1, Status: record.Deprecated, By: "Sydney", Reason: fmt.Sprint(n), At: storetest.Instant(n)}
				for _, b := range []store.Batch{
					{Appends: []store.Append{{Stream: "s", After: head, Entries: entries}}, Blobs: [][]byte{{byte(n)}}},
					{Appends: []store.Append{{Stream: fmt.Sprint("new ", n), Entries: storetest.Chain(t, fmt.Sprint("new ", n), journal.Head{}, 1)}}},
					{Records: []record.Record{storetest.Record("a", n+1)}},
					{Marks: []record.Mark{mark}},
					{Blobs: [][]byte{{1, byte(n)}}, Appends: []store.Append{{Stream: "missing"}}},
				} {
					proxy.Do(f)
					if err := s.Write(t.Context(), b); err != nil {
						t.Fatal(err)
					}
				}
				head = journal.HeadOf(entries)
			}
			if proxy.Cuts() != 5*rounds {
				t.Errorf("%d lines were cut, want %d", proxy.Cuts(), 5*rounds)
			}
			got, err := direct.Entries(t.Context(), "s", 0)
			if err != nil || len(got) != 2*rounds {
				t.Errorf("%d entries, %v", len(got), err)
			}
			marks, err := direct.Marks(t.Context(), "a")
			if err != nil || len(marks) != rounds {
				t.Errorf("%d marks, %v", len(marks), err)
			}
			if err := direct.Verify(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A write that another process has overtaken is refused, although the answer was lost.
func TestLostAnswerOfAnOvertakenWrite(t *testing.T) {
	t.Parallel()
	address := postgrestest.Address(t)
	proxy := postgrestest.NewProxy(t, address)
	s, other := openAt(t, proxy.Through(address), Options{}), openAt(t, address, Options{})
	mine := store.Batch{Appends: []store.Append{{Stream: "s", Entries: storetest.Chain(t, "s", journal.Head{}, 1)}}}
	theirs := store.Batch{Appends: []store.Append{{Stream: "s", Entries: storetest.Chain(t, "s", journal.Head{}, 2)}}}
	if err := other.Write(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	proxy.Do(postgrestest.CutBeforeCommit)
	if err := s.Write(t.Context(), mine); fault.CodeOf(err) != store.Moved {
		t.Error(err)
	}
}

// Lines are cut at any point: every write succeeds once, and every read.
func TestCutsAtAnyTime(t *testing.T) {
	t.Parallel()
	address := postgrestest.Address(t)
	proxy := postgrestest.NewProxy(t, address)
	s := openAt(t, proxy.Through(address), Options{})
	ctx := context.WithoutCancel(t.Context())
	const writers, each = 4, 25
	proxy.CutAtRandom(1, 8<<10)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			stream := fmt.Sprint("s", w)
			var head journal.Head
			for range each {
				entries := storetest.Chain(t, stream, head, 1)
				if err := s.Write(ctx, store.Batch{Appends: []store.Append{{Stream: stream, After: head, Entries: entries}}, Blobs: [][]byte{[]byte(entries[0].Hash)}}); err != nil {
					t.Error(err)
					return
				}
				head = journal.HeadOf(entries)
				if got, err := s.Entries(ctx, stream, head.Seq-1); err != nil || len(got) != 1 {
					t.Error(len(got), err)
				}
			}
		})
	}
	all.Wait()
	proxy.CutAtRandom(0, 0)
	if n := proxy.Cuts(); n < writers*each/5 {
		t.Errorf("only %d cuts", n)
	}
	for w := range writers {
		if got, err := s.Entries(ctx, fmt.Sprint("s", w), 0); err != nil || len(got) != each {
			t.Errorf("%d entries, %v", len(got), err)
		}
	}
	if err := s.Verify(ctx); err != nil {
		t.Error(err)
	}
}

// A stalled line is given up, and a server that stays away is an error with a code.
func TestStall(t *testing.T) {
	t.Parallel()
	address := postgrestest.Address(t)
	proxy := postgrestest.NewProxy(t, address)
	s := openAt(t, proxy.Through(address), Options{})
	s.wait = 500 * time.Millisecond
	proxy.Do(postgrestest.Stall)
	_, err := s.Streams(t.Context(), "")
	if fault.CodeOf(err) != store.Unreachable || fault.HintOf(err) == "" {
		t.Error(err)
	}
	err = s.Write(t.Context(), store.Batch{Blobs: [][]byte{{1}}})
	if fault.CodeOf(err) != store.Unreachable || fault.HintOf(err) == "" {
		t.Error(err)
	}
	proxy.Do(postgrestest.None)
	s.wait = defaultWait
	if err := s.Write(t.Context(), store.Batch{Blobs: [][]byte{{1}}}); err != nil {
		t.Error(err)
	}
}

// The server crashes under load and comes back: reads and writes wait for it. What was acknowledged
// is there, once.
func TestServerCrashes(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	s := openOn(t, server)
	ctx := context.WithoutCancel(t.Context())
	const writers, each, crashes = 8, 60, 2
	stored := make([]int, writers)
	var all sync.WaitGroup
	progress := make(chan struct{}, writers*each)
	for w := range writers {
		all.Go(func() {
			stream := fmt.Sprint("s", w)
			var head journal.Head
			for range each {
				entries := storetest.Chain(t, stream, head, 1)
				if err := s.Write(ctx, store.Batch{Appends: []store.Append{{Stream: stream, After: head, Entries: entries}}}); err != nil {
					t.Error(err)
					break
				}
				stored[w]++
				head = journal.HeadOf(entries)
				progress <- struct{}{}
			}
		})
	}
	for range crashes {
		for range writers * each / (crashes + 2) {
			<-progress
		}
		server.Crash()
		if err := server.Run(); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
	for w := range writers {
		if got, err := s.Entries(ctx, fmt.Sprint("s", w), 0); err != nil || len(got) != stored[w] || len(got) != each {
			t.Errorf("%d entries, %d acknowledged, %v", len(got), stored[w], err)
		}
	}
	if err := s.Verify(ctx); err != nil {
		t.Error(err)
	}
}
