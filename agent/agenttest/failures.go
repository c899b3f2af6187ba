package agenttest

import (
	"context"
	"testing"
	"time"

	"brenner/agent"
)

// patience is how long anything may take that should happen at once. It is only
// waited for where something is wrong.
const patience = 10 * time.Second

// fails asks where no answer can come, and wants a proper failure.
func fails(t *testing.T, a agent.Agent, ctx context.Context, c agent.Call) *agent.Failure { //nolint:revive // t comes first in a helper
	t.Helper()
	reply, err := a.Ask(ctx, c)
	return proper(t, reply, err)
}

func proper(t *testing.T, reply agent.Reply, err error) *agent.Failure {
	t.Helper()
	f, ok := err.(*agent.Failure) //nolint:errorlint // the contract wants the very type
	if !ok {
		t.Fatalf("an answer, or an error that is no *Failure: %+v, %v", reply, err)
	}
	if f.Code == "" || f.Detail == "" || reply != (agent.Reply{}) {
		t.Errorf("a failure with half an answer, or without code or detail: %+v, %+v", reply, f)
	}
	return f
}

func triedAgain(t *testing.T, k Kind) {
	s := k.Failing(t, 2, "at last")
	a := made(t, s)
	for n := range 2 {
		if f := fails(t, a, t.Context(), call("again", 1)); !f.Retry || f.Attempts != 1 {
			t.Errorf("try %d: %+v", n+1, f)
		}
	}
	if reply := ask(t, a, call("again", 1)); reply.Text != "at last" || s.Asked() != 3 {
		t.Errorf("%+v: asked %d times", reply, s.Asked())
	}
	a = agent.Retry(made(t, k.Failing(t, 2, "at last")), agent.RetryPolicy{First: time.Millisecond})
	if reply := ask(t, a, call("again", 1)); reply.Attempts != 3 {
		t.Errorf("%+v", reply)
	}
}

// outcome is what a call under way comes to.
type outcome struct {
	reply agent.Reply
	err   error
}

// put puts a call and does not wait for it.
func put(ctx context.Context, a agent.Agent, c agent.Call) <-chan outcome {
	end := make(chan outcome, 1)
	go func() {
		reply, err := a.Ask(ctx, c)
		end <- outcome{reply, err}
	}()
	return end
}

// reached waits until a call that hangs has come to the other side.
func reached(t *testing.T, s Subject, end <-chan outcome) {
	t.Helper()
	tick, limit := time.NewTicker(time.Millisecond), time.NewTimer(patience)
	defer tick.Stop()
	defer limit.Stop()
	for s.Asked() == 0 {
		select {
		case <-tick.C:
		case o := <-end:
			t.Fatalf("it did not hang: %+v, %v", o.reply, o.err)
		case <-limit.C:
			t.Fatal("the other side was never asked")
		}
	}
}

func await(t *testing.T, end <-chan outcome) *agent.Failure {
	t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case o := <-end:
		return proper(t, o.reply, o.err)
	case <-limit.C:
		t.Fatal("the call goes on although its context is over")
		return nil
	}
}

func stopped(t *testing.T, k Kind) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := k.Hanging(t)
	end := put(ctx, made(t, s), call("hanging", 1))
	reached(t, s, end)
	cancel()
	if f := await(t, end); f.Code != agent.Stopped || f.Retry {
		t.Errorf("%+v", f)
	}
}

func overBefore(t *testing.T, k Kind) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := k.Hanging(t)
	if f := fails(t, made(t, s), ctx, call("over", 1)); f.Code != agent.Stopped || f.Attempts != 0 || s.Asked() != 0 {
		t.Errorf("%+v: asked %d times", f, s.Asked())
	}
}

func outOfTime(t *testing.T, k Kind) {
	const soon = 20 * time.Millisecond
	late := agent.Deadline(made(t, k.Hanging(t)), soon)
	if f := await(t, put(t.Context(), late, call("late", 1))); f.Code != agent.TimedOut {
		t.Errorf("%+v", f)
	}
	idle := agent.WatchIdle(made(t, k.Hanging(t)), soon)
	if f := await(t, put(t.Context(), idle, call("idle", 1))); f.Code != agent.Idle {
		t.Errorf("%+v", f)
	}
}
