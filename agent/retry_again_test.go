package agent_test

import (
	"context"
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

// TestStopEndsAWait: at once, and with the failure as it is.
func TestStopEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, stop := time.Now(), make(chan struct{})
		time.AfterFunc(time.Minute, func() { close(stop) })
		later := agent.Failure{Code: agent.RateLimited, Retry: true, After: time.Hour}
		a := agent.Retry(after(1, later), agent.RetryPolicy{Stop: stop})
		f := failure(t, t.Context(), a)
		if f.Code != agent.RateLimited || !f.Retry || f.After != time.Hour || f.Attempts != 1 || time.Since(begin) != time.Minute {
			t.Errorf("after %s: %+v", time.Since(begin), f)
		}
		// Closed already: what is asked for is asked once, and nothing waits.
		f = failure(t, t.Context(), agent.Retry(after(1, later), agent.RetryPolicy{Stop: stop}))
		if f.Code != agent.RateLimited || f.Attempts != 1 || time.Since(begin) != time.Minute {
			t.Errorf("after %s: %+v", time.Since(begin), f)
		}
	})
}
