package settle_test

import (
	"testing"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/roster"
)

// What a repair turn proposes can be done.
func TestAdviceCanBeFollowed(t *testing.T) {
	const (
		third   = `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"three","claim":"three","third_alternative":true}}`
		named   = `{"operation":"ADD","section":"hypothesis_slate","ref":"h_new","payload":{"name":"new","claim":"new"}}`
		known   = `{"operation":"ADD","section":"hypothesis_slate","ref":"h1","payload":{"name":"new","claim":"new"}}`
		unnamed = `{"operation":"EDIT","section":"hypothesis_slate","target_id":"h_nwe","payload":{"claim":"sharper"}}`
		spelled = `{"operation":"EDIT","section":"hypothesis_slate","target_id":"h1","payload":{"claim":"sharper"}}`
		kill1   = `{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"r"}}`
		kill9   = `{"operation":"KILL","section":"hypothesis_slate","target_id":"H9","payload":{"reason":"r"}}`
		moved   = `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"sharper"}}`
	)
	first := settle.Settle(settle.Input{Base: empty(), At: at.Add(-1), Message: 1, Contributions: []settle.Contribution{
		{Agent: "B", ID: "m0", Text: fence(`{"operation":"ADD","section":"hypothesis_slate","target_id":"H1","payload":{"name":"one","claim":"one"}}`)},
		{Agent: "C", ID: "m1", Text: fence(`{"operation":"ADD","section":"hypothesis_slate","target_id":"H1","payload":{"name":"two","claim":"two"}}`, third)},
	}})
	scoped := merge.Rules{Agents: []roster.Entry{{Agent: "B", Role: "hypothesis_generator"}, {Agent: "C", Role: "adversarial_critic"}}, Scopes: merge.DefaultScopes()}
	full := merge.Rules{Limits: map[artifact.Section]merge.Limit{artifact.HypothesisSlate: {Max: 3}}}
	for name, c := range map[string]struct {
		text  []byte
		rules merge.Rules
		want  string
	}{
		"a new item of the same reply":  {text: fence(named, unnamed), want: "write the target_id h_new (new in your reply), H1, H2 or H3"},
		"only a new item may be edited": {text: fence(named, unnamed), rules: scoped, want: "write the target_id h_new (new in your reply), H2 or H3"},
		"an item that the reply kills":  {text: fence(kill1, unnamed), want: "write the target_id H2 or H3"},
		"the last third alternative":    {text: fence(kill9), want: "write the target_id H1 or H2"},
		"a full section":                {text: fence(named), rules: full, want: "send a KILL of H1 or H2, and this ADD stands; or EDIT H1, H2 or H3 instead; or leave it out"},
		"a name that is taken":          {text: fence(known, spelled), want: "write H1 if you mean the existing item; block 1 is taken, but h1 does not name its item"},
		"a renumbered item":             {text: fence(moved), rules: scoped, want: "write the target_id H2: your H1 got this id; or leave it out"},
	} {
		contribution := settle.Contribution{Agent: "C", ID: "m2", Text: c.text, Base: &first.Artifact, Shown: 1, Third: true}
		defects := contribution.Defects(c.rules, at)
		if len(defects) != 1 || defects[0].Hint != c.want || defects[0].Final {
			t.Errorf("%s: want %q, got %+v", name, c.want, defects)
		}
		contribution = settle.Contribution{Agent: "C", ID: "m2", Text: c.text, Base: &first.Artifact, Shown: 1, Third: true, Reader: delta.ThirdReader}
		if defects := contribution.Defects(c.rules, at); len(defects) != 1 || defects[0].Hint == c.want {
			t.Errorf("%s: the third reader has another hint, got %+v", name, defects)
		}
	}
}
