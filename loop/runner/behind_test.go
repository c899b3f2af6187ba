package runner_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"brenner/loop"
	"brenner/loop/runner"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
)

// interjecting is a store in which somebody is quicker by a hair: right before the
// first write that pleases, they write something else.
type interjecting struct {
	both
	when func(*store.Append) bool
	say  func()
	said atomic.Bool
}

func (s *interjecting) Write(ctx context.Context, b store.Batch) error {
	for i := range b.Appends {
		if s.when(&b.Appends[i]) && s.said.CompareAndSwap(false, true) {
			s.say()
		}
	}
	return s.both.Write(ctx, b)
}

// A word that comes between a decision and its being written down counts: what a session
// came to is kept, once, and no session begins that was decided on without knowing it.
func TestAWordThatIsQuicker(t *testing.T) {
	inner := memory.New()
	st := &interjecting{both: inner}
	st.when = func(a *store.Append) bool {
		settles := func(e journal.Entry) bool { return e.Kind == loop.KindSettled }
		begins := func(e journal.Entry) bool { return e.Kind == loop.KindBegan }
		return slices.ContainsFunc(a.Entries, settles) && slices.ContainsFunc(a.Entries, begins)
	}
	st.say = func() {
		_, err := runner.Steer(t.Context(), inner, clock, "night", loop.KindStopping, func(*loop.State) (any, error) {
			return loop.Stopping{By: "operator"}, nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	s, err := loopRunner(st, swift()).Start(t.Context(), opened(work(6, 1), loop.Limits{Concurrency: 1}), nil)
	if err != nil || !st.said.Load() {
		t.Fatalf("%v; it was said: %v", err, st.said.Load())
	}
	if s.Ended != loop.EndStopped || s.Count(loop.Finished) != 1 || s.Count(loop.Waiting) != 5 {
		t.Errorf("ended by %s; %d are done and %d wait", s.Ended, s.Count(loop.Finished), s.Count(loop.Waiting))
	}
	artifacts(t, st, s)
}
