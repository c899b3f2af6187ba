package agent_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"brenner/agent"
)

// Again may stop the retries before a wait and after it.
func TestRetryCallsAgain(t *testing.T) {
	later := agent.Failure{Code: agent.Unavailable, Retry: true, Usage: agent.Usage{Input: 5}}
	for name, c := range map[string]struct {
		no       int // which call of Again returns false, from 1
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
						t.Errorf("attempt %d, want %d: %+v", attempt, want, f)
					}
					f.Code = "changed by Again"
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

func TestRetryDoesNotCallAgainWithoutRetry(t *testing.T) {
	never := func(context.Context, *agent.Failure, int) bool {
		t.Error("Again was called")
		return true
	}
	for _, f := range []agent.Failure{{Code: agent.Refused}, {Code: agent.Unavailable, Retry: true}} {
		_ = failure(t, t.Context(), agent.Retry(after(1, f), agent.RetryPolicy{Attempts: 1, Again: never}))
	}
}

// Draining ends a wait immediately; After is the rest of the wait.
func TestDrainEndsRetryWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, drain := time.Now(), make(chan struct{})
		time.AfterFunc(time.Minute, func() { close(drain) })
		later := agent.Failure{Code: agent.RateLimited, Retry: true, After: time.Hour}
		ask := func(a agent.Agent) *agent.Failure {
			_, err := a.Ask(t.Context(), agent.Call{Drain: drain})
			var f *agent.Failure
			if !errors.As(err, &f) {
				t.Fatalf("not a *Failure: %v", err)
			}
			return f
		}
		f := ask(agent.Retry(after(1, later), agent.RetryPolicy{}))
		if f.Code != agent.RateLimited || !f.Retry || f.After != 59*time.Minute || f.Attempts != 1 || time.Since(begin) != time.Minute {
			t.Errorf("after %s: %+v", time.Since(begin), f)
		}
		// Already drained: no wait.
		f = ask(agent.Retry(after(1, later), agent.RetryPolicy{}))
		if f.Code != agent.RateLimited || f.After != time.Hour || time.Since(begin) != time.Minute {
			t.Errorf("after %s: %+v", time.Since(begin), f)
		}
		// Without After in the failure, none is set.
		f = ask(agent.Retry(after(1, agent.Failure{Code: agent.Unavailable, Retry: true}), agent.RetryPolicy{}))
		if f.After != 0 || time.Since(begin) != time.Minute {
			t.Errorf("after %s: %+v", time.Since(begin), f)
		}
	})
}

// A call that is drained while it waits for a slot is never sent and costs nothing.
func TestDrainEndsSlotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		drain, answer, asked := make(chan struct{}), make(chan struct{}), 0
		slow := fake(func(context.Context, agent.Call) (agent.Reply, error) {
			asked++
			<-answer
			return agent.Reply{Text: "yes"}, nil
		})
		a := agent.Limits{Slots: agent.NewSlots(1)}.Wrap(slow)
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
			t.Errorf("the call in flight: %v; %d calls were made", err, asked)
		}
	})
}

// A wait beyond Patience is left to the caller.
func TestRetryPatience(t *testing.T) {
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
