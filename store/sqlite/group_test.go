package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
)

// entryOf is a batch that begins a stream, with a blob.
func entryOf(t *testing.T, stream string) store.Batch {
	t.Helper()
	e, err := (journal.Head{}).Next(stream, time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC), "noted", []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	return store.Batch{Blobs: [][]byte{[]byte("of " + stream)}, Appends: []store.Append{{Stream: stream, Entries: []journal.Entry{e}}}}
}

// waitFor waits until so many wait in line.
func waitFor(s *Store, n int) {
	for {
		s.writer.group.mu.Lock()
		have := len(s.writer.group.waiting)
		s.writer.group.mu.Unlock()
		if have == n {
			return
		}
		runtime.Gosched()
	}
}

// TestTogether has many wait in line: one of them writes for all, and each gets its
// own outcome, also where one of them is refused and another has left.
func TestTogether(t *testing.T) {
	t.Parallel()
	for _, spoilt := range []bool{false, true} {
		s := openIn(t, t.TempDir(), Options{})
		if err := s.Write(t.Context(), entryOf(t, "taken")); err != nil {
			t.Fatal(err)
		}
		s.writer.group.turn <- struct{}{} // somebody writes
		const n = 10
		outcomes := make([]chan error, n)
		gone, leave := context.WithCancel(t.Context())
		for i := range outcomes {
			outcomes[i] = make(chan error, 1)
			ctx, b := t.Context(), entryOf(t, fmt.Sprintf("stream %d", i))
			switch {
			case spoilt && i == 3:
				b = entryOf(t, "taken")
			case i == 4:
				ctx = gone
			}
			go func() { outcomes[i] <- s.Write(ctx, b) }()
		}
		waitFor(s, n)
		leave()
		if err := <-outcomes[4]; !errors.Is(err, context.Canceled) {
			t.Errorf("whoever left got %v", err)
		}
		waitFor(s, n-1)
		<-s.writer.group.turn
		for i, outcome := range outcomes {
			if i == 4 {
				continue
			}
			err := <-outcome
			if spoilt && i == 3 {
				if fault.CodeOf(err) != store.Moved {
					t.Errorf("a stream that is there already: %v", err)
				}
				continue
			}
			if err != nil {
				t.Errorf("stream %d: %v", i, err)
			}
			if got, err := s.Entries(t.Context(), fmt.Sprintf("stream %d", i), 0); err != nil || len(got) != 1 {
				t.Errorf("stream %d has %d entries, %v", i, len(got), err)
			}
		}
		if left, err := s.Entries(t.Context(), "stream 4", 0); err != nil || len(left) > 0 {
			t.Errorf("what was withdrawn is there: %v, %v", left, err)
		}
	}
}

// TestTaken: whoever writes takes along all that wait, as far as the bounds allow, and
// nobody is taken twice.
func TestTaken(t *testing.T) {
	t.Parallel()
	q := NewGroup[int](maxBatches, maxBatchBytes, nil)
	var all []*Job[int]
	for i := range maxBatches + 5 {
		j := &Job[int]{Change: i, size: 1}
		if i == 1 || i == 2 {
			j.size = maxBatchBytes / 2
		}
		all = append(all, j)
	}
	q.add(all...)
	first := q.take(all[5])
	if len(first) != maxBatches || first[0] != all[5] {
		t.Fatalf("%d were taken", len(first))
	}
	for _, o := range []*Job[int]{all[5], all[0], all[1]} {
		if q.take(o) != nil || q.withdraw(o) {
			t.Fatal("an order was taken twice")
		}
	}
	second := q.take(all[2])
	if len(first)+len(second) != len(all) || len(q.waiting) != 0 {
		t.Errorf("%d and %d were taken of %d; %d wait", len(first), len(second), len(all), len(q.waiting))
	}
}

// Whoever has an order in hand may give it back, because its own context has ended: an
// order that nobody wants any more is then taken back, and nobody waits for it for ever.
func TestAnOrderThatWasGivenBack(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := NewGroup[int](maxBatches, 0, nil)
	o := &Job[int]{Ctx: ctx, done: make(chan error, 1)}
	w.turn <- struct{}{} // somebody writes, and has the order in hand
	gone := make(chan error)
	go func() { gone <- w.giveUp(ctx, o) }()
	w.add(o)
	<-w.turn
	if err := <-gone; !errors.Is(err, context.Canceled) || len(w.waiting) != 0 {
		t.Errorf("%v, and %d orders wait", err, len(w.waiting))
	}
}

// The outcome of one that was written meanwhile is what its owner is told.
func TestAnOrderThatWasWrittenAllTheSame(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := NewGroup[int](maxBatches, 0, nil)
	o := &Job[int]{Ctx: ctx, done: make(chan error, 1)}
	w.turn <- struct{}{}
	gone := make(chan error)
	go func() { gone <- w.giveUp(ctx, o) }()
	o.done <- nil
	<-w.turn
	if err := <-gone; err != nil {
		t.Error(err)
	}
}
