package runner_test

import (
	"context"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/merge"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store"
)

// clock is a fixed clock, so that every run has the same result.
func clock() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }

// bytesCounter estimates tokens from bytes.
type bytesCounter struct{}

func (bytesCounter) Count(text string) int { return len(text) / 4 }

// lockingStore is a store with locks.
type lockingStore interface {
	store.Store
	store.Locks
}

// fastScript returns the built-in script without its delays.
func fastScript() *rehearsal.Script {
	pause := regexp.MustCompile(`(?m)^( +- )?delay: .*$`)
	s, err := rehearsal.Parse(pause.ReplaceAll(rehearsal.BuiltIn().Source(), []byte("${1}delay: 0s")))
	if err != nil {
		panic(err)
	}
	return s
}

func threeAgents() roster.Roster {
	return roster.Roster{Entries: []roster.Entry{
		{Agent: "BlueLake", Role: roster.HypothesisGenerator},
		{Agent: "PurpleMountain", Role: roster.TestDesigner},
		{Agent: "GreenValley", Role: roster.AdversarialCritic},
	}}
}

// work returns a number of sessions on one question.
func work(sessions, rounds int) loop.Work {
	w := loop.Work{
		Questions: []loop.Question{{ID: "fate", Question: "How does a cell of an early embryo know what to become?"}},
		Rosters:   []loop.Roster{{ID: "three", Roster: jsontext.Value(artifact.Canonical(threeAgents().Value()))}},
		Via:       "rehearsal", Script: "script",
		Settings: flow.Settings{Rounds: rounds, Flow: flow.FlowParallel, Quorum: flow.QuorumRole, Repair: true, Reply: 100},
	}
	for range sessions {
		w.Cells = append(w.Cells, loop.Cell{Question: "fate", Roster: "three"})
	}
	return w
}

func newOpened(w loop.Work, l loop.Limits) loop.Opened {
	if l.Concurrency == 0 {
		l.Concurrency = 4
	}
	if l.Rounds == 0 {
		l.Rounds = 1
	}
	return loop.Opened{Name: "night", Program: "brenner test", Work: w, Limits: l}
}

// preparer prepares sessions with scripted agents.
type preparer struct {
	store  lockingStore
	now    func() time.Time
	script func(job *loop.Job) *rehearsal.Script
	around func(agent.Agent) agent.Agent
	common session.Common
	tries  int  // attempts per call; 0 means one
	real   bool // the sessions count as real ones, whatever answers
}

func (g *preparer) session(_ context.Context, w *loop.Work, j *loop.Job) (*runner.Session, error) {
	q, _ := w.Question(j.Cell.Question)
	r := loop.Rotated(threeAgents(), j.Turn)
	script := g.script(j)
	b := session.Brief{
		Operator: "operator", Program: "brenner test", Roster: r, Question: q.Question,
		Views: make(map[string]view.Spec), Rules: merge.Rules{Scopes: merge.DefaultScopes()}, Script: script.Source(), Settings: w.Settings,
	}
	for _, e := range r.Entries {
		b.Agents = append(b.Agents, flow.Party{Name: e.Agent, Role: string(e.Role), Via: "rehearsal"})
		b.Views[e.Agent] = view.Default(string(e.Role))
	}
	if g.real {
		b.Script = nil
	}
	allowance := &session.Allowance{}
	return &runner.Session{Brief: b, Runner: &session.Runner{
		Store: g.store, Locks: g.store, Now: g.now, Tokens: bytesCounter{}, Allowance: allowance, Common: &g.common,
		Agent: func(p flow.Party) (agent.Agent, error) {
			a, err := script.Agent(agent.Setup{Entry: roster.Entry{Agent: p.Name, Role: roster.Role(p.Role)}})
			if err != nil {
				return nil, err
			}
			if g.around != nil {
				a = g.around(a)
			}
			return agent.Limits{Retry: agent.RetryPolicy{Attempts: max(1, g.tries), First: time.Millisecond}}.Wrap(agent.Guard(a)), nil
		},
	}}, nil
}

// loopRunner returns a runner with scripted agents.
func loopRunner(st lockingStore, script *rehearsal.Script) *runner.Runner {
	g := &preparer{store: st, now: clock, script: func(*loop.Job) *rehearsal.Script { return script }}
	return &runner.Runner{Store: st, Locks: st, Now: clock, Sessions: g.session}
}

func parse(t testing.TB, script string) *rehearsal.Script {
	t.Helper()
	s, err := rehearsal.Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkProven checks that verify finds no faults in an unchanged loop.
func checkProven(t *testing.T, st store.Store) {
	t.Helper()
	if _, found, err := runner.Verify(t.Context(), st, "night"); err != nil || len(found) > 0 {
		t.Errorf("not proven: error %v, faults %v", err, found)
	}
}

// artifacts returns the hash of every session's final artifact, and checks that the loop's
// costs are the sum of its sessions'.
func artifacts(t *testing.T, st lockingStore, s *loop.State) map[string]string {
	t.Helper()
	checkProven(t, st)
	out := make(map[string]string)
	sum := flow.Cost{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Thread == "" {
			continue
		}
		h, err := session.Load(t.Context(), st, j.Thread)
		if err != nil {
			t.Fatal(err)
		}
		a, err := h.Artifact(t.Context(), h.State.Version())
		if err != nil {
			t.Fatal(err)
		}
		out[j.Thread] = store.Hash(a.JSON())
		if j.Settled.Artifact != out[j.Thread] || j.Settled.Spent != h.State.Spent.Tokens {
			t.Errorf("%s: loop has %d tokens and %s, session %d and %s", j.Thread, j.Settled.Spent, j.Settled.Artifact, h.State.Spent.Tokens, out[j.Thread])
		}
		if b := s.Work.Settings.Budget; b > 0 && h.State.Spent.Tokens > b {
			t.Errorf("%s spent %d of %d tokens", j.Thread, h.State.Spent.Tokens, b)
		}
		sum.Tokens += h.State.Spent.Tokens
	}
	if s.Spent != sum || s.Reserved != (flow.Cost{}) {
		t.Errorf("loop: %v spent, %v reserved; sessions spent %v", s.Spent, s.Reserved, sum)
	}
	return out
}

func threadID(n int) string { return fmt.Sprintf("RS-20261115-night-%04d", n) }

// failingSession fails to prepare a session.
func failingSession(context.Context, *loop.Work, *loop.Job) (*runner.Session, error) {
	return nil, &fault.Error{Code: agent.Unavailable, Detail: "no agent"}
}
