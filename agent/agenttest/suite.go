// Package agenttest is the suite that every kind of agent passes. It holds a kind
// to the contract of agent.Agent, in the wrapping in which a session gets it from
// a registry.
//
// It knows nothing of how a kind reaches the other side: each kind brings its own
// other sides, made to answer, to fail or to hang as the suite asks.
package agenttest

import (
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"brenner/agent"
)

// Kind makes agents of one kind on trial, each with an other side of its own.
// What it opens it closes in t.Cleanup; goroutines that are left then are found.
type Kind struct {
	// Answering makes an agent that answers a call of round n with texts[n-1].
	// Another side that sees no rounds finds the number with RoundOf.
	Answering func(t *testing.T, texts ...string) Subject
	// Failing makes an agent that fails so often, in a way that another try may
	// mend, and answers with text then.
	Failing func(t *testing.T, times int, text string) Subject
	// Hanging makes an agent that never answers.
	Hanging func(t *testing.T) Subject
}

// Subject is one agent on trial.
type Subject struct {
	Agent agent.Agent // bare: the suite puts it into a registry itself
	// Asked tells how often the other side was really asked. It is called while
	// calls are under way.
	Asked func() int
}

// Run runs the whole suite.
func Run(t *testing.T, k Kind) {
	t.Helper()
	for _, check := range []struct {
		name string
		run  func(*testing.T, Kind)
	}{
		{"the answer is verbatim", verbatim},
		{"a blank answer is none", blank},
		{"a sign of life comes before the answer", alive},
		{"one call id has one effect", oneEffect},
		{"equal calls at one time have one effect", oneEffectAtOnce},
		{"a call that failed can be tried again", triedAgain},
		{"a stopped call ends at once", stopped},
		{"a call that is over is not put", overBefore},
		{"a call out of time ends at once", outOfTime},
		{"calls at one time do not mix", notMixed},
	} {
		t.Run(check.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			// The first cleanup is the last to run: after all that the kind closes.
			t.Cleanup(func() { goleak.VerifyNone(t, before) })
			check.run(t, k)
		})
	}
}

// made gives the agent as a session would have it.
func made(t *testing.T, s Subject) agent.Agent {
	t.Helper()
	const kind = "on trial"
	r := agent.NewRegistry(map[string]agent.Maker{
		kind: func(agent.Setup) (agent.Agent, error) { return s.Agent, nil },
	})
	a, err := r.Make(kind, agent.Setup{Agent: name})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

const name = "BlueLake"

const asking = "This is the question of round %d.\n\nPlease answer.\n"

// call is a question of a round.
func call(id string, round int) agent.Call {
	return agent.Call{
		ID: "RS-20260101-trial/" + id, Agent: name, Role: "hypothesis_generator",
		Program: "codex-cli", Model: "GPT-5.2", Thread: "RS-20260101-trial", Round: round,
		Subject: "KICKOFF: on trial",
		Turns:   []agent.Turn{{Text: fmt.Sprintf(asking, round)}},
	}
}

// RoundOf gives the round that a question of the suite is of, from its text; 0
// for any other text.
func RoundOf(question string) int {
	var round int
	if _, err := fmt.Sscanf(question, asking, &round); err != nil {
		return 0
	}
	return round
}
