package flow_test

import (
	"testing"

	"brenner/session/flow"
)

// A session is judged by what its agents came to in any round.
func TestVerdict(t *testing.T) {
	heard := func(agent, outcome string) flow.Heard { return flow.Heard{Agent: agent, Outcome: outcome} }
	session := func(protocol int, ended string, version int, rounds ...[]flow.Heard) *flow.State {
		s := &flow.State{Ended: ended, Opened: flow.Opened{Protocol: protocol, Agents: []flow.Party{{Name: "A"}, {Name: "B"}}}}
		s.Commits = []flow.Commit{{Committed: flow.Committed{Source: flow.ByBrief, Version: 1}}}
		for i, r := range rounds {
			s.Commits = append(s.Commits, flow.Commit{Committed: flow.Committed{Source: flow.ByRound, Round: i + 1, Version: version, Heard: r}})
		}
		return s
	}
	for name, c := range map[string]struct {
		state *flow.State
		want  flow.Verdict
	}{
		"both contributed":        {session(2, flow.EndRounds, 2, []flow.Heard{heard("A", flow.Contributed), heard("B", flow.Contributed)}), flow.Complete},
		"in different rounds":     {session(2, flow.EndRounds, 2, []flow.Heard{heard("A", flow.Contributed), heard("B", flow.NoReply)}, []flow.Heard{heard("A", flow.ProseOnly), heard("B", flow.NoChanges)}), flow.Complete},
		"no changes by both":      {session(2, flow.EndQuiet, 1, []flow.Heard{heard("A", flow.NoChanges), heard("B", flow.NoChanges)}), flow.Complete},
		"one wrote prose":         {session(2, flow.EndRounds, 2, []flow.Heard{heard("A", flow.Contributed), heard("B", flow.ProseOnly)}), flow.Partial},
		"one was refused":         {session(2, flow.EndRounds, 2, []flow.Heard{heard("A", flow.Contributed), heard("B", flow.Refused)}), flow.Partial},
		"all wrote prose":         {session(2, flow.EndRounds, 1, []flow.Heard{heard("A", flow.ProseOnly), heard("B", flow.Unreadable)}), flow.Nothing},
		"a person moved it":       {session(2, flow.EndRounds, 2, []flow.Heard{heard("A", flow.ProseOnly), heard("B", flow.ProseOnly)}), flow.Partial},
		"all repeated it":         {session(3, flow.EndRounds, 2, []flow.Heard{{Agent: "A", Outcome: flow.Refused, Applied: 1, Idle: 1}, heard("B", flow.ProseOnly)}), flow.Nothing},
		"no round":                {session(2, flow.EndQuorum, 1), flow.Nothing},
		"out of time":             {session(2, flow.EndTime, 2, []flow.Heard{heard("A", flow.Contributed), heard("B", flow.NoChanges)}), flow.Partial},
		"compiled":                {session(2, flow.EndCompiled, 1), flow.Complete},
		"protocol 1":              {session(0, flow.EndRounds, 1), flow.Complete},
		"protocol 1, no quorum":   {session(0, flow.EndQuorum, 1), flow.Partial},
		"protocol 1, out of time": {session(1, flow.EndTime, 2), flow.Partial},
	} {
		if got := c.state.Verdict(); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	letters := session(2, flow.EndRounds, 2, []flow.Heard{heard("A", flow.Contributed), heard("B", flow.NoReply)})
	letters.Commits = append(letters.Commits, flow.Commit{Committed: flow.Committed{Source: flow.ByThread, Version: 3, Letters: []flow.Letter{{Agent: "B"}}}})
	if idle := letters.Idle(); len(idle) > 0 {
		t.Errorf("%v wrote a letter that was merged", idle)
	}
	if o := letters.Outcomes()[0]; o.Count(flow.Contributed) != 1 || o.Count(flow.NoReply) != 0 {
		t.Errorf("%+v", o)
	}
}
