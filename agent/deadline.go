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
