package runner_test

import (
	"context"
	"sync"
	"testing"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/loop/runner/placetest"
	"brenner/store"
	"brenner/store/memory"
)

// A process that has lost its loop may still open a session that its successor is about to open.
func TestOpenedByAnEarlierRun(t *testing.T) {
	t.Parallel()
	w := &placetest.World{Store: memory.New()}
	opened := looptest.NewOpened(looptest.Work(1, 1), loop.Limits{Then: loop.ThenStop})
	dying := w.Runner()
	dying.Place = beside{w}
	dying.Sessions = func(context.Context, *loop.Work, *loop.Job) (*runner.Session, error) {
		return nil, &fault.Error{Code: store.Unreachable, Detail: "the server does not answer"}
	}
	if _, err := dying.Start(t.Context(), opened, nil); fault.CodeOf(err) != store.Unreachable {
		t.Fatalf("got %v, want %s", err, store.Unreachable)
	}
	next := w.Runner()
	next.Place = beside{w}
	prepare, once := next.Sessions, sync.Once{}
	next.Sessions = func(ctx context.Context, work *loop.Work, j *loop.Job) (*runner.Session, error) {
		once.Do(func() { // the earlier run wakes up
			s, err := prepare(ctx, work, j)
			if err == nil {
				s.Brief.Thread = j.Thread
				err = s.Runner.Open(ctx, s.Brief)
			}
			if err != nil {
				t.Error(err)
			}
		})
		return prepare(ctx, work, j)
	}
	s, err := next.Resume(t.Context(), opened.Name, nil)
	if err != nil || s.Jobs[0].Status != loop.Finished {
		t.Errorf("got %v and %+v, want a session that is done", err, s.Jobs[0].Settled)
	}
}
