package agent

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// Deadline limits the time of each call; zero means no limit.
func Deadline(a Agent, perCall time.Duration) Agent {
	if perCall <= 0 {
		return a
	}
	return Func(func(ctx context.Context, c Call) (Reply, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, perCall, &limitExceeded{Failure{
			Code: TimedOut, Detail: fmt.Sprintf("no reply within %s", perCall),
			Hint: "raise --timeout, or ask for less", Retry: true,
		}})
		defer cancel()
		return ask(ctx, a, c)
	})
}

// ask calls an agent; an error is a *Failure.
func ask(ctx context.Context, a Agent, c Call) (Reply, error) {
	reply, err := a.Ask(ctx, c)
	if err != nil {
		return Reply{}, failureOf(ctx, err)
	}
	return reply, nil
}

// WatchIdle ends a call that shows no sign of life for limit; zero means no limit.
func WatchIdle(a Agent, limit time.Duration) Agent {
	if limit <= 0 {
		return a
	}
	return Func(func(ctx context.Context, c Call) (Reply, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		watchdog := time.AfterFunc(limit, func() {
			cancel(&limitExceeded{Failure{
				Code: Idle, Detail: fmt.Sprintf("no sign of life for %s", limit),
				Hint: "raise timeouts.idle for models that think in silence", Retry: true,
			}})
		})
		defer watchdog.Stop()
		outer := c.Alive
		c.Alive = func() {
			watchdog.Reset(limit)
			if outer != nil {
				outer()
			}
		}
		return ask(ctx, a, c)
	})
}

// RetryPolicy configures Retry. The zero value is usable.
type RetryPolicy struct {
	Attempts int           // at most; 0 means 3
	First    time.Duration // the first wait; 0 means a second
	Max      time.Duration // the longest wait of our own choice; 0 means 30 s
	// Patience is the longest wait that the other side may ask for; 0 means no limit.
	// A longer one is returned to the caller as a failure with After.
	Patience time.Duration
	// Jitter randomizes a wait, to spread the retries of agents that failed
	// together; nil picks between half of it and all of it.
	Jitter func(time.Duration) time.Duration
	// Again, if not nil, reports whether to make the given attempt, numbered from 2.
	// It is called before the wait and again after it, so it must have no side effects.
	Again func(ctx context.Context, failure *Failure, attempt int) bool
}

// Retry repeats calls whose failure allows it, after the time that the failure
// names or else with exponential backoff. It does not start a wait that would
// outlast the context. When the call is drained, Retry stops waiting and returns
// the failure, with After set to the rest of the wait. Attempts and usage cover
// all attempts.
func Retry(a Agent, p RetryPolicy) Agent {
	if p.Attempts <= 0 {
		p.Attempts = 3
	}
	if p.First <= 0 {
		p.First = time.Second
	}
	if p.Max <= 0 {
		p.Max = 30 * time.Second
	}
	if p.Jitter == nil {
		p.Jitter = func(d time.Duration) time.Duration { return d/2 + rand.N(d/2+1) }
	}
	return Func(func(ctx context.Context, c Call) (Reply, error) { return p.ask(ctx, a, c) })
}

func (p RetryPolicy) ask(ctx context.Context, a Agent, c Call) (Reply, error) {
	var asked, free int
	var spent Usage
	for try := 1; ; try++ {
		reply, err := a.Ask(ctx, c)
		if err == nil {
			reply.Attempts = asked + max(1, reply.Attempts)
			reply.Usage = spent.Plus(reply.Usage)
			return reply, nil
		}
		f := failureOf(ctx, err)
		if ctx.Err() == nil && !c.drained() && !f.Unsent {
			f.Attempts = max(1, f.Attempts) // otherwise the call may never have been sent
		}
		if f.Free == 0 && !f.MayHaveWorked() {
			f.Free = f.Attempts
		}
		asked, free, spent = asked+f.Attempts, free+f.Free, spent.Plus(f.Usage)
		f.Attempts, f.Free, f.Usage = asked, free, spent
		wait := p.wait(try, f.After)
		if !f.Retry || try >= p.Attempts || ctx.Err() != nil || c.drained() || p.tooLong(f.After) || outlasts(ctx, wait) ||
			!p.again(ctx, f, try+1) {
			return Reply{}, f
		}
		left := pause(ctx, c.Drain, wait)
		if ctx.Err() != nil {
			end := ContextFailure(ctx)
			end.Partial, end.Attempts, end.Free, end.Usage, end.Cause = f.Partial, asked, free, spent, f
			return Reply{}, end
		}
		if c.drained() && f.After > 0 {
			f.After = left
		}
		if c.drained() || !p.again(ctx, f, try+1) {
			return Reply{}, f
		}
	}
}

// again reports whether to make another attempt. Again gets a copy of the
// failure, which it cannot change.
func (p RetryPolicy) again(ctx context.Context, f *Failure, attempt int) bool {
	copied := *f
	return p.Again == nil || p.Again(ctx, &copied, attempt)
}

// wait returns the wait after attempt try, counted from 1. A wait that the other
// side asked for takes precedence.
func (p RetryPolicy) wait(try int, after time.Duration) time.Duration {
	if after > 0 {
		return after
	}
	d := min(p.First, p.Max)
	for range try - 1 {
		if d > p.Max/2 {
			d = p.Max
			break
		}
		d *= 2
	}
	return p.Jitter(d)
}

func outlasts(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) <= wait
}

// tooLong reports whether the other side asks for a wait beyond Patience.
func (p RetryPolicy) tooLong(after time.Duration) bool { return p.Patience > 0 && after > p.Patience }

// pause waits for d, or until ctx ends or drain is closed, and returns the
// remaining time.
func pause(ctx context.Context, drain <-chan struct{}, d time.Duration) time.Duration {
	begun := time.Now()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-drain:
	case <-ctx.Done():
	}
	return max(0, d-time.Since(begun))
}

// Limits configures all wrappers of an agent's calls. The zero value sets no limits,
// but retries failed calls.
type Limits struct {
	PerCall time.Duration // see Deadline
	Idle    time.Duration // see WatchIdle
	Slots   Limiter       // see Limit
	Retry   RetryPolicy
}

// Wrap applies the wrappers, the watchdog innermost: waiting for a slot counts
// neither as idle nor as call time, and no slot is held between attempts.
func (c Limits) Wrap(a Agent) Agent {
	return Retry(Limit(Deadline(WatchIdle(a, c.Idle), c.PerCall), c.Slots), c.Retry)
}
