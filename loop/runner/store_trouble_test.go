package runner_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"brenner/agent/rehearsal"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/opentest"
)

// faultyStore is a store that refuses some reads and writes of streams.
type faultyStore struct {
	looptest.Store
	read  func(stream string) error
	write func(*store.Append) error
}

func (s *faultyStore) Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error) {
	if s.read != nil {
		if err := s.read(stream); err != nil {
			return nil, err
		}
	}
	return s.Store.Entries(ctx, stream, after)
}

func (s *faultyStore) Write(ctx context.Context, b store.Batch) error {
	for i := range b.Appends {
		if s.write == nil {
			break
		}
		if err := s.write(&b.Appends[i]); err != nil {
			return err
		}
	}
	return s.Store.Write(ctx, b)
}

// A store that fails while a run ends does not cause endless retries.
func TestStoreFailsWhileLeaving(t *testing.T) {
	inner := opentest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var full atomic.Bool
	st := &faultyStore{Store: inner}
	st.write = func(a *store.Append) error {
		if full.Load() && strings.HasPrefix(a.Stream, loop.Prefix) {
			return &fault.Error{Code: store.Full, Detail: "no space left"}
		}
		if strings.HasPrefix(a.Stream, session.Prefix) && slices.ContainsFunc(a.Entries, func(e journal.Entry) bool { return e.Kind == flow.KindEnded }) {
			full.Store(true)
			cancel()
		}
		return nil
	}
	_, err := loopRunner(st, looptest.FastScript()).Start(ctx, looptest.NewOpened(looptest.Work(4, 1), loop.Limits{Concurrency: 2}), nil)
	if fault.CodeOf(err) != store.Full {
		t.Fatal(err)
	}
	s, err := loopRunner(inner, looptest.FastScript()).Resume(t.Context(), "night", nil)
	if err != nil || s.Count(loop.Finished) != 4 {
		t.Fatalf("%v, %+v", err, s)
	}
	artifacts(t, inner, s)
}

// If a session's journal cannot be read, the run ends, and its cost is not lost.
func TestUnreadableSessionEndsRun(t *testing.T) {
	inner := opentest.New(t)
	var busy atomic.Bool
	st := &faultyStore{Store: inner, read: func(stream string) error {
		if busy.Load() && stream == session.Prefix+threadID(1) {
			return &fault.Error{Code: store.Busy, Detail: "another process is writing"}
		}
		return nil
	}}
	script := parse(t, strings.Replace(quota, "times: 1, after: 2h", "times: 0", 1))
	g := &looptest.Preparer{Store: st, Now: looptest.Clock, Script: func(j *loop.Job) *rehearsal.Script {
		busy.Store(j.Attempts > 0 && j.Settled.Spent > 0)
		return script
	}}
	r := &runner.Runner{Store: st, Locks: st, Now: looptest.Clock, Sessions: g.Session, Poll: time.Millisecond}
	s, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), loop.Limits{Retry: 2}), nil)
	if fault.CodeOf(err) != store.Busy || s.Spent.Tokens == 0 {
		t.Fatalf("%v, %+v", err, s)
	}
	busy.Store(false)
	script = looptest.FastScript()
	r.Sessions = (&looptest.Preparer{Store: inner, Now: looptest.Clock, Script: func(*loop.Job) *rehearsal.Script { return script }}).Session
	if s, err = r.Resume(t.Context(), "night", nil); err != nil {
		t.Fatal(err)
	}
	artifacts(t, inner, s)
}

// racingStore calls write right after a journal was first read.
type racingStore struct {
	looptest.Store
	stream string
	write  func()
	done   atomic.Bool
}

func (s *racingStore) Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error) {
	entries, err := s.Store.Entries(ctx, stream, after)
	if stream == s.stream && s.done.CompareAndSwap(false, true) {
		s.write()
	}
	return entries, err
}

// Work added while a loop is being resumed is run, once.
func TestWorkAddedDuringResume(t *testing.T) {
	inner := opentest.New(t)
	r := loopRunner(inner, looptest.FastScript())
	left := make(chan struct{})
	close(left)
	r.Drain = left
	if _, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), loop.Limits{}), nil); err != nil {
		t.Fatal(err)
	}
	st := &racingStore{Store: inner, stream: loop.Prefix + "night", write: func() {
		if err := runner.AppendEvent(t.Context(), inner, looptest.Clock, "night", loop.KindAdded, loop.Added{
			By: "operator", Questions: []loop.Question{{ID: "more", Question: "And?"}}, Cells: []loop.Cell{{Question: "more", Roster: "three"}},
		}); err != nil {
			t.Error(err)
		}
	}}
	r = loopRunner(st, looptest.FastScript())
	added := 0
	r.Observe = func(e *journal.Entry, _ *loop.State) {
		if e.Kind == loop.KindAdded {
			added++
		}
	}
	s, err := r.Resume(t.Context(), "night", nil)
	if err != nil {
		t.Fatal(err)
	}
	if added != 1 || s.Count(loop.Finished) != 2 {
		t.Errorf("observed %d times, %d sessions done", added, s.Count(loop.Finished))
	}
	artifacts(t, inner, s)
}
