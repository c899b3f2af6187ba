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
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
)

// troubled is a store that refuses some reads and writes of streams.
type troubled struct {
	both
	read  func(stream string) error
	write func(*store.Append) error
}

func (s *troubled) Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error) {
	if s.read != nil {
		if err := s.read(stream); err != nil {
			return nil, err
		}
	}
	return s.both.Entries(ctx, stream, after)
}

func (s *troubled) Write(ctx context.Context, b store.Batch) error {
	for i := range b.Appends {
		if s.write == nil {
			break
		}
		if err := s.write(&b.Appends[i]); err != nil {
			return err
		}
	}
	return s.both.Write(ctx, b)
}

// A store that fails while the loop is being left ends the run: nothing is tried for ever.
func TestTheStoreFailsWhileLeaving(t *testing.T) {
	inner := memory.New()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var full atomic.Bool
	st := &troubled{both: inner}
	st.write = func(a *store.Append) error {
		if full.Load() && strings.HasPrefix(a.Stream, loop.Prefix) {
			return &fault.Error{Code: store.Full, Detail: "no space is left"}
		}
		if strings.HasPrefix(a.Stream, session.Prefix) && slices.ContainsFunc(a.Entries, func(e journal.Entry) bool { return e.Kind == flow.KindEnded }) {
			full.Store(true)
			cancel()
		}
		return nil
	}
	_, err := loopRunner(st, swift()).Start(ctx, opened(work(4, 1), loop.Limits{Concurrency: 2}), nil)
	if fault.CodeOf(err) != store.Full {
		t.Fatal(err)
	}
	s, err := loopRunner(inner, swift()).Resume(t.Context(), "night", nil)
	if err != nil || s.Count(loop.Finished) != 4 {
		t.Fatalf("%v, %+v", err, s)
	}
	artifacts(t, inner, s)
}

// What a session has spent stays spent, also where its journal cannot be read for a while:
// then nothing true can be said of it, and the run ends.
func TestASessionThatCannotBeRead(t *testing.T) {
	inner := memory.New()
	var busy atomic.Bool
	st := &troubled{both: inner, read: func(stream string) error {
		if busy.Load() && stream == session.Prefix+number(1) {
			return &fault.Error{Code: store.Busy, Detail: "others are writing"}
		}
		return nil
	}}
	script := parse(t, strings.Replace(quota, "times: 1, after: 2h", "times: 0", 1))
	g := &stage{store: st, now: clock, script: func(j *loop.Job) *rehearsal.Script {
		busy.Store(j.Attempts > 0 && j.Settled.Spent > 0)
		return script
	}}
	r := &runner.Runner{Store: st, Locks: st, Now: clock, Sessions: g.session, Poll: time.Millisecond}
	s, err := r.Start(t.Context(), opened(work(1, 1), loop.Limits{Retry: 2}), nil)
	if fault.CodeOf(err) != store.Busy || s.Spent.Tokens == 0 {
		t.Fatalf("%v, %+v", err, s)
	}
	busy.Store(false)
	script = swift()
	r.Sessions = (&stage{store: inner, now: clock, script: func(*loop.Job) *rehearsal.Script { return script }}).session
	if s, err = r.Resume(t.Context(), "night", nil); err != nil {
		t.Fatal(err)
	}
	artifacts(t, inner, s)
}

// late is a store in which somebody writes right after a journal was first read.
type late struct {
	both
	stream string
	say    func()
	said   atomic.Bool
}

func (s *late) Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error) {
	entries, err := s.both.Entries(ctx, stream, after)
	if stream == s.stream && s.said.CompareAndSwap(false, true) {
		s.say()
	}
	return entries, err
}

// A person who adds something while a loop is being resumed is heard, once.
func TestAWordWhileALoopIsResumed(t *testing.T) {
	inner := memory.New()
	r := loopRunner(inner, swift())
	left := make(chan struct{})
	close(left)
	r.Drain = left
	if _, err := r.Start(t.Context(), opened(work(1, 1), loop.Limits{}), nil); err != nil {
		t.Fatal(err)
	}
	st := &late{both: inner, stream: loop.Prefix + "night", say: func() {
		if err := runner.AppendEvent(t.Context(), inner, clock, "night", loop.KindAdded, loop.Added{
			By: "operator", Questions: []loop.Question{{ID: "more", Question: "And?"}}, Cells: []loop.Cell{{Question: "more", Roster: "three"}},
		}); err != nil {
			t.Error(err)
		}
	}}
	r = loopRunner(st, swift())
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
		t.Errorf("whoever watches was told %d times, and %d sessions are done", added, s.Count(loop.Finished))
	}
	artifacts(t, inner, s)
}
