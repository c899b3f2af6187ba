package session_test

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store/journal"
	"brenner/store/opentest"
)

// A failing agent is not retried beyond the budget, even if the policy would.
func TestRetriesKeepToTheBudget(t *testing.T) {
	st := opentest.New(t)
	var asked atomic.Int64
	allow := &session.Allowance{}
	r := runner(st, &actors{script: builtInScript()})
	r.Allowance = allow
	r.Agent = func(p flow.Party) (agent.Agent, error) {
		fails := agentFunc(func(context.Context, agent.Call) (agent.Reply, error) {
			asked.Add(1)
			return agent.Reply{}, &agent.Failure{Code: agent.Cut, Detail: "cut", Retry: true, Usage: agent.Usage{Input: 4000, Output: 2000}}
		})
		policy := agent.RetryPolicy{Attempts: 50, First: time.Microsecond, Again: func(_ context.Context, f *agent.Failure, _ int) bool {
			return allow.AllowRetry(p.Name, f)
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

// guardedAgents returns an agent factory in which ask answers every call, with a guard and with
// retries within the budget.
func guardedAgents(allow *session.Allowance, attempts int, ask func(agent.Call) (agent.Reply, error)) func(flow.Party) (agent.Agent, error) {
	return func(p flow.Party) (agent.Agent, error) {
		policy := agent.RetryPolicy{Attempts: attempts, First: time.Microsecond, Max: time.Microsecond, Again: func(_ context.Context, f *agent.Failure, _ int) bool {
			return allow.AllowRetry(p.Name, f)
		}}
		kind := agentFunc(func(_ context.Context, c agent.Call) (agent.Reply, error) { return ask(c) })
		return agent.Retry(agent.Guard(kind), policy), nil
	}
}

// reservedCost returns the reservations of the first calls of a session.
func reservedCost(s *flow.State) flow.Cost {
	var all flow.Cost
	for c := range s.Legs[0].Calls() {
		all = all.Plus(c.Reserved)
	}
	return all
}

// An attempt without reported usage that may have worked costs its full reservation.
func TestUnreportedAttemptsCostTheirReservation(t *testing.T) {
	for _, code := range []fault.Code{agent.TimedOut, agent.Idle, agent.Cut, agent.Broken} {
		allow := &session.Allowance{}
		r := runner(opentest.New(t), nil)
		r.Allowance = allow
		r.Agent = guardedAgents(allow, 2, func(agent.Call) (agent.Reply, error) {
			return agent.Reply{}, &agent.Failure{Code: code, Retry: true}
		})
		b := brief(1)
		b.Settings.Prices = flow.Prices{{Agent: "BlueLake", Input: 3, Output: 15}}
		res, err := r.Start(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if spent, once := res.State.Spent, reservedCost(res.State); once.USD == 0 || spent != once.Times(2) {
			t.Errorf("%s: spent %+v; reserved %+v per attempt", code, spent, once)
		}
	}
}

// Absurd usage reports never reduce the cost or make the journal unreadable; a report beyond the
// budget ends the session.
func TestAbsurdUsageNeverReducesCost(t *testing.T) {
	for name, used := range map[string]agent.Usage{
		"negative":          {Input: -1_000_000, Output: 5},
		"smallest integer":  {Input: math.MinInt, Output: math.MinInt},
		"largest integer":   {Input: math.MaxInt, Output: math.MaxInt},
		"beyond exact JSON": {Input: 1 << 53, Output: 7},
	} {
		for _, fails := range []bool{false, true} {
			st, allow := opentest.New(t), &session.Allowance{}
			r := runner(st, nil)
			r.Allowance = allow
			var asked atomic.Int64
			r.Agent = guardedAgents(allow, 3, func(agent.Call) (agent.Reply, error) {
				asked.Add(1)
				if fails {
					return agent.Reply{}, &agent.Failure{Code: agent.Cut, Retry: true, Usage: used}
				}
				return agent.Reply{Text: "NO CHANGES: nothing new.", Usage: used}, nil
			})
			b := brief(2)
			b.Settings.Budget, b.Settings.BudgetUSD = 500_000, 1_000_000_000
			b.Settings.Prices = flow.Prices{{Agent: "BlueLake", Input: 1_000_000_000, Output: 1_000_000_000}}
			res, err := r.Start(t.Context(), b)
			if err != nil {
				t.Fatalf("%s, %v: %v", name, fails, err)
			}
			if s := res.State.Spent; s.Tokens < 0 || s.USD < 0 {
				t.Errorf("%s, %v: %+v", name, fails, s)
			}
			if used.Input > 0 && (res.Reason != flow.EndBudget && !fails || res.State.Spent.Tokens < 500_000 || asked.Load() > 3) {
				t.Errorf("%s, %v: asked %d times, %+v: %s", name, fails, asked.Load(), res.State.Spent, res.Reason)
			}
			h, err := session.Load(t.Context(), st, thread)
			if err != nil || h.State.Spent != res.State.Spent {
				t.Errorf("%s, %v: %+v, %v", name, fails, h, err)
			}
		}
	}
}

// The cost of failed attempts is not journaled until the call ends, but must not be available to
// repairs.
func TestRepairsDoNotSpendCostOfFailedAttempts(t *testing.T) {
	const lost = 20_000
	repairable := "```delta\n{\"operation\": \"ADD\"\n```\n"
	run := func(budget int) (*session.Result, int64) {
		allow := &session.Allowance{}
		r := runner(opentest.New(t), nil)
		r.Allowance = allow
		again, answered := make(chan struct{}), make(chan struct{})
		var answers, repairs atomic.Int64
		r.Observe = func(e *journal.Entry, _ *flow.State) {
			if e.Kind == flow.KindAnswered && answers.Add(1) == 2 {
				close(answered)
			}
		}
		var tries atomic.Int64
		r.Agent = guardedAgents(allow, 3, func(c agent.Call) (agent.Reply, error) {
			all := agent.Usage{Input: bytesCounter{}.Count(c.Turns[0].Text), Output: c.MaxReply}
			switch {
			case len(c.Turns) > 1:
				repairs.Add(1)
			case c.Agent != "GreenValley":
				<-again // the cost of its first attempt is known now
			case tries.Add(1) == 1:
				return agent.Reply{}, &agent.Failure{Code: agent.Cut, Retry: true, Usage: agent.Usage{Input: lost}}
			default:
				close(again)
				<-answered
			}
			return agent.Reply{Text: repairable, Usage: all}, nil
		})
		b := brief(1)
		b.Settings.Budget = budget
		res, err := r.Start(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		return res, repairs.Load()
	}
	free, repairs := run(0)
	if repairs != 3 {
		t.Fatalf("%d repairs without a budget", repairs)
	}
	var first flow.Cost
	for c := range free.State.Legs[0].Calls() {
		if c.Turn == flow.TurnAsk {
			first = first.Plus(c.Reserved)
		}
	}
	budget := first.Tokens + lost
	res, repairs := run(budget)
	if spent := res.State.Spent.Tokens; spent > budget || repairs != 0 {
		t.Errorf("%d tokens of %d spent, with %d repairs", spent, budget, repairs)
	}
}

// Retries of an arbiter are within the budget, as for any agent.
func TestArbiterRetriesKeepToTheBudget(t *testing.T) {
	run := func(change func(*flow.Settings)) (*session.Result, int) {
		allow, s, asked := &session.Allowance{}, &actors{script: parse(t, quarrel)}, 0
		r := runner(opentest.New(t), s)
		r.Allowance = allow
		judge := guardedAgents(allow, 50, func(c agent.Call) (agent.Reply, error) {
			asked++
			used := agent.Usage{Input: bytesCounter{}.Count(c.Turns[0].Text), Output: c.MaxReply}
			return agent.Reply{}, &agent.Failure{Code: agent.Cut, Retry: true, Usage: used}
		})
		r.Agent = func(p flow.Party) (agent.Agent, error) {
			if p.Name == "Judge" {
				return judge(p)
			}
			return s.agent(p)
		}
		b := quarrelBrief(3)
		change(&b.Settings)
		res, err := r.Start(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		return res, asked
	}
	free, asked := run(func(*flow.Settings) {})
	if asked != 50 || len(free.State.Rulings) != 1 {
		t.Fatalf("arbiter asked %d times: %+v", asked, free.State.Rulings)
	}
	one := free.State.Rulings[0]
	budget := free.State.Spent.Minus(one.Lost).Plus(one.Reserved.Times(3)).Tokens
	res, asked := run(func(s *flow.Settings) { s.Budget = budget })
	if spent := res.State.Spent.Tokens; spent != budget || asked != 3 {
		t.Errorf("%d tokens of %d spent; arbiter asked %d times", spent, budget, asked)
	}
}
