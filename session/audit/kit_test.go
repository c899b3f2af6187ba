package audit_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/merge"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store/opentest"
)

const tinyThread = "RS-20261115-tiny"

// tinyScript has one agent that answers once.
const tinyScript = "schema: brenner.rehearsal/v1\nquestion: Why?\nagents:\n  - name: A\n    rounds:\n      - reply: |\n" +
	"          ```delta\n          {\"operation\": \"ADD\", \"section\": \"hypothesis_slate\", \"payload\": {\"claim\": \"Because.\"}, \"rationale\": \"r\"}\n          ```\n"

// counter counts four bytes as one token.
type counter struct{}

func (counter) Count(text string) int { return len(text) / 4 }

// play runs a session of one round with agents of a script, in a new store.
func play(t *testing.T, script string, agents ...string) (opentest.Store, *session.History) {
	t.Helper()
	return playRounds(t, 1, script, agents...)
}

func playRounds(t *testing.T, rounds int, script string, agents ...string) (opentest.Store, *session.History) {
	t.Helper()
	played, err := rehearsal.Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	st := opentest.New(t)
	r := &session.Runner{
		Store: st, Locks: st, Tokens: counter{},
		Now: func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) },
		Agent: func(p flow.Party) (agent.Agent, error) {
			return played.Agent(agent.Setup{Entry: roster.Entry{Agent: p.Name, Role: roster.Role(p.Role)}})
		},
	}
	b := session.Brief{
		Thread: tinyThread, Operator: "operator", Program: "brenner test", Question: "Why?",
		Views: make(map[string]view.Spec), Rules: merge.Rules{Scopes: merge.DefaultScopes()}, Script: []byte(script),
		Settings: flow.Settings{Rounds: rounds, Flow: flow.FlowParallel, Quorum: flow.QuorumRole, Repair: true, Reply: 100},
	}
	for _, name := range agents {
		role := roster.HypothesisGenerator
		b.Roster.Entries = append(b.Roster.Entries, roster.Entry{Agent: name, Role: role})
		b.Agents = append(b.Agents, flow.Party{Name: name, Role: string(role), Via: "rehearsal"})
		b.Views[name] = view.Default(string(role))
	}
	if _, err := r.Start(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	h, err := session.Load(context.Background(), st, tinyThread)
	if err != nil {
		t.Fatal(err)
	}
	return st, h
}

// tinyExport runs a small session and exports it.
func tinyExport(t *testing.T) []byte {
	t.Helper()
	_, h := play(t, tinyScript, "A")
	var data bytes.Buffer
	if err := h.Export(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}
