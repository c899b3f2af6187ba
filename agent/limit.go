package agent

import "context"

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
