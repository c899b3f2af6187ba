package session_test

import (
	"testing"

	"brenner/session"
	"brenner/session/flow"
	"brenner/store/opentest"
)

// Sessions that share a cache send the same messages and have the same results as sessions
// without one, also if their rosters differ.
func TestSharedCacheChangesNothing(t *testing.T) {
	shared := &session.Common{}
	swapped := brief(2)
	swapped.Roster.Entries[0].Role, swapped.Roster.Entries[1].Role = swapped.Roster.Entries[1].Role, swapped.Roster.Entries[0].Role
	for i := range swapped.Agents {
		for _, e := range swapped.Roster.Entries {
			if e.Agent == swapped.Agents[i].Name {
				swapped.Agents[i].Role = string(e.Role)
			}
		}
	}
	strict := brief(2)
	strict.Rules.Scopes.Strict = true
	short := brief(2)
	short.Agents[0].Way = &flow.Way{Kickoff: flow.KickoffShort}
	for name, b := range map[string]session.Brief{"plain": brief(2), "swapped": swapped, "strict": strict, "short": short, "again": brief(2)} {
		var all []string
		for _, m := range []*session.Common{nil, shared} {
			st := opentest.New(t)
			r := runner(st, &actors{script: builtInScript()})
			r.Common = m
			res, err := r.Start(t.Context(), b)
			if err != nil {
				t.Fatal(name, err)
			}
			fresh, err := load(t, st).Artifact(t.Context(), res.State.Version())
			if err != nil {
				t.Fatal(name, err)
			}
			left, err := res.History(st).Artifact(t.Context(), res.State.Version())
			if err != nil || string(left.JSON()) != string(fresh.JSON()) {
				t.Errorf("%s: the result differs from the stored artifact: %v", name, err)
			}
			verifyOK(t, st)
			sent := res.State.Commits[len(res.State.Commits)-1].Artifact
			for _, leg := range res.State.Legs {
				for _, k := range leg.Kickoffs {
					sent += " " + k.Body + " " + k.Examples
				}
			}
			all = append(all, sent)
		}
		if all[0] != all[1] {
			t.Errorf("%s: messages or results differ with a shared cache", name)
		}
	}
}
