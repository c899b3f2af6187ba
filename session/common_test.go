package session_test

import (
	"testing"

	"brenner/session"
	"brenner/store/memory"
)

// TestMemoryChangesNothing runs sessions that share a memory, and one with another
// roster among them: what is sent and what comes of it are those of sessions that have
// nothing in common.
func TestMemoryChangesNothing(t *testing.T) {
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
	for name, b := range map[string]session.Brief{"plain": brief(2), "swapped": swapped, "strict": strict, "again": brief(2)} {
		var all []string
		for _, m := range []*session.Common{nil, shared} {
			st := memory.New()
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
				t.Errorf("%s: the run left another artifact than it stored, %v", name, err)
			}
			verifyOK(t, st)
			said := res.State.Commits[len(res.State.Commits)-1].Artifact
			for _, leg := range res.State.Legs {
				for _, k := range leg.Kickoffs {
					said += " " + k.Body + " " + k.Examples
				}
			}
			all = append(all, said)
		}
		if all[0] != all[1] {
			t.Errorf("%s: a session with a memory asks, or comes to, something else", name)
		}
	}
}
