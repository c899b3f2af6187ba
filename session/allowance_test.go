package session_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"brenner/agent"
	"brenner/flow"
	"brenner/session"
	"brenner/store/memory"
)

// An agent that costs and fails is not tried again past the budget, however often
// the policy would.
func TestRetriesKeepToTheBudget(t *testing.T) {
	st := memory.New()
	var asked atomic.Int64
	allow := &session.Allowance{}
	r := runner(st, &stage{script: swift()})
	r.Allowance = allow
	r.Agent = func(p flow.Party) (agent.Agent, error) {
		fails := agentFunc(func(context.Context, agent.Call) (agent.Reply, error) {
			asked.Add(1)
			return agent.Reply{}, &agent.Failure{Code: agent.Cut, Detail: "cut", Retry: true, Usage: agent.Usage{Input: 4000, Output: 2000}}
		})
		policy := agent.RetryPolicy{Attempts: 50, First: time.Microsecond, Again: func(_ context.Context, f *agent.Failure, _ int) bool {
			return allow.Again(p.Name, f)
		}}
		return agent.Retry(agent.Guard(fails), policy), nil
	}
	b := brief(1)
	b.Settings.Budget, b.Settings.Reply = 40_000, 2000
	res, err := r.Start(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if spent := res.State.Spent.Tokens; spent > 40_000 || asked.Load() < 4 {
		t.Errorf("%d tokens of 40000 spent in %d calls", spent, asked.Load())
	}
}
