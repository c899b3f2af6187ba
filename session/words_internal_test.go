package session

import (
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/session/flow"
)

// Stores contain this wording. A new one goes in front of it (see wordings), so that older records
// still verify.
func TestFirstWordsAreFrozen(t *testing.T) {
	w := firstWords()
	o := &flow.Opened{Thread: "RS-1", Agents: []flow.Party{{Name: "A1"}, {Name: "A2"}}}
	m := &flow.Stalemated{Kind: "conflict", By: "Judge"}
	long := &artifact.Item{ID: artifact.ThreadID, Fields: []artifact.Field{{Name: "statement", Value: artifact.Text(strings.Repeat("ä", 121))}}}
	a := &artifact.Artifact{}
	a.Sections[artifact.ResearchThread] = []*artifact.Item{long}
	outcome := flow.Outcome{Applied: 1, Rejected: 2, Conflicts: 3}
	for _, c := range []struct{ got, want string }{
		{w.roster(o), "who takes part in RS-1: A1, A2"},
		{w.kickoff(&flow.Planned{Round: 2}, &flow.Kickoff{Agent: "A1", Subject: "Why?"}), "to A1, round 2: Why?"},
		{w.answer(&flow.Call{Agent: "A1", Round: 2, Turn: flow.TurnRepair}), "of A1, round 2 (repair)"},
		{w.letter(&flow.Letter{Agent: "A1", Subject: "Why?"}), "of A1, a letter: Why?"},
		{w.about("H1.claim", "RS-1"), "H1.claim of RS-1"},
		{w.stuck(m, "H1.claim of RS-1"), "H1.claim of RS-1 is stuck (conflict): a ruling is needed"},
		{w.ruled(m, "H1.claim of RS-1"), "Judge ruled on H1.claim of RS-1"},
		{w.version(a), strings.Repeat("ä", 120) + "… (0 hypotheses, 0 tests)"},
		{w.change(&flow.Committed{Source: flow.ByBrief, Outcome: outcome}), "the brief: 1 applied, 2 rejected, 3 in conflict"},
		{w.change(&flow.Committed{Source: flow.ByRound, Round: 4}), "round 4: 0 applied, 0 rejected, 0 in conflict"},
		{w.change(&flow.Committed{Source: flow.ByThread}), "letters of the thread: 0 applied, 0 rejected, 0 in conflict"},
		{w.change(&flow.Committed{Source: flow.ByPerson, Author: "op"}), "deltas of op: 0 applied, 0 rejected, 0 in conflict"},
		{w.change(&flow.Committed{Source: flow.ByPerson, Author: "op", Ruling: "ST-1"}), "ruling of op in ST-1: 0 applied, 0 rejected, 0 in conflict"},
		{
			w.change(&flow.Committed{Source: flow.ByRound, Round: 1, Moved: []flow.MovedRecord{{ID: "n", Version: 1, Now: 2}, {ID: "o", Version: 3}}}),
			"round 1: 0 applied, 0 rejected, 0 in conflict; n@v1 was shown, and v2 holds now; o@v3 was shown, which does not hold any more",
		},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q: this wording is frozen; put a new one in front of wordings", c.got, c.want)
		}
	}
}
