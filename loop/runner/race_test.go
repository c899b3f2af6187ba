package runner_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/opentest"
)

// interjectingStore calls interject right before the first write that matches.
type interjectingStore struct {
	looptest.Store
	when      func(*store.Append) bool
	interject func()
	done      atomic.Bool
}

func (s *interjectingStore) Write(ctx context.Context, b store.Batch) error {
	for i := range b.Appends {
		if s.when(&b.Appends[i]) && s.done.CompareAndSwap(false, true) {
			s.interject()
		}
	}
	return s.Store.Write(ctx, b)
}

// A stop request written between a decision and its write wins: outcomes are kept, once,
// and no session starts by the outdated decision.
func TestStopRequestBeatsPendingWrite(t *testing.T) {
	inner := opentest.New(t)
	st := &interjectingStore{Store: inner}
	st.when = func(a *store.Append) bool {
		settles := func(e journal.Entry) bool { return e.Kind == loop.KindSettled }
		begins := func(e journal.Entry) bool { return e.Kind == loop.KindBegan }
		return slices.ContainsFunc(a.Entries, settles) && slices.ContainsFunc(a.Entries, begins)
	}
	st.interject = func() {
		_, err := runner.Steer(t.Context(), inner, looptest.Clock, "night", loop.KindStopping, func(*loop.State) (any, error) {
			return loop.Stopping{By: "operator"}, nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	s, err := loopRunner(st, looptest.FastScript()).Start(t.Context(), looptest.NewOpened(looptest.Work(6, 1), loop.Limits{Concurrency: 1}), nil)
	if err != nil || !st.done.Load() {
		t.Fatalf("error %v, interjected: %v", err, st.done.Load())
	}
	if s.Ended != loop.EndStopped || s.Count(loop.Finished) != 1 || s.Count(loop.Waiting) != 5 {
		t.Errorf("ended by %s; %d done, %d waiting", s.Ended, s.Count(loop.Finished), s.Count(loop.Waiting))
	}
	artifacts(t, st, s)
}
