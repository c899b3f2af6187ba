package runner_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/session"
	"brenner/store"
	"brenner/store/memory"
)

// The loop waits for a session that another process holds, and runs the others meanwhile.
func TestLoopWaitsForHeldSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, began := memory.New(), time.Now()
		lease, err := st.Hold(threadID(1), store.Holder{PID: 1})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, func() { _ = lease.Release() })
		s, err := loopRunner(st, looptest.FastScript()).Start(t.Context(), looptest.NewOpened(looptest.Work(2, 1), loop.Limits{Then: loop.ThenStop}), nil)
		if err != nil || s.Count(loop.Finished) != 2 || s.Jobs[0].Failures != 0 || s.Jobs[0].Attempts != 1 || time.Since(began) < time.Minute {
			t.Errorf("after %s: %v, %+v", time.Since(began), err, s.Jobs)
		}
		checkProven(t, st)
	})
}

// The loop waits while another process runs the task of a session.
func TestLoopWaitsForHeldTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, began := memory.New(), time.Now()
		lease, err := st.Hold("task-1", store.Holder{PID: 1})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, func() { _ = lease.Release() })
		r := loopRunner(st, looptest.FastScript())
		prepare := r.Sessions
		r.Sessions = func(ctx context.Context, w *loop.Work, j *loop.Job) (*runner.Session, error) {
			s, err := prepare(ctx, w, j)
			if s != nil {
				s.Lock = "task-1" // both sessions run it, one after the other
			}
			return s, err
		}
		s, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(2, 1), loop.Limits{Then: loop.ThenStop, Concurrency: 2}), nil)
		if err != nil || s.Count(loop.Finished) != 2 || s.Jobs[0].Failures != 0 || time.Since(began) < time.Minute {
			t.Errorf("after %s: %v, %+v", time.Since(began), err, s.Jobs)
		}
		if _, held, err := st.HolderOf("task-1"); held || err != nil {
			t.Errorf("the lock is still held: %v", err)
		}
		checkProven(t, st)
	})
}

// A stopped run does not wait for a session that another process holds.
func TestDrainDoesNotWaitForHeldSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, drain := memory.New(), make(chan struct{})
		if _, err := st.Hold(threadID(1), store.Holder{PID: 1}); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, func() { close(drain) })
		r := loopRunner(st, looptest.FastScript())
		r.Drain = drain
		s, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), loop.Limits{}), nil)
		if err != nil || s.Left == "" || s.Jobs[0].Status != loop.Waiting || s.Jobs[0].Failures != 0 {
			t.Errorf("%v, %q, %+v", err, s.Left, s.Jobs)
		}
		checkProven(t, st)
	})
}

// A store that is busy for a while costs no session.
func TestBusyStore(t *testing.T) {
	for at := 1; at <= 4; at++ {
		synctest.Test(t, func(t *testing.T) {
			writes := 0
			st := &faultyStore{Store: memory.New(), write: func(a *store.Append) error {
				if !strings.HasPrefix(a.Stream, session.Prefix) {
					return nil
				}
				if writes++; writes == at {
					return &fault.Error{Code: store.Busy, Detail: "another process writes"}
				}
				return nil
			}}
			s, err := loopRunner(st, looptest.FastScript()).Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), loop.Limits{Then: loop.ThenStop}), nil)
			if err != nil || s.Count(loop.Finished) != 1 || s.Jobs[0].Failures != 0 || writes <= at {
				t.Errorf("at write %d of %d: %v, %+v", at, writes, err, s.Jobs)
			}
			checkProven(t, st)
		})
	}
}
