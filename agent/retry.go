package agent

import (
	"context"
	"math/rand/v2"
	"time"
)

// RetryPolicy says how often and when to ask again. Its zero value works.
type RetryPolicy struct {
	Attempts int           // how often to ask at most; 0 means 3
	First    time.Duration // the first wait; 0 means a second
	Max      time.Duration // the longest wait that we choose ourselves; 0 means half a minute
	// Jitter turns a wait into the one that is kept, so that agents that failed
	// together do not come back together; nil takes between half of it and all.
	Jitter func(time.Duration) time.Duration
	// Again, if not nil, is asked before every further attempt, with its number from
	// 2: who has no budget left for it, or no time, says no, and the failure is what
	// comes out. It is asked before the wait, so that nobody waits in vain, and once
	// more after it, because a wait is long; so it must only look, and book nothing.
	Again func(ctx context.Context, failure *Failure, attempt int) bool
	// Stop, if not nil, ends all waits when it is closed, and no attempt begins after
	// it: the failure comes out as it is. An attempt that is under way goes on.
	Stop <-chan struct{}
}

// Retry asks again where the failure says that it may help, after the time that
// the failure names, else after waits that double. A wait that would outlast the
// context is not begun: then the failure comes at once, and says when to return.
// What the tries before the last one cost is part of what comes out.
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
	return retrying{a, p}
}

type retrying struct {
	agent  Agent
	policy RetryPolicy
}

func (r retrying) Ask(ctx context.Context, c Call) (Reply, error) {
	var asked int
	var spent Usage
	for try := 1; ; try++ {
		reply, err := r.agent.Ask(ctx, c)
		if err == nil {
			reply.Attempts = asked + max(1, reply.Attempts)
			reply.Usage = spent.Plus(reply.Usage)
			return reply, nil
		}
		f := failureOf(ctx, err)
		if ctx.Err() == nil {
			f.Attempts = max(1, f.Attempts) // else it may never have come to asking
		}
		asked, spent = asked+f.Attempts, spent.Plus(f.Usage)
		f.Attempts, f.Usage = asked, spent
		wait := r.policy.wait(try, f.After)
		if !f.Retry || try >= r.policy.Attempts || ctx.Err() != nil || outlasts(ctx, wait) || !r.policy.again(ctx, f, try+1) {
			return Reply{}, f
		}
		r.policy.pause(ctx, wait)
		if ctx.Err() != nil {
			end := Ended(ctx)
			end.Attempts, end.Usage, end.Cause = asked, spent, f
			return Reply{}, end
		}
		if !r.policy.again(ctx, f, try+1) {
			return Reply{}, f
		}
	}
}

// again tells whether another attempt is wanted. Whoever is asked gets a failure
// of their own: what comes out is not theirs to change.
func (p RetryPolicy) again(ctx context.Context, f *Failure, attempt int) bool {
	select {
	case <-p.Stop: // where there is none, this waits for ever, and so is never chosen
		return false
	default:
	}
	shown := *f
	return p.Again == nil || p.Again(ctx, &shown, attempt)
}

// wait is how long to wait after a try, from 1. Who says when to come back is
// taken at their word.
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

// pause waits, unless the context ends or somebody stops it.
func (p RetryPolicy) pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.Stop:
	case <-ctx.Done():
	}
}
