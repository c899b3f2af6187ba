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

// fake adapts a function to agent.Agent.
type fake func(ctx context.Context, c agent.Call) (agent.Reply, error)

func (f fake) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) { return f(ctx, c) }

func answers(text string) fake {
	return func(context.Context, agent.Call) (agent.Reply, error) { return agent.Reply{Text: text}, nil }
}

// hangs blocks until ctx is done and returns its bare error.
func hangs(ctx context.Context, _ agent.Call) (agent.Reply, error) {
	<-ctx.Done()
	return agent.Reply{}, ctx.Err()
}

// takes replies after d.
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

// failure asks an agent and requires a *Failure.
func failure(t *testing.T, ctx context.Context, a agent.Agent) *agent.Failure { //nolint:revive // t comes first in a helper
	t.Helper()
	reply, err := a.Ask(ctx, agent.Call{ID: t.Name()})
	f, ok := err.(*agent.Failure) //nolint:errorlint // the contract requires this type, unwrapped
	if !ok || reply != (agent.Reply{}) {
		t.Fatalf("want a *Failure, got %+v, %v", reply, err)
	}
	return f
}

func wantCode(t *testing.T, f *agent.Failure, want fault.Code) {
	t.Helper()
	if f.Code != want {
		t.Fatalf("code %s, want %s: %v", f.Code, want, f)
	}
}

var errNetwork = errors.New("connection reset")
