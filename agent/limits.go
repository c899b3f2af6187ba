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
	return hurried{a, perCall}
}

type hurried struct {
	agent   Agent
	perCall time.Duration
}

func (h hurried) Ask(ctx context.Context, c Call) (Reply, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, h.perCall, &limitPassed{Failure{
		Code: TimedOut, Detail: fmt.Sprintf("no answer within %s", h.perCall),
		Hint: "give it more time with --timeout, or ask for less", Retry: true,
	}})
	defer cancel()
	reply, err := h.agent.Ask(ctx, c)
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
	return watched{a, limit}
}

type watched struct {
	agent Agent
	limit time.Duration
}

func (w watched) Ask(ctx context.Context, c Call) (Reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(w.limit, func() {
		cancel(&limitPassed{Failure{
			Code: Idle, Detail: fmt.Sprintf("no sign of life for %s", w.limit),
			Hint: "a model that thinks in silence needs a longer idle limit", Retry: true,
		}})
	})
	defer watchdog.Stop()
	outer := c.Alive
	c.Alive = func() {
		watchdog.Reset(w.limit)
		if outer != nil {
			outer()
		}
	}
	reply, err := w.agent.Ask(ctx, c)
	if err != nil {
		return Reply{}, failureOf(ctx, err)
	}
	return reply, nil
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
	return limited{a, s}
}

type limited struct {
	agent Agent
	slots *Slots
}

func (l limited) Ask(ctx context.Context, c Call) (Reply, error) {
	select {
	case <-ctx.Done():
		return Reply{}, Ended(ctx)
	case <-c.Drain:
		return Reply{}, unasked()
	case l.slots.taken <- struct{}{}:
	}
	defer func() { <-l.slots.taken }()
	if ctx.Err() != nil { // both were ready, and the slot was chosen by lot
		return Reply{}, Ended(ctx)
	}
	if c.drained() {
		return Reply{}, unasked()
	}
	reply, err := l.agent.Ask(ctx, c)
	if err != nil {
		return Reply{}, failureOf(ctx, err)
	}
	return reply, nil
}

// unasked is the failure of a call that was never put, because whoever asks goes.
func unasked() *Failure {
	return &Failure{Code: Stopped, Detail: "the call was given up before it was sent", Retry: true}
}
