package runner_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/session"
	"brenner/store"
	"brenner/store/memory"
)

// A session that another process runs has not failed: the loop waits for it, and goes on
// when it is free; the others go on meanwhile.
func TestASessionThatSomebodyElseRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, began := memory.New(), time.Now()
		release, err := st.Hold(number(1), store.Holder{PID: 1})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, func() { _ = release() })
		s, err := loopRunner(st, swift()).Start(t.Context(), opened(work(2, 1), loop.Limits{Then: loop.ThenStop}), nil)
		if err != nil || s.Count(loop.Finished) != 2 || s.Jobs[0].Failures != 0 || s.Jobs[0].Attempts != 1 || time.Since(began) < time.Minute {
			t.Errorf("after %s: %v, %+v", time.Since(began), err, s.Jobs)
		}
		proven(t, st)
	})
}

// Whoever wants the loop to go does not wait for others.
func TestLeavingWhileSomebodyElseRunsASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, drain := memory.New(), make(chan struct{})
		if _, err := st.Hold(number(1), store.Holder{PID: 1}); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, func() { close(drain) })
		r := loopRunner(st, swift())
		r.Drain = drain
		s, err := r.Start(t.Context(), opened(work(1, 1), loop.Limits{}), nil)
		if err != nil || s.Left == "" || s.Jobs[0].Status != loop.Waiting || s.Jobs[0].Failures != 0 {
			t.Errorf("%v, %q, %+v", err, s.Left, s.Jobs)
		}
		proven(t, st)
	})
}

// A store that is busy for a while costs no session, whenever in it that was.
func TestABusyStore(t *testing.T) {
	for at := 1; at <= 4; at++ {
		synctest.Test(t, func(t *testing.T) {
			writes := 0
			st := &troubled{both: memory.New(), write: func(a *store.Append) error {
				if !strings.HasPrefix(a.Stream, session.Prefix) {
					return nil
				}
				if writes++; writes == at {
					return &fault.Error{Code: store.Busy, Detail: "another process writes"}
				}
				return nil
			}}
			s, err := loopRunner(st, swift()).Start(t.Context(), opened(work(1, 1), loop.Limits{Then: loop.ThenStop}), nil)
			if err != nil || s.Count(loop.Finished) != 1 || s.Jobs[0].Failures != 0 || writes <= at {
				t.Errorf("at write %d of %d: %v, %+v", at, writes, err, s.Jobs)
			}
			proven(t, st)
		})
	}
}
