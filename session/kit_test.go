package session_test

import (
	"context"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/merge"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store"
)

const thread = "RS-20261115-cell-fate"

// clock returns a fixed time, so that everything that depends on time is the same in every run.
func clock() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }

// bytesCounter counts four bytes as one token.
type bytesCounter struct{}

func (bytesCounter) Count(text string) int { return len(text) / 4 }

// actors are the agents of a rehearsal script.
type actors struct {
	script *rehearsal.Script
	asked  atomic.Int64
}

func (s *actors) agent(p flow.Party) (agent.Agent, error) {
	a, err := s.script.Agent(agent.Setup{Entry: roster.Entry{Agent: p.Name, Role: roster.Role(p.Role)}})
	if err != nil {
		return nil, err
	}
	counted := agentFunc(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
		s.asked.Add(1)
		return a.Ask(ctx, c)
	})
	return agent.Limits{Retry: agent.RetryPolicy{First: time.Millisecond}}.Wrap(agent.Guard(counted)), nil
}

type agentFunc func(context.Context, agent.Call) (agent.Reply, error)

func (f agentFunc) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) { return f(ctx, c) }

func parse(t testing.TB, script string) *rehearsal.Script {
	t.Helper()
	s, err := rehearsal.Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// builtInScript returns the built-in script without its delays.
func builtInScript() *rehearsal.Script {
	pause := regexp.MustCompile(`(?m)^( +- )?delay: .*$`)
	s, err := rehearsal.Parse(pause.ReplaceAll(rehearsal.BuiltIn().Source(), []byte("${1}delay: 0s")))
	if err != nil {
		panic(err)
	}
	return s
}

// lockingStore is a store with locks.
type lockingStore interface {
	store.Store
	store.Locks
}

func runner(st lockingStore, s *actors) *session.Runner {
	return &session.Runner{Store: st, Locks: st, Now: clock, Agent: s.agent, Tokens: bytesCounter{}}
}

// brief returns the brief of the example session.
func brief(rounds int) session.Brief {
	r := roster.Roster{Entries: []roster.Entry{
		{Agent: "BlueLake", Role: roster.HypothesisGenerator},
		{Agent: "PurpleMountain", Role: roster.TestDesigner},
		{Agent: "GreenValley", Role: roster.AdversarialCritic},
	}}
	b := session.Brief{
		Thread: thread, Operator: "operator", Program: "brenner test", Roster: r,
		Question: "How does a cell of an early embryo know what to become?", Context: "Early and late grafts differ.",
		Views: make(map[string]view.Spec), Rules: merge.Rules{Scopes: merge.DefaultScopes()}, Script: []byte("script"),
		Settings: flow.Settings{Rounds: rounds, Flow: flow.FlowParallel, Quorum: flow.QuorumRole, Repair: true, Reply: 100},
	}
	for _, e := range r.Entries {
		b.Agents = append(b.Agents, flow.Party{Name: e.Agent, Role: string(e.Role), Via: "rehearsal"})
		b.Views[e.Agent] = view.Default(string(e.Role))
	}
	return b
}

// setRounds returns a change of settings to n rounds.
func setRounds(n int) func(*flow.Settings) { return func(s *flow.Settings) { s.Rounds = n } }
