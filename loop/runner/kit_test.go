package runner_test

import (
	"context"
	"fmt"
	"testing"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
)

// loopRunner returns a runner with scripted agents.
func loopRunner(st looptest.Store, script *rehearsal.Script) *runner.Runner {
	g := &looptest.Preparer{Store: st, Now: looptest.Clock, Script: func(*loop.Job) *rehearsal.Script { return script }}
	return &runner.Runner{Store: st, Locks: st, Now: looptest.Clock, Sessions: g.Session}
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
func artifacts(t *testing.T, st looptest.Store, s *loop.State) map[string]string {
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
