package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"brenner/agent"
	"brenner/kickoff"
	"brenner/merge"
	"brenner/playbook"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store/opentest"
)

// playCiting plays the example with text added to the first replies of some agents.
func playCiting(t *testing.T, rounds int, more map[string]string) *session.History {
	t.Helper()
	st := opentest.New(t)
	s := &actors{script: builtInScript()}
	r := runner(st, s)
	r.Memory = &fakeMemory{lessons: session.LessonSet{Lessons: []kickoff.Bullet{{ID: "pb-00001", Text: "Name the mechanism"}}}}
	r.Agent = func(p flow.Party) (agent.Agent, error) {
		a, err := s.agent(p)
		return agentFunc(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
			reply, err := a.Ask(ctx, c)
			if c.Round == 1 {
				reply.Text += more[p.Name]
			}
			return reply, err
		}), err
	}
	b := brief(rounds)
	b.Script = nil
	if _, err := r.Start(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return load(t, st)
}

// creditOf returns the credit of the lesson, and how many deltas of an agent were applied and
// rejected.
func creditOf(t *testing.T, h *session.History, name string) (polarity playbook.Section, applied, rejected int) {
	t.Helper()
	got, err := h.Harvest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range h.State.Commits {
		r, err := h.Report(t.Context(), &h.State.Commits[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range r.Merge.Deltas {
			switch {
			case d.Agent != name:
			case d.Disposition == merge.Applied:
				applied++
			case d.Disposition == merge.Rejected:
				rejected++
			}
		}
	}
	switch len(got.Credits) {
	case 0:
		return "", applied, rejected
	case 1:
		return got.Credits[0].Polarity, applied, rejected
	}
	t.Fatalf("%+v", got.Credits)
	return "", 0, 0
}

// rejectedDeltas returns a reply with n deltas that are rejected.
func rejectedDeltas(n int) string {
	var b strings.Builder
	b.WriteString("\n")
	for i := range n {
		fmt.Fprintf(&b, "```delta\n{\"operation\": \"KILL\", \"section\": \"hypothesis_slate\", \"target_id\": \"H9%d\", \"payload\": {\"reason\": \"r\"}, \"rationale\": \"r\"}\n```\n", i)
	}
	return b.String()
}

// In a tie between applied and rejected deltas, lint decides: the artifact is valid after one
// round, and after two it has a field in CONFLICT.
func TestLintBreaksTiesInCredit(t *testing.T) {
	const name, cite = "PurpleMountain", "\nAs [pb-00001] says.\n"
	for rounds, want := range map[int]playbook.Section{1: playbook.Helpful, 2: playbook.Harmful} {
		_, applied, rejected := creditOf(t, playCiting(t, rounds, nil), name)
		polarity, good, bad := creditOf(t, playCiting(t, rounds, map[string]string{name: cite + rejectedDeltas(applied-rejected)}), name)
		if good != bad || good == 0 || polarity != want {
			t.Errorf("%d rounds: %d applied and %d rejected: %s", rounds, good, bad, polarity)
		}
	}
}

// An agent that only cites a lesson earns it no credit for the work of others.
func TestCitationWithoutDeltasIsNeutral(t *testing.T) {
	results := map[string]playbook.Section{"": "", strings.Repeat("[pb-00001] [pb-00002] ", 1000): playbook.Neutral}
	results["<think>As [pb-00001] says.</think>"] = ""
	for text, want := range results {
		st := opentest.New(t)
		s := &actors{script: builtInScript()}
		r := runner(st, s)
		r.Memory = &fakeMemory{lessons: session.LessonSet{Lessons: []kickoff.Bullet{{ID: "pb-00001", Text: "x"}}}}
		r.Agent = func(p flow.Party) (agent.Agent, error) {
			if p.Name != "GreenValley" {
				return s.agent(p)
			}
			return agentFunc(func(context.Context, agent.Call) (agent.Reply, error) {
				return agent.Reply{Text: "Nothing. " + text}, nil
			}), nil
		}
		b := brief(1)
		b.Script = nil
		if _, err := r.Start(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if got, _, _ := creditOf(t, load(t, st), "GreenValley"); got != want {
			t.Errorf("%.20q: %s", text, got)
		}
	}
}
