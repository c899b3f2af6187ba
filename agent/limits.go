package agent

import (
	"context"
	"fmt"
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
