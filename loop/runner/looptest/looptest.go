// Package looptest has what tests of loops share: scripted agents, a loop about one question, and what prepares
// its sessions.
package looptest

import (
	"context"
	"regexp"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/artifact"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/merge"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store"
)

// Clock is a fixed clock, so that every run has the same result.
func Clock() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }

// Counter estimates tokens from bytes.
type Counter struct{}

// Count implements session.Counter.
func (Counter) Count(text string) int { return len(text) / 4 }

// Store is a store with locks.
type Store interface {
	store.Store
	store.Locks
}

// FastScript returns the built-in script without its delays.
func FastScript() *rehearsal.Script {
	pause := regexp.MustCompile(`(?m)^( +- )?delay: .*$`)
	s, err := rehearsal.Parse(pause.ReplaceAll(rehearsal.BuiltIn().Source(), []byte("${1}delay: 0s")))
	if err != nil {
		panic(err)
	}
	return s
}

// ThreeAgents returns a roster with an agent of each role.
func ThreeAgents() roster.Roster {
	return roster.Roster{Entries: []roster.Entry{
		{Agent: "BlueLake", Role: roster.HypothesisGenerator},
		{Agent: "PurpleMountain", Role: roster.TestDesigner},
		{Agent: "GreenValley", Role: roster.AdversarialCritic},
	}}
}

// Work returns a number of sessions on one question.
func Work(sessions, rounds int) loop.Work {
	w := loop.Work{
		Questions: []loop.Question{{ID: "fate", Question: "How does a cell of an early embryo know what to become?"}},
		Rosters:   []loop.Roster{{ID: "three", Roster: jsontext.Value(artifact.Canonical(ThreeAgents().Value()))}},
		Via:       "rehearsal", Script: "script",
		Settings: flow.Settings{Rounds: rounds, Flow: flow.FlowParallel, Quorum: flow.QuorumRole, Repair: true, Reply: 100},
	}
	for range sessions {
		w.Cells = append(w.Cells, loop.Cell{Question: "fate", Roster: "three"})
	}
	return w
}

// NewOpened returns the opening of a loop named night, with four sessions at once and one round unless set.
func NewOpened(w loop.Work, l loop.Limits) loop.Opened {
	if l.Concurrency == 0 {
		l.Concurrency = 4
	}
	if l.Rounds == 0 {
		l.Rounds = 1
	}
	return loop.Opened{Name: "night", Program: "brenner test", Work: w, Limits: l}
}

// Preparer prepares sessions with scripted agents.
type Preparer struct {
	Store  Store
	Now    func() time.Time
	Script func(job *loop.Job) *rehearsal.Script
	// Around, if not nil, wraps each agent.
	Around func(agent.Agent) agent.Agent
	Tries  int  // attempts per call, a millisecond apart; 0 means one
	Real   bool // the sessions count as real ones, whatever answers

	common session.Common
}

// Session is a runner.Runner's Sessions.
func (g *Preparer) Session(_ context.Context, w *loop.Work, j *loop.Job) (*runner.Session, error) {
	q, _ := w.Question(j.Cell.Question)
	r := loop.Rotated(ThreeAgents(), j.Turn)
	script := g.Script(j)
	b := session.Brief{
		Operator: "operator", Program: "brenner test", Roster: r, Question: q.Question,
		Views: make(map[string]view.Spec), Rules: merge.Rules{Scopes: merge.DefaultScopes()}, Script: script.Source(), Settings: w.Settings,
	}
	for _, e := range r.Entries {
		b.Agents = append(b.Agents, flow.Party{Name: e.Agent, Role: string(e.Role), Via: "rehearsal"})
		b.Views[e.Agent] = view.Default(string(e.Role))
	}
	if g.Real {
		b.Script = nil
	}
	allowance := &session.Allowance{}
	return &runner.Session{Brief: b, Runner: &session.Runner{
		Store: g.Store, Locks: g.Store, Now: g.Now, Tokens: Counter{}, Allowance: allowance, Common: &g.common,
		Agent: func(p flow.Party) (agent.Agent, error) {
			a, err := script.Agent(agent.Setup{Entry: roster.Entry{Agent: p.Name, Role: roster.Role(p.Role)}})
			if err != nil {
				return nil, err
			}
			if g.Around != nil {
				a = g.Around(a)
			}
			return agent.Limits{Retry: agent.RetryPolicy{
				Attempts: max(1, g.Tries), First: time.Millisecond, Jitter: func(d time.Duration) time.Duration { return d },
				Again: func(_ context.Context, f *agent.Failure, _ int) bool { return allowance.AllowRetry(p.Name, f) },
			}}.Wrap(agent.Guard(a)), nil
		},
	}}, nil
}
