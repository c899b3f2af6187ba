package runner_test

import (
	"context"
	"strings"
	"testing"

	"brenner/agent/rehearsal"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/store"
	"brenner/store/opentest"
)

// leasing is a store of which all leases whose name begins with a prefix are lost after a number of writes.
type leasing struct {
	opentest.Store
	prefix string
	writes int
	lost   chan struct{}
}

// lease is one that another process may take.
type lease struct {
	store.Lease
	lost <-chan struct{}
}

func (l lease) Lost() <-chan struct{} { return l.lost }

func (l *leasing) Hold(name string, who store.Holder) (store.Lease, error) {
	held, err := l.Store.Hold(name, who)
	if !strings.HasPrefix(name, l.prefix) {
		return held, err
	}
	return lease{held, l.lost}, err
}

func (l *leasing) Write(ctx context.Context, b store.Batch) error {
	if err := l.Store.Write(ctx, b); err != nil {
		return err
	}
	if l.writes--; l.writes == 0 {
		close(l.lost)
	}
	return nil
}

// A loop that loses its leases after any write ends with HELD, and the next run completes it without repeating a
// finished session.
func TestLostLeaseStopsLoop(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		st := opentest.New(t)
		r := loopRunner(&leasing{Store: st, writes: n, lost: make(chan struct{})}, looptest.FastScript())
		opened := looptest.NewOpened(looptest.Work(3, 1), loop.Limits{Then: loop.ThenStop, Concurrency: 1})
		release, err := r.Hold(opened.Name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Start(t.Context(), opened, nil)
		release()
		if err == nil {
			if n < 5 {
				t.Errorf("the loop ended although its lease was lost after write %d", n)
			}
			return
		}
		if fault.CodeOf(err) != store.Held || !strings.Contains(fault.HintOf(err), "the same command continues it") {
			t.Fatalf("after %d writes: got %v", n, err)
		}
		state, err := runner.Load(t.Context(), st, opened.Name)
		if err != nil || state.Ended != "" {
			t.Fatalf("after %d writes: %v, ended %q", n, err, state.Ended)
		}
		s, err := loopRunner(st, looptest.FastScript()).Resume(t.Context(), opened.Name, nil)
		if err != nil || s.Count(loop.Finished) != 3 {
			t.Fatalf("after %d writes: %v, %d sessions finished", n, err, s.Count(loop.Finished))
		}
		checkProven(t, st)
	}
}

// A session that loses its lease is resumed by its loop, not started again.
func TestLoopResumesSessionWithLostLease(t *testing.T) {
	t.Parallel()
	for n := 1; n < 6; n++ {
		st := opentest.New(t)
		lost := &leasing{Store: st, prefix: threadID(1), writes: n, lost: make(chan struct{})}
		r := loopRunner(lost, looptest.FastScript())
		g := &looptest.Preparer{Store: lost, Now: looptest.Clock, Script: func(*loop.Job) *rehearsal.Script { return looptest.FastScript() }}
		tries := 0
		r.Sessions = func(ctx context.Context, w *loop.Work, j *loop.Job) (*runner.Session, error) {
			if tries++; tries > 1 {
				g.Store = st
			}
			return g.Session(ctx, w, j)
		}
		s, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), loop.Limits{Then: loop.ThenStop}), nil)
		if err != nil || s.Count(loop.Finished) != 1 || s.Jobs[0].Failures != 0 {
			t.Errorf("after %d writes: %v, %+v", n, err, s.Jobs)
		}
		checkProven(t, st)
	}
}
