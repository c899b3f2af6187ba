package agent

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// Deadline gives every call so much time at most; zero is no limit.
func Deadline(a Agent, perCall time.Duration) Agent {
	if perCall <= 0 {
		return a
	}
	return Func(func(ctx context.Context, c Call) (Reply, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, perCall, &limitPassed{Failure{
			Code: TimedOut, Detail: fmt.Sprintf("no answer within %s", perCall),
			Hint: "give it more time with --timeout, or ask for less", Retry: true,
		}})
		defer cancel()
		return put(ctx, a, c)
	})
}

// put asks an agent; an error is a *Failure.
func put(ctx context.Context, a Agent, c Call) (Reply, error) {
	reply, err := a.Ask(ctx, c)
	if err != nil {
		return Reply{}, failureOf(ctx, err)
	}
	return reply, nil
}

// WatchIdle ends a call that gave no sign of life for so long; zero is no limit.
// An agent that writes slowly lives on, one that says nothing does not.
func WatchIdle(a Agent, limit time.Duration) Agent {
	if limit <= 0 {
		return a
	}
	return Func(func(ctx context.Context, c Call) (Reply, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		watchdog := time.AfterFunc(limit, func() {
			cancel(&limitPassed{Failure{
				Code: Idle, Detail: fmt.Sprintf("no sign of life for %s", limit),
				Hint: "a model that thinks in silence needs a longer idle limit", Retry: true,
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
		return put(ctx, a, c)
	})
}

// Slots are how many calls may be under way at once, for all agents that share
// them: those at one endpoint, say. Who waits longest is next.
type Slots struct{ taken chan struct{} }

// NewSlots makes n slots; n below 1 is no limit, and gives nil.
func NewSlots(n int) *Slots {
	if n < 1 {
		return nil
	}
	return &Slots{make(chan struct{}, n)}
}

// Limit keeps an agent's calls waiting until a slot is free, or until whoever asks goes;
// nil slots are no limit.
func Limit(a Agent, s *Slots) Agent {
	if s == nil {
		return a
	}
	return Func(func(ctx context.Context, c Call) (Reply, error) {
		select {
		case <-ctx.Done():
			return Reply{}, Ended(ctx)
		case <-c.Drain:
			return Reply{}, unasked()
		case s.taken <- struct{}{}:
		}
		defer func() { <-s.taken }()
		switch { // several may have been ready, and the slot was chosen by lot
		case ctx.Err() != nil:
			return Reply{}, Ended(ctx)
		case c.drained():
			return Reply{}, unasked()
		}
		return put(ctx, a, c)
	})
}

// unasked is the failure of a call that was never put, because whoever asks goes.
func unasked() *Failure {
	return &Failure{Code: Stopped, Detail: "the call was given up before it was sent", Retry: true}
}

// RetryPolicy says how often and when to ask again. Its zero value works.
type RetryPolicy struct {
	Attempts int           // how often to ask at most; 0 means 3
	First    time.Duration // the first wait; 0 means a second
	Max      time.Duration // the longest wait that we choose ourselves; 0 means half a minute
	// Patience is the longest wait that is kept because the other side asks for it; 0 is
	// no limit. A longer one is the caller's: the failure says when to return.
	Patience time.Duration
	// Jitter turns a wait into the one that is kept, so that agents that failed
	// together do not come back together; nil takes between half of it and all.
	Jitter func(time.Duration) time.Duration
	// Again, if not nil, is asked before every further attempt, with its number from
	// 2: who has no budget left for it, or no time, says no, and the failure is what
	// comes out. It is asked before the wait, so that nobody waits in vain, and once
	// more after it, because a wait is long; so it must only look, and book nothing.
	Again func(ctx context.Context, failure *Failure, attempt int) bool
}

// Retry asks again where the failure says that it may help, after the time that
// the failure names, else after waits that double. A wait that would outlast the
// context is not begun: then the failure comes at once, and says when to return. When
// the call is drained, no wait goes on and no further attempt begins: the failure comes
// out, with what is left of the wait that it asked for.
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
	return Func(func(ctx context.Context, c Call) (Reply, error) { return p.ask(ctx, a, c) })
}

func (p RetryPolicy) ask(ctx context.Context, a Agent, c Call) (Reply, error) {
	var asked int
	var spent Usage
	for try := 1; ; try++ {
		reply, err := a.Ask(ctx, c)
		if err == nil {
			reply.Attempts = asked + max(1, reply.Attempts)
			reply.Usage = spent.Plus(reply.Usage)
			return reply, nil
		}
		f := failureOf(ctx, err)
		if ctx.Err() == nil && !c.drained() {
			f.Attempts = max(1, f.Attempts) // else it may never have come to asking
		}
		asked, spent = asked+f.Attempts, spent.Plus(f.Usage)
		f.Attempts, f.Usage = asked, spent
		wait := p.wait(try, f.After)
		if !f.Retry || try >= p.Attempts || ctx.Err() != nil || c.drained() || p.tooLong(f.After) || outlasts(ctx, wait) ||
			!p.again(ctx, f, try+1) {
			return Reply{}, f
		}
		left := pause(ctx, c.Drain, wait)
		if ctx.Err() != nil {
			end := Ended(ctx)
			end.Attempts, end.Usage, end.Cause = asked, spent, f
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

// again tells whether another attempt is wanted. Whoever is asked gets a failure
// of their own: what comes out is not theirs to change.
func (p RetryPolicy) again(ctx context.Context, f *Failure, attempt int) bool {
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

// tooLong tells whether the other side asks for more patience than there is.
func (p RetryPolicy) tooLong(after time.Duration) bool { return p.Patience > 0 && after > p.Patience }

// pause waits, unless the context ends or whoever asks wants to go, and gives how much of
// the wait is left.
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

// Care is all that an agent's calls need, put on in the one right order. Its zero
// value retries, and limits nothing.
type Care struct {
	PerCall time.Duration // see Deadline
	Idle    time.Duration // see WatchIdle
	Slots   *Slots        // see Limit
	Retry   RetryPolicy
}

// Around puts the wrappers on, the watchdog innermost: waiting for a slot is
// neither idleness nor part of a call's time, and nobody holds a slot while it
// waits for another try.
func (c Care) Around(a Agent) Agent {
	return Retry(Limit(Deadline(WatchIdle(a, c.Idle), c.PerCall), c.Slots), c.Retry)
}
