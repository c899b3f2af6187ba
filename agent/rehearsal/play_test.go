package rehearsal_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/internal/fault"
	"brenner/roster"
)

func parse(t *testing.T, script string) *rehearsal.Script {
	t.Helper()
	s, err := rehearsal.Parse([]byte("schema: brenner.rehearsal/v1\nquestion: Q\n" + script))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustMake(t *testing.T, s *rehearsal.Script, setup agent.Setup) agent.Agent {
	t.Helper()
	a, err := s.Agent(setup)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func say(t *testing.T, a agent.Agent, c agent.Call) agent.Reply {
	t.Helper()
	reply, err := a.Ask(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

const nothing = "NO CHANGES: the script has nothing for this round.\n"

func TestRoundsAndTurns(t *testing.T) {
	s := parse(t, `
agents:
  - role: test_designer
    rounds:
      - reply: one
        repair: repaired
        usage: {input: 900, output: 400}
      - reply: two
`)
	a := mustMake(t, s, agent.Setup{Entry: roster.Entry{Agent: "A", Role: "test_designer"}})
	repair := []agent.Turn{{Text: "please"}, {Own: true, Text: "one"}, {Text: "once more"}}
	for _, c := range []struct {
		round int
		turns []agent.Turn
		want  string
		usage agent.Usage
	}{
		{1, repair[:1], "one", agent.Usage{Input: 900, Output: 400}},
		{1, repair, "repaired", agent.Usage{Input: 900, Output: 400}},
		{2, repair[:1], "two", agent.Usage{Input: 2, Output: 1, Guessed: true}},
		{2, repair, nothing, agent.Usage{Input: 6, Output: 13, Guessed: true}},
		{3, repair[:1], nothing, agent.Usage{Input: 2, Output: 13, Guessed: true}},
		{3, repair, nothing, agent.Usage{Input: 6, Output: 13, Guessed: true}},
		{0, repair[:1], "one", agent.Usage{Input: 900, Output: 400}},
	} {
		want := agent.Reply{Text: c.want, Model: "rehearsal", Usage: c.usage, Attempts: 1}
		if got := say(t, a, agent.Call{Round: c.round, Turns: c.turns}); got != want {
			t.Errorf("round %d, %d turns: %+v", c.round, len(c.turns), got)
		}
	}
}

func TestFailuresCutsAndDelays(t *testing.T) {
	s := parse(t, `
agents:
  - name: A
    rounds:
      - reply: at last
        fail: {code: AGENT_TIMEOUT, message: too busy, times: 1, retry: true, after: 10ms}
      - fail: {code: AGENT_REFUSED}
      - {reply: half of i, cut: true}
      - {reply: slow, delay: 30s}
`)
	synctest.Test(t, func(t *testing.T) {
		a := mustMake(t, s, agent.Setup{Entry: roster.Entry{Agent: "A"}})
		for _, c := range []struct {
			round int
			id    string
			want  agent.Failure
		}{
			{1, "one", agent.Failure{Code: agent.TimedOut, Detail: "too busy", Retry: true, After: 10 * time.Millisecond, Attempts: 1}},
			{1, "other", agent.Failure{Code: agent.TimedOut, Detail: "too busy", Retry: true, After: 10 * time.Millisecond, Attempts: 1}},
			{2, "two", agent.Failure{Code: agent.Refused, Detail: "failed by the script", Attempts: 1}},
			{2, "two", agent.Failure{Code: agent.Refused, Detail: "failed by the script", Attempts: 1}},
			{3, "three", agent.Failure{Code: agent.Cut, Detail: "reply cut off by the script", Retry: true, Partial: "half of i", Attempts: 1}},
		} {
			_, err := a.Ask(t.Context(), agent.Call{ID: c.id, Round: c.round})
			var f *agent.Failure
			if !errors.As(err, &f) || *f != c.want {
				t.Errorf("%s: %+v", c.id, f)
			}
		}
		// Failures are counted by call, not by agent.
		again := mustMake(t, s, agent.Setup{Entry: roster.Entry{Agent: "A"}})
		if got := say(t, again, agent.Call{ID: "one", Round: 1}).Text; got != "at last" {
			t.Error(got)
		}
		begin, signs := time.Now(), 0
		say(t, a, agent.Call{ID: "four", Round: 4, Alive: func() { signs++ }})
		if time.Since(begin) != 30*time.Second || signs != 2 {
			t.Errorf("%s, %d signs of life", time.Since(begin), signs)
		}
	})
}

func TestScriptAssignsParts(t *testing.T) {
	s := parse(t, `
agents:
  - {role: adversarial_critic, rounds: [{reply: first}]}
  - {name: Named, rounds: [{reply: by name}]}
  - {role: adversarial_critic, rounds: [{reply: second}]}
  - {role: test_designer, rounds: [{reply: designer}]}
`)
	for _, c := range []struct {
		setup agent.Setup
		want  string
	}{
		{agent.Setup{Entry: roster.Entry{Agent: "A", Role: "adversarial_critic"}}, "first"},
		{agent.Setup{Entry: roster.Entry{Agent: "Named", Role: "adversarial_critic"}, Before: []string{"A"}}, "by name"},
		{agent.Setup{Entry: roster.Entry{Agent: "B", Role: "adversarial_critic"}, Before: []string{"A", "Named"}}, "second"},
		{agent.Setup{Entry: roster.Entry{Agent: "C", Role: "adversarial_critic"}, Before: []string{"A", "Named", "B"}}, nothing},
		{agent.Setup{Entry: roster.Entry{Agent: "Named", Role: "hypothesis_generator"}}, "by name"},
		{agent.Setup{Entry: roster.Entry{Agent: "named", Role: "test_designer"}}, "designer"},
	} {
		if got := say(t, mustMake(t, s, c.setup), agent.Call{Round: 1}).Text; got != c.want {
			t.Errorf("%+v: %s", c.setup, got)
		}
	}
	_, err := s.Agent(agent.Setup{Entry: roster.Entry{Agent: "D", Role: "hypothesis_generator"}})
	want := "the script has no part for D, hypothesis_generator"
	if fault.CodeOf(err) != rehearsal.NoPart || err.Error() != want ||
		!strings.HasSuffix(fault.HintOf(err), "it has parts for adversarial_critic, Named, adversarial_critic, test_designer") {
		t.Errorf("%v; %s", err, fault.HintOf(err))
	}
}

func TestBuiltInReturnsCopies(t *testing.T) {
	one, two := rehearsal.BuiltIn(), rehearsal.BuiltIn()
	one.Source()[0] = 'X'
	if one == two || !bytes.Equal(one.Source(), two.Source()) {
		t.Error("two built-in scripts share memory")
	}
}
