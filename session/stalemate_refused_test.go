package session_test

import (
	"strings"
	"testing"

	"brenner/session"
	"brenner/session/stalemate"
	"brenner/store/memory"
)

// A ruling with an invalid value is refused: neither the value nor the reasons are in the artifact,
// and the conflict remains.
func TestRulingWithInvalidValueIsRefused(t *testing.T) {
	const verdict = `{"ruling_for":"D1","value":%,"root_cause":"r","reasoning":["x"],"confidence":1,
           "rejected":[{"hypothesis":"BlueLake","why":"w"},{"hypothesis":"RedSky","why":"w"},{"hypothesis":"D2","why":"w"}]}`
	for _, value := range []string{`{"a":[1]}`, `["x"]`} {
		given := strings.Replace(verdict, "%", value, 1)
		at := strings.Index(quarrel, `{"ruling_for"`)
		byJudge := quarrel[:at] + given + "\n"
		for by, script := range map[string]string{"Judge": byJudge, "operator": quarrel} {
			st, b := memory.New(), quarrelBrief(3)
			if by != "Judge" {
				b.Arbiter = nil
			}
			if _, err := runner(st, &actors{script: parse(t, script)}).Start(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			h, err := session.Load(t.Context(), st, thread)
			if err != nil {
				t.Fatal(err)
			}
			if open := h.State.OpenStalemates(); by != "Judge" {
				person := &session.Editor{Store: st, Now: clock, As: by}
				if h, _, err = person.Rule(t.Context(), thread, open[0].ID, []byte(given)); err != nil {
					t.Fatal(err)
				}
			}
			one := h.State.Stalemates[0]
			if one.State != stalemate.Refused || one.By != by || !strings.Contains(one.Why, "the merge did not take it: claim: ") {
				t.Errorf("%s, %s: %+v", value, by, one)
			}
			a, err := h.Artifact(t.Context(), h.State.Version())
			if err != nil {
				t.Fatal(err)
			}
			it, _, _ := a.Find("H1")
			if it.Get("ruling_claim") != nil || len(session.Conflicts(&a)) != 1 {
				t.Errorf("%s, %s: %+v", value, by, it)
			}
			if p, err := session.Verify(t.Context(), st, thread, h.State.Seal()); err != nil || p.Err() != nil {
				t.Errorf("%s, %s: %v, %v", value, by, err, p.Err())
			}
		}
	}
}
