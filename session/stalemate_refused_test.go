package session_test

import (
	"strings"
	"testing"

	"brenner/agent"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/stalemate"
	"brenner/store/opentest"
)

// A ruling that cannot be carried out is refused and changes nothing, and a corrected one is accepted. An
// arbiter is told what was wrong, and asked once more.
func TestRefusedRulingChangesNothing(t *testing.T) {
	const verdict = `{"ruling_for":"D1",%"root_cause":"r","reasoning":["x"],"confidence":1,
           "rejected":[{"hypothesis":"BlueLake","why":"w"},{"hypothesis":"RedSky","why":"w"},{"hypothesis":"D2","why":"w"}]}`
	for value, want := range map[string]string{`"value":{"a":[1]},`: "the merge did not take it: claim: ", `"value":["x"],`: "the merge did not take it: claim: ", ``: "has no value to write to H1.claim"} {
		given := strings.Replace(verdict, "%", value, 1)
		at := strings.Index(quarrel, `{"ruling_for"`)
		byJudge := quarrel[:at] + given + "\n"
		for by, script := range map[string]string{"Judge": byJudge, "operator": quarrel} {
			st, b := opentest.New(t), quarrelBrief(3)
			if by != "Judge" {
				b.Arbiter = nil
			}
			j := &recordingJudge{actors: actors{script: parse(t, script)}}
			r := runner(st, &j.actors)
			r.Agent = j.agent
			if _, err := r.Start(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			h, err := session.Load(t.Context(), st, thread)
			if err != nil {
				t.Fatal(err)
			}
			one, before := h.State.Stalemates[0], len(h.Entries)
			person := &session.Editor{Store: st, Now: clock, As: "operator"}
			if by == "Judge" {
				if one.State != stalemate.Requested || !strings.Contains(one.Why, want) || len(one.Replies) != stalemate.MaxAnswers {
					t.Errorf("%s: got %+v, want requested, since %s", value, one, want)
				}
				if call := j.saw.Load().(agent.Call); !strings.Contains(call.Turns[0].Text, "Your last answer was not accepted: ") {
					t.Errorf("%s: the arbiter was not told what was wrong", value)
				}
			} else if _, _, err := person.Rule(t.Context(), thread, one.ID, []byte(given)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", value, err, want)
			}
			if h, err = session.Load(t.Context(), st, thread); err != nil || len(h.Entries) != before {
				t.Fatalf("%s, %s: %d entries, %v; want %d", value, by, len(h.Entries), err, before)
			}
			a, err := h.Artifact(t.Context(), h.State.Version())
			if err != nil {
				t.Fatal(err)
			}
			it, _, _ := a.Find("H1")
			if it.Get("ruling_claim") != nil || len(session.Conflicts(&a)) != 1 {
				t.Errorf("%s, %s: %+v", value, by, it)
			}
			h, _, err = person.Rule(t.Context(), thread, one.ID, []byte(strings.Replace(verdict, "%", `"value":"both",`, 1)))
			if err != nil || h.State.Stalemates[0].State != stalemate.Applied || h.State.Stalemates[0].Why != "" {
				t.Errorf("%s, %s: %+v, %v; want a corrected ruling applied", value, by, h.State.Stalemates[0], err)
			}
			if p, err := session.Verify(t.Context(), st, thread, h.State.Seal()); err != nil || p.Err() != nil {
				t.Errorf("%s, %s: %v, %v", value, by, err, p.Err())
			}
		}
	}
}

// Who may rule may withdraw a stalemate, with a reason. It is not opened again.
func TestWithdrawStalemate(t *testing.T) {
	st, b := opentest.New(t), quarrelBrief(3)
	b.Arbiter = nil
	r := runner(st, &actors{script: parse(t, quarrel)})
	if _, err := r.Start(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	id := h.State.Stalemates[0].ID
	person := &session.Editor{Store: st, Now: clock, As: "operator"}
	party := &session.Editor{Store: st, Now: clock, As: "redsky", Authorities: []string{"redsky"}}
	if _, err := party.WithdrawStalemate(t.Context(), thread, id, "x"); fault.CodeOf(err) != stalemate.ArbiterIsParty {
		t.Errorf("by a party: got %v, want %s", err, stalemate.ArbiterIsParty)
	}
	if _, err := person.WithdrawStalemate(t.Context(), thread, id, " "); fault.CodeOf(err) != delta.MissingRequiredField {
		t.Errorf("without a reason: got %v, want %s", err, delta.MissingRequiredField)
	}
	if h, err = person.WithdrawStalemate(t.Context(), thread, id, "a mistake"); err != nil {
		t.Fatal(err)
	}
	if one := h.State.Stalemates[0]; one.State != stalemate.Withdrawn || one.By != "operator" || one.Why != "a mistake" || one.Waits() {
		t.Errorf("got %+v, want it withdrawn", one)
	}
	if _, err := person.WithdrawStalemate(t.Context(), thread, id, "again"); fault.CodeOf(err) != stalemate.BadState {
		t.Errorf("twice: got %v, want %s", err, stalemate.BadState)
	}
	if p, err := session.Verify(t.Context(), st, thread, h.State.Seal()); err != nil || p.Err() != nil {
		t.Errorf("%v, %v", err, p.Err())
	}
}
