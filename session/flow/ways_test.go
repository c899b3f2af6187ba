package flow_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact"
	"brenner/merge"
	"brenner/session/flow"
)

// A session opened without ways names authors from the first journaled way that says so: ways that
// earlier programs journaled change nothing, or what they stored would no longer verify.
func TestSessionsWithoutWaysNameAuthorsFromAWay(t *testing.T) {
	opened := []flow.Party{
		{Name: "BlueLake", Via: flow.ViaOpenAI, Program: "codex-cli", Model: "GPT-5.2", ModelID: "first"},
		{Name: "RedSky", Via: "mail", Model: "Opus"},
	}
	s := &flow.State{Opened: flow.Opened{Agents: opened}}
	before := []artifact.Contributor{{Agent: "operator"}, {Agent: "BlueLake", Model: "GPT-5.2"}, {Agent: "RedSky", Model: "Opus"}}
	for _, named := range []bool{false, true} {
		way := flow.NewWay{Agent: "BlueLake", ModelID: "good", Way: flow.Way{Endpoint: "http://models.example/v1", Named: named}}
		now := flow.Rerouted(opened, []flow.NewWay{way})
		if way.Changes(&now[0]) {
			t.Error("the way differs from itself")
		}
		var rules merge.Rules
		var want map[string]string
		after := before
		if named {
			want = map[string]string{"BlueLake": "good at models.example"}
			after = []artifact.Contributor{{Agent: "operator"}, {Agent: "BlueLake", Model: "GPT-5.2", Asked: "first"}, {Agent: "RedSky", Model: "Opus"}}
		}
		s.SetAuthors(&rules, &flow.Committed{}, now)
		if diff := cmp.Diff(want, rules.Asked); diff != "" {
			t.Errorf("named %v: %s", named, diff)
		}
		if diff := cmp.Diff(after, s.NameEarlier(before, now)); diff != "" {
			t.Errorf("named %v: %s", named, diff)
		}
	}
}
