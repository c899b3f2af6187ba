package agent_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"brenner/agent"
)

func exactly(d time.Duration) time.Duration { return d }

// after fails the given number of times, then replies.
func after(times int, f agent.Failure) fake {
	return func(context.Context, agent.Call) (agent.Reply, error) {
		if times--; times >= 0 {
			return agent.Reply{}, &f
		}
		return agent.Reply{Text: "yes"}, nil
	}
}

func TestRetryBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		later := agent.Failure{Code: agent.Unavailable, Retry: true}
		a := agent.Retry(after(5, later), agent.RetryPolicy{Attempts: 6, First: time.Second, Max: 5 * time.Second, Jitter: exactly})
		reply, err := a.Ask(t.Context(), agent.Call{})
		// 1 + 2 + 4 + 5 + 5
		if err != nil || reply.Attempts != 6 || time.Since(begin) != 17*time.Second {
			t.Errorf("%s, %+v, %v", time.Since(begin), reply, err)
		}
		a = agent.Retry(after(5, later), agent.RetryPolicy{})
		if f := failure(t, t.Context(), a); f.Attempts != 3 || f.Code != agent.Unavailable {
			t.Errorf("zero policy: want three attempts: %+v", f)
		}
	})
}

func TestRetrySumsUsage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := agent.Failure{Code: agent.Cut, Retry: true, Usage: agent.Usage{Input: 100, Output: 7, Guessed: true}}
		times := 2
		costly := func(ctx context.Context, c agent.Call) (agent.Reply, error) {
			reply, err := after(times, cut).Ask(ctx, c)
			times--
			reply.Usage = agent.Usage{Input: 90, Output: 20}
			return reply, err
		}
		reply, err := agent.Retry(fake(costly), agent.RetryPolicy{}).Ask(t.Context(), agent.Call{})
		if want := (agent.Usage{Input: 290, Output: 34, Guessed: true}); err != nil || reply.Usage != want {
			t.Errorf("%+v, %v", reply, err)
		}
		f := failure(t, t.Context(), agent.Retry(after(9, cut), agent.RetryPolicy{}))
		if want := (agent.Usage{Input: 300, Output: 21, Guessed: true}); f.Usage != want {
			t.Errorf("%+v", f)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		f = failure(t, ctx, agent.Retry(after(9, cut), agent.RetryPolicy{}))
		if wantCode(t, f, agent.Stopped); f.Usage != cut.Usage {
			t.Errorf("stopped between two attempts: %+v", f)
		}
	})
}

func TestRetrySkipsPermanentFailures(t *testing.T) {
	f := failure(t, t.Context(), agent.Retry(after(1, agent.Failure{Code: agent.Refused}), agent.RetryPolicy{}))
	if wantCode(t, f, agent.Refused); f.Attempts != 1 {
		t.Errorf("%+v", f)
	}
}

func TestRetryHonoursAfter(t *testing.T) {
	later := agent.Failure{Code: agent.Unavailable, Detail: "rate limit", Retry: true, After: time.Minute}
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		reply, err := agent.Retry(after(1, later), agent.RetryPolicy{}).Ask(t.Context(), agent.Call{})
		if err != nil || reply.Attempts != 2 || time.Since(begin) != time.Minute {
			t.Errorf("%s, %+v, %v", time.Since(begin), reply, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 59*time.Second)
		defer cancel()
		begin = time.Now()
		f := failure(t, ctx, agent.Retry(after(1, later), agent.RetryPolicy{}))
		if f.After != time.Minute || f.Attempts != 1 || time.Since(begin) != 0 {
			t.Errorf("waited although the deadline comes first: %s, %+v", time.Since(begin), f)
		}
	})
}

func TestRetryWaitObeysContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		begin := time.Now()
		later := agent.Failure{Code: agent.Unavailable, Detail: "rate limit", Retry: true, After: time.Hour}
		f := failure(t, ctx, agent.Retry(after(9, later), agent.RetryPolicy{}))
		var before *agent.Failure
		if wantCode(t, f, agent.Stopped); time.Since(begin) != time.Second || f.Attempts != 1 ||
			!errors.As(f.Cause, &before) || before.Detail != "rate limit" {
			t.Errorf("%s, %+v", time.Since(begin), f)
		}
	})
}

// For any policy, no backoff exceeds Max, doubling never overflows, and there are
// at most Attempts attempts.
func TestRetryBackoffIsBounded(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := agent.RetryPolicy{
			Attempts: rapid.IntRange(2, 80).Draw(r, "attempts"),
			First:    time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(r, "first")),
			Max:      time.Duration(rapid.Int64Range(1, 1<<62).Draw(r, "max")),
		}
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			counted := fake(func(context.Context, agent.Call) (agent.Reply, error) {
				if waited := time.Since(begin); waited > p.Max || waited < 0 {
					t.Errorf("%+v: waited %s", p, waited)
				}
				begin = time.Now()
				return agent.Reply{}, &agent.Failure{Code: agent.Unavailable, Retry: true}
			})
			ctx, cancel := context.WithTimeout(t.Context(), 100*24*time.Hour)
			defer cancel()
			if f := failure(t, ctx, agent.Retry(counted, p)); f.Attempts > p.Attempts {
				t.Errorf("%+v: %d attempts", p, f.Attempts)
			}
		})
	})
}
