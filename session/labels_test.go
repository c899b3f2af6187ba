package session_test

import (
	"strings"
	"testing"

	"brenner/merge"
	"brenner/session"
	"brenner/session/audit"
	"brenner/store/opentest"
)

const labelling = `schema: brenner.rehearsal/v1
question: q
agents:
  - role: hypothesis_generator
    rounds:
      - reply: |
          ~~~delta
          {"operation":"ADD","section":"hypothesis_slate","ref":"H9","payload":{"name":"n","claim":"c"}}
          ~~~
          ~~~delta
          {"operation":"ADD","section":"assumption_ledger","payload":{"name":"a","statement":"Without it H9 is falsified."}}
          ~~~
      - reply: |
          ~~~delta
          {"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"too vague; replaced"}}
          ~~~
          ~~~delta
          {"operation":"ADD","section":"hypothesis_slate","target_id":"H1","payload":{"name":"sharper","claim":"s"}}
          ~~~
  - {role: test_designer, rounds: []}
  - {role: adversarial_critic, rounds: []}
`

// The artifact, blame and the next kickoff name the ids behind those that an agent assumed. A known id
// is never one of them.
func TestAssumedIDsAreRemembered(t *testing.T) {
	for _, version := range []string{merge.Second, merge.First} {
		st := opentest.New(t)
		b := brief(3)
		b.Settings.QuietAfter, b.Rules.Version = 0, version
		res, err := runner(st, &actors{script: parse(t, strings.ReplaceAll(labelling, "~~~", "```"))}).Start(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		h, err := session.Load(t.Context(), st, thread)
		if err != nil {
			t.Fatal(err)
		}
		a, err := h.Artifact(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		rendered := string(a.Markdown())
		second := version == merge.Second
		for text, in := range map[string]string{
			"**Renumbered**: BlueLake's H9 is H1\n":                          rendered,
			"Your H9 became H1.":                                             kickoffOf(t, st, res.State, 2),
			"renumbered: BlueLake's H9 is H1":                                kickoffOf(t, st, res.State, 2),
			"LABEL_TAKEN: added as H2; H1 is an existing item and cannot na": kickoffOf(t, st, res.State, 3),
		} {
			if strings.Contains(in, text) != second {
				t.Errorf("%s: %q in\n%s", version, text, in)
			}
		}
		if text := kickoffOf(t, st, res.State, 3); strings.Contains(text, "Your H9") {
			t.Errorf("told twice:\n%s", text)
		}
		last, err := h.Artifact(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		if old, _, _ := last.Find("H1"); old.Killed() != second {
			t.Errorf("%s: H1 %v", version, old.Killed())
		}
		origins, err := audit.OriginsOf(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"H1", "A1"} {
			all, err := origins.Blame(t.Context(), id, "")
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for i := range all {
				found = found || strings.Join(all[i].Renumbered, ", ") == "BlueLake's H9 is H1"
			}
			if found != second {
				t.Errorf("%s: blame of %s: %+v", version, id, all)
			}
		}
		if proof, err := session.Verify(t.Context(), st, thread, ""); err != nil || len(proof.Faults) > 0 {
			t.Errorf("%s: %v %+v", version, err, proof)
		}
	}
}
