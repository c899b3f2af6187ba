package agent_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"brenner/agent"
)

func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		f := failure(t, t.Context(), agent.Deadline(agent.Guard(fake(hangs)), time.Minute))
		if wantCode(t, f, agent.TimedOut); time.Since(begin) != time.Minute || !f.Retry || f.Attempts != 1 {
			t.Errorf("%s: %+v", time.Since(begin), f)
		}
		if _, err := agent.Deadline(takes(time.Hour), 0).Ask(t.Context(), agent.Call{}); err != nil {
			t.Errorf("zero should mean no limit: %v", err)
		}
		// The caller's deadline is distinguished from ours, whichever is nearer.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if f := failure(t, ctx, agent.Deadline(agent.Guard(fake(hangs)), time.Minute)); f.Retry {
			t.Errorf("retry allowed after the caller's deadline: %+v", f)
		}
		if f := failure(t, t.Context(), agent.Deadline(fails(errNetwork), time.Minute)); f.Code != agent.Unavailable {
			t.Errorf("%+v", f)
		}
	})
}

func TestWatchIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard atomic.Int32
		slow := fake(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
			for range 10 {
				if _, err := takes(50*time.Second).Ask(ctx, c); err != nil {
					return agent.Reply{}, err
				}
				c.Alive()
			}
			return agent.Reply{Text: "at last"}, nil
		})
		a := agent.WatchIdle(agent.Guard(slow), time.Minute)
		if _, err := a.Ask(t.Context(), agent.Call{Alive: func() { heard.Add(1) }}); err != nil || heard.Load() != 10 {
			t.Errorf("a slow agent: %v, %d signs of life", err, heard.Load())
		}
		if _, err := a.Ask(t.Context(), agent.Call{}); err != nil {
			t.Errorf("without Alive: %v", err)
		}
		begin := time.Now()
		f := failure(t, t.Context(), agent.WatchIdle(agent.Guard(fake(hangs)), time.Minute))
		if wantCode(t, f, agent.Idle); time.Since(begin) != time.Minute || !f.Retry {
			t.Errorf("%s: %+v", time.Since(begin), f)
		}
		if _, err := agent.WatchIdle(takes(time.Hour), 0).Ask(t.Context(), agent.Call{}); err != nil {
			t.Errorf("zero should mean no limit: %v", err)
		}
	})
}

func TestLimitIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		busy := fake(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer now.Add(-1)
			return takes(time.Minute).Ask(ctx, c)
		})
		slots := agent.NewSlots(2)
		one, other := agent.Limit(busy, slots), agent.Limit(busy, slots)
		begin := time.Now()
		var all sync.WaitGroup
		for range 3 {
			for _, a := range []agent.Agent{one, other} {
				all.Go(func() {
					if _, err := a.Ask(t.Context(), agent.Call{}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		all.Wait()
		if most.Load() != 2 || time.Since(begin) != 3*time.Minute {
			t.Errorf("%d calls in flight, %s", most.Load(), time.Since(begin))
		}
	})
}

func TestLimitWaitIsNotCallTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := agent.Limits{PerCall: time.Minute, Idle: time.Minute, Slots: agent.NewSlots(1)}
		a := limits.Wrap(agent.Guard(takes(50 * time.Second)))
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if reply, err := a.Ask(t.Context(), agent.Call{}); err != nil || reply.Attempts != 1 {
					t.Errorf("slot wait counted as idle or call time: %+v, %v", reply, err)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f := failure(t, ctx, a)
		if wantCode(t, f, agent.TimedOut); f.Attempts != 0 {
			t.Errorf("attempt counted without a call: %+v", f)
		}
		all.Wait()
	})
	if a := answers("x"); agent.NewSlots(0) != nil || agent.Limit(a, nil) == nil {
		t.Error("no slots should mean no limit")
	}
}

func TestLimitPrefersCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := agent.Limit(answers("asked"), agent.NewSlots(1))
	for range 100 { // both cases are ready: select must not decide at random
		wantCode(t, failure(t, ctx, a), agent.Stopped)
	}
}

func TestNoSlotIsHeldBetweenAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := agent.NewSlots(1)
		policy := agent.RetryPolicy{Attempts: 2, First: time.Hour, Max: time.Hour, Jitter: exactly}
		failing := agent.Limits{Slots: slots, Retry: policy}.Wrap(agent.Guard(fails(errNetwork)))
		var first sync.WaitGroup
		first.Go(func() { _, _ = failing.Ask(t.Context(), agent.Call{}) })
		synctest.Wait()
		begin := time.Now()
		other := agent.Limits{Slots: slots}.Wrap(agent.Guard(takes(time.Second)))
		if _, err := other.Ask(t.Context(), agent.Call{}); err != nil || time.Since(begin) != time.Second {
			t.Errorf("%s, %v", time.Since(begin), err)
		}
		first.Wait()
	})
}
