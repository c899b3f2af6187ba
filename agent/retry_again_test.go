package agent_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"brenner/agent"
)

// TestRetryAsksWhetherToGoOn: whoever pays may say no, before a wait and after it.
func TestRetryAsksWhetherToGoOn(t *testing.T) {
	later := agent.Failure{Code: agent.Unavailable, Retry: true, Usage: agent.Usage{Input: 5}}
	for name, c := range map[string]struct {
		no       int // which question is answered with no, from 1
		attempts int
		took     time.Duration
	}{
		"never":            {0, 3, 3 * time.Second},
		"before a wait":    {1, 1, 0},
		"after a wait":     {2, 1, time.Second},
		"before the third": {3, 2, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin, asked := time.Now(), 0
				again := func(_ context.Context, f *agent.Failure, attempt int) bool {
					asked++
					if want := (asked-1)/2 + 2; attempt != want || f.Attempts != attempt-1 || f.Usage.Input != 5*f.Attempts {
						t.Errorf("attempt %d, not %d: %+v", attempt, want, f)
					}
					f.Code = "changed by who was asked"
					return asked != c.no
				}
				f := failure(t, t.Context(), agent.Retry(after(9, later), agent.RetryPolicy{Jitter: exactly, Again: again}))
				if f.Attempts != c.attempts || f.Code != agent.Unavailable || !f.Retry || time.Since(begin) != c.took {
					t.Errorf("after %s: %+v", time.Since(begin), f)
				}
			})
		})
	}
}

func TestNobodyIsAskedWhereNothingIsTriedAgain(t *testing.T) {
	never := func(context.Context, *agent.Failure, int) bool {
		t.Error("asked")
		return true
	}
	for _, f := range []agent.Failure{{Code: agent.Refused}, {Code: agent.Unavailable, Retry: true}} {
		_ = failure(t, t.Context(), agent.Retry(after(1, f), agent.RetryPolicy{Attempts: 1, Again: never}))
	}
}

// TestDrainEndsAWait: at once, with the failure as it is and what is left of its wait.
func TestDrainEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, drain := time.Now(), make(chan struct{})
		time.AfterFunc(time.Minute, func() { close(drain) })
		later := agent.Failure{Code: agent.RateLimited, Retry: true, After: time.Hour}
		ask := func(a agent.Agent) *agent.Failure {
			_, err := a.Ask(t.Context(), agent.Call{Drain: drain})
			var f *agent.Failure
			if !errors.As(err, &f) {
				t.Fatalf("%v is no failure", err)
			}
			return f
		}
		f := ask(agent.Retry(after(1, later), agent.RetryPolicy{}))
		if f.Code != agent.RateLimited || !f.Retry || f.After != 59*time.Minute || f.Attempts != 1 || time.Since(begin) != time.Minute {
			t.Errorf("after %s: %+v", time.Since(begin), f)
		}
		// Closed already: nothing waits.
		f = ask(agent.Retry(after(1, later), agent.RetryPolicy{}))
		if f.Code != agent.RateLimited || f.After != time.Hour || time.Since(begin) != time.Minute {
			t.Errorf("after %s: %+v", time.Since(begin), f)
		}
		// Nobody said how long to wait: nobody is told so now.
		f = ask(agent.Retry(after(1, agent.Failure{Code: agent.Unavailable, Retry: true}), agent.RetryPolicy{}))
		if f.After != 0 || time.Since(begin) != time.Minute {
			t.Errorf("after %s: %+v", time.Since(begin), f)
		}
	})
}

// A call that waits for a slot was never put: it ends, and costs nothing.
func TestDrainEndsTheWaitForASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		drain, answer, asked := make(chan struct{}), make(chan struct{}), 0
		slow := fake(func(context.Context, agent.Call) (agent.Reply, error) {
			asked++
			<-answer
			return agent.Reply{Text: "yes"}, nil
		})
		a := agent.Care{Slots: agent.NewSlots(1)}.Around(slow)
		first := make(chan error)
		go func() {
			_, err := a.Ask(t.Context(), agent.Call{Drain: drain})
			first <- err
		}()
		synctest.Wait()
		begin := time.Now()
		time.AfterFunc(time.Minute, func() { close(drain) })
		_, err := a.Ask(t.Context(), agent.Call{Drain: drain})
		var f *agent.Failure
		if !errors.As(err, &f) || f.Code != agent.Stopped || f.Attempts != 0 || !f.Retry || time.Since(begin) != time.Minute {
			t.Errorf("after %s: %v", time.Since(begin), err)
		}
		close(answer)
		if err := <-first; err != nil || asked != 1 {
			t.Errorf("the call under way: %v; %d were put", err, asked)
		}
	})
}

// Who asks for more patience than there is gets none: the caller waits, or does not.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		p := agent.RetryPolicy{Patience: time.Minute}
		long := agent.Failure{Code: agent.RateLimited, Retry: true, After: time.Minute + time.Second}
		if f := failure(t, t.Context(), agent.Retry(after(1, long), p)); f.After != long.After || f.Attempts != 1 || time.Since(begin) != 0 {
			t.Errorf("after %s: %+v", time.Since(begin), f)
		}
		short := agent.Failure{Code: agent.RateLimited, Retry: true, After: time.Minute}
		if reply, err := agent.Retry(after(1, short), p).Ask(t.Context(), agent.Call{}); err != nil || reply.Attempts != 2 || time.Since(begin) != time.Minute {
			t.Errorf("after %s: %+v, %v", time.Since(begin), reply, err)
		}
	})
}
