package stalemate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"brenner/artifact"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/roster"
)

// play settles rounds of replies: round → agent → reply, as a session does.
type play struct {
	t       testing.TB
	base    artifact.Artifact
	moments []Moment
	message int
}

func newPlay(t testing.TB) *play {
	t.Helper()
	p := &play{t: t, message: 1}
	p.base.Metadata.SessionID = "RS-20261115-play"
	p.settle(0, "operator", `[{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"One","claim":"first"}},
		{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Two","claim":"second"}}]`)
	return p
}

func rules() merge.Rules {
	return merge.Rules{Unified: true, Authorities: []string{"operator", "Judge"}, Agents: []roster.Entry{
		{Agent: "Anna", Role: "hypothesis_generator"}, {Agent: "Bert", Role: "hypothesis_generator"}, {Agent: "Cleo", Role: "hypothesis_generator"},
	}}
}

// settle settles pairs of agent and deltas in a round; 0 is for a person's change.
func (p *play) settle(round int, pairs ...string) *settle.Settlement {
	p.t.Helper()
	at := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC).Add(time.Duration(len(p.moments)) * time.Minute)
	in := settle.Input{Base: p.base, At: at, Message: p.message, Rules: rules()}
	for i := 0; i < len(pairs); i += 2 {
		in.Contributions = append(in.Contributions, settle.Contribution{
			Agent: pairs[i], ID: fmt.Sprint(pairs[i], p.message), Text: []byte(pairs[i+1]), File: true, Shown: p.base.Metadata.Version,
		})
		p.message++
	}
	out := settle.Settle(in)
	p.base = out.Artifact
	p.moments = append(p.moments, Moment{Round: round, At: at, Out: &out})
	return &out
}

func edit(target, field, value string) string {
	return fmt.Sprintf(`[{"operation":"EDIT","section":"hypothesis_slate","target_id":%q,"payload":{%q:%q},"rationale":"because %s"}]`, target, field, value, value)
}

func kinds(cases []Case) string {
	var all []string
	for _, c := range cases {
		all = append(all, c.Kind+" "+c.Place)
	}
	return strings.Join(all, ", ")
}
