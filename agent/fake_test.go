package agent_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"brenner/agent"
	"brenner/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is an agent in a line.
type fake func(ctx context.Context, c agent.Call) (agent.Reply, error)

func (f fake) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) { return f(ctx, c) }

func answers(text string) fake {
	return func(context.Context, agent.Call) (agent.Reply, error) { return agent.Reply{Text: text}, nil }
}

// hangs waits for the end of the call, and says no more about it than most do.
func hangs(ctx context.Context, _ agent.Call) (agent.Reply, error) {
	<-ctx.Done()
	return agent.Reply{}, ctx.Err()
}

// takes answers after so long.
func takes(d time.Duration) fake {
	return func(ctx context.Context, _ agent.Call) (agent.Reply, error) {
		select {
		case <-time.After(d):
			return agent.Reply{Text: "done"}, nil
		case <-ctx.Done():
			return agent.Reply{}, ctx.Err()
		}
	}
}

func fails(err error) fake {
	return func(context.Context, agent.Call) (agent.Reply, error) { return agent.Reply{}, err }
}

// failure asks an agent that must not answer.
func failure(t *testing.T, ctx context.Context, a agent.Agent) *agent.Failure { //nolint:revive // t comes first in a helper
	t.Helper()
	reply, err := a.Ask(ctx, agent.Call{ID: t.Name()})
	f, ok := err.(*agent.Failure) //nolint:errorlint // the contract wants the very type
	if !ok || reply != (agent.Reply{}) {
		t.Fatalf("no failure: %+v, %v", reply, err)
	}
	return f
}

func wantCode(t *testing.T, f *agent.Failure, want fault.Code) {
	t.Helper()
	if f.Code != want {
		t.Fatalf("%s, not %s: %v", f.Code, want, f)
	}
}

var errNetwork = errors.New("connection reset")
