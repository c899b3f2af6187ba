package agent

import (
	"context"
	"fmt"
	"time"
)

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
