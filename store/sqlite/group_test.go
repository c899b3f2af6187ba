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

// entryOf returns a batch that creates a stream, with a blob.
func entryOf(t *testing.T, stream string) store.Batch {
	t.Helper()
	e, err := (journal.Head{}).Next(stream, time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC), "noted", []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	return store.Batch{Blobs: [][]byte{[]byte("of " + stream)}, Appends: []store.Append{{Stream: stream, Entries: []journal.Entry{e}}}}
}

// waitFor waits until n jobs are waiting.
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

// One of several waiting callers writes for all, and each gets its own outcome, even if one is
// refused and another is cancelled.
func TestGroupedWritesHaveTheirOwnOutcomes(t *testing.T) {
	t.Parallel()
	for _, conflict := range []bool{false, true} {
		s := openIn(t, t.TempDir(), Options{})
		if err := s.Write(t.Context(), entryOf(t, "taken")); err != nil {
			t.Fatal(err)
		}
		s.writer.group.turn <- struct{}{} // another caller writes
		const n = 10
		outcomes := make([]chan error, n)
		gone, leave := context.WithCancel(t.Context())
		for i := range outcomes {
			outcomes[i] = make(chan error, 1)
			ctx, b := t.Context(), entryOf(t, fmt.Sprintf("stream %d", i))
			switch {
			case conflict && i == 3:
				b = entryOf(t, "taken")
			case i == 4:
				ctx = gone
			}
			go func() { outcomes[i] <- s.Write(ctx, b) }()
		}
		waitFor(s, n)
		leave()
		if err := <-outcomes[4]; !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled caller got %v", err)
		}
		waitFor(s, n-1)
		<-s.writer.group.turn
		for i, outcome := range outcomes {
			if i == 4 {
				continue
			}
			err := <-outcome
			if conflict && i == 3 {
				if fault.CodeOf(err) != store.Moved {
					t.Errorf("an existing stream: %v", err)
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
			t.Errorf("a withdrawn write was stored: %v, %v", left, err)
		}
	}
}

// take returns all waiting jobs within the bounds, and no job twice.
func TestTakeRespectsBounds(t *testing.T) {
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
		t.Fatalf("took %d jobs", len(first))
	}
	for _, o := range []*Job[int]{all[5], all[0], all[1]} {
		if q.take(o) != nil || q.withdraw(o) {
			t.Fatal("a job was taken twice")
		}
	}
	second := q.take(all[2])
	if len(first)+len(second) != len(all) || len(q.waiting) != 0 {
		t.Errorf("took %d and %d jobs of %d; %d are waiting", len(first), len(second), len(all), len(q.waiting))
	}
}

// A caller whose context has ended may return jobs that it has taken. If the context of such a
// job has ended, too, the job is withdrawn, and its caller does not wait forever.
func TestGiveUpWithdrawsAReturnedJob(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := NewGroup[int](maxBatches, 0, nil)
	o := &Job[int]{Ctx: ctx, done: make(chan error, 1)}
	w.turn <- struct{}{} // another caller writes, and has taken the job
	gone := make(chan error)
	go func() { gone <- w.giveUp(ctx, o) }()
	w.add(o)
	<-w.turn
	if err := <-gone; !errors.Is(err, context.Canceled) || len(w.waiting) != 0 {
		t.Errorf("got %v; %d jobs are waiting", err, len(w.waiting))
	}
}

// If the job was written meanwhile, its outcome is returned.
func TestGiveUpReturnsTheOutcomeOfAWrittenJob(t *testing.T) {
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
