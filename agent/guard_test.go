package agent_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"brenner/agent"
	"brenner/internal/fault"
)

func TestGuardCodesEveryError(t *testing.T) {
	refused := &agent.Failure{Code: agent.Refused, Detail: "no", Partial: "so f"}
	ours := &fault.Error{Code: agent.NoKind, Detail: "no key", Hint: "set one"}
	for name, c := range map[string]struct {
		agent agent.Agent
		want  agent.Failure
	}{
		"a failure is unchanged": {fails(refused), agent.Failure{Code: agent.Refused, Attempts: 1, Partial: "so f"}},
		"a wrapped failure":      {fails(errors.Join(errNetwork, refused)), agent.Failure{Code: agent.Refused, Attempts: 1, Partial: "so f"}},
		"any other error":        {fails(errNetwork), agent.Failure{Code: agent.Unavailable, Retry: true, Attempts: 1}},
		"a fault.Error":          {fails(ours), agent.Failure{Code: agent.Unavailable, Hint: "set one", Attempts: 1}},
		"a nil failure":          {fails((*agent.Failure)(nil)), agent.Failure{Code: agent.Broken, Hint: "this is a bug in brenner, not in the agent; please report it", Attempts: 1}},
		"a blank reply":          {answers(" \n\t"), agent.Failure{Code: agent.Empty, Retry: true, Attempts: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			f := failure(t, t.Context(), agent.Guard(c.agent))
			wantCode(t, f, c.want.Code)
			if f.Retry != c.want.Retry || f.Attempts != c.want.Attempts || f.Hint != c.want.Hint || f.Partial != c.want.Partial {
				t.Errorf("%+v", f)
			}
		})
	}
	if refused.Attempts != 0 {
		t.Error("Guard modified the agent's own failure")
	}
}

func TestGuardKeepsUsage(t *testing.T) {
	spent := agent.Usage{Input: 12, Output: 3}
	f := failure(t, t.Context(), agent.Guard(fake(func(context.Context, agent.Call) (agent.Reply, error) {
		return agent.Reply{Text: "\n", Usage: spent}, nil
	})))
	if wantCode(t, f, agent.Empty); f.Usage != spent {
		t.Errorf("%+v", f)
	}
	ctx, cancel := context.WithCancel(t.Context())
	f = failure(t, ctx, agent.Guard(fake(func(context.Context, agent.Call) (agent.Reply, error) {
		cancel()
		return agent.Reply{}, &agent.Failure{Code: agent.Unavailable, Usage: spent, Cause: ctx.Err()}
	})))
	if wantCode(t, f, agent.Stopped); f.Usage != spent {
		t.Errorf("%+v", f)
	}
}

func TestGuardRecoversPanics(t *testing.T) {
	f := failure(t, t.Context(), agent.Guard(fake(func(context.Context, agent.Call) (agent.Reply, error) {
		panic("index out of range")
	})))
	wantCode(t, f, agent.Broken)
	var p *agent.Panic
	if !errors.As(f, &p) || p.Error() != "index out of range" || len(p.Stack) == 0 || f.Retry {
		t.Errorf("%+v", f)
	}
}

func TestGuardSetsAlive(t *testing.T) {
	a := agent.Guard(fake(func(_ context.Context, c agent.Call) (agent.Reply, error) {
		c.Alive()
		return agent.Reply{Text: "yes", Attempts: 2}, nil
	}))
	reply, err := a.Ask(t.Context(), agent.Call{})
	if err != nil || reply.Attempts != 2 {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestGuardClassifiesContextErrors(t *testing.T) {
	echo := fake(func(ctx context.Context, _ agent.Call) (agent.Reply, error) {
		<-ctx.Done()
		return agent.Reply{}, &agent.Failure{Code: agent.Unavailable, Retry: true, Partial: "half", Cause: ctx.Err()}
	})
	for name, a := range map[string]agent.Agent{"a bare error": fake(hangs), "a failure around it": echo} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			// Another agent's failure as the cause, as errgroup sets it, must be ignored.
			time.AfterFunc(time.Second, func() { cancel(&agent.Failure{Code: agent.Refused}) })
			f := failure(t, ctx, agent.Guard(a))
			wantCode(t, f, agent.Stopped)
			if f.Retry || !errors.Is(f, context.Canceled) {
				t.Errorf("%s: %+v", name, f)
			}
			f = failure(t, ctx, agent.Guard(a))
			if wantCode(t, f, agent.Stopped); f.Attempts != 0 {
				t.Errorf("%s: asked after the context was done: %+v", name, f)
			}
			late, stop := context.WithTimeout(t.Context(), time.Second)
			defer stop()
			f = failure(t, late, agent.Guard(a))
			if wantCode(t, f, agent.TimedOut); f.Retry {
				t.Errorf("%s: retry allowed after the deadline: %+v", name, f)
			}
		})
	}
}

func TestGuardKeepsReplyOfCancelledCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := agent.Guard(fake(func(context.Context, agent.Call) (agent.Reply, error) {
		cancel()
		return agent.Reply{Text: "just in time"}, nil
	}))
	if reply, err := a.Ask(ctx, agent.Call{}); err != nil || reply.Text != "just in time" {
		t.Errorf("%+v, %v", reply, err)
	}
}
