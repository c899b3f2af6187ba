package stalemate

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/artifact"
)

func TestConflictIsDetectedAfterOneRound(t *testing.T) {
	p := newPlay(t)
	p.settle(1, "Anna", edit("H1", "claim", "a"), "Bert", edit("H1", "claim", "b"))
	if got := Detect("RS-20261115-play", p.moments, nil); len(got) > 0 {
		t.Fatalf("in the same round: %s", kinds(got))
	}
	p.settle(2, "Anna", edit("H2", "claim", "other"))
	got := Detect("RS-20261115-play", p.moments, nil)
	if kinds(got) != "conflict H1.claim" || got[0].Since != 1 || got[0].Round != 2 || len(got[0].Positions) != 2 {
		t.Fatalf("%+v", got)
	}
	if one := got[0].Positions[0]; one.Party != "Anna" || one.Statement != "a" || one.Justification != "because a" || string(artifact.Canonical(one.Edit)) != `{"claim":"a"}` {
		t.Errorf("%+v", one)
	}
	// It is the same case a round later, and gone when it is decided.
	p.settle(3, "Cleo", edit("H2", "claim", "more"))
	if again := Detect("RS-20261115-play", p.moments, nil); len(again) != 1 || again[0].ID != got[0].ID {
		t.Errorf("%+v", again)
	}
	p.settle(0, "operator", edit("H1", "claim", "decided"))
	if left := Detect("RS-20261115-play", p.moments, nil); len(left) > 0 {
		t.Errorf("%s", kinds(left))
	}
	// A new conflict in the same place is another case.
	p.settle(4, "Anna", edit("H1", "claim", "c"), "Bert", edit("H1", "claim", "d"), "Cleo", edit("H1", "claim", "e"))
	p.settle(5)
	if next := Detect("RS-20261115-play", p.moments, nil); len(next) != 1 || next[0].ID == got[0].ID || len(next[0].Positions) != 3 {
		t.Errorf("%+v", next)
	}
}

func TestLegsCountAsOneRound(t *testing.T) {
	p := newPlay(t)
	p.settle(1, "Anna", edit("H1", "claim", "a"), "Bert", edit("H1", "claim", "b"))
	p.settle(1, "Cleo", edit("H2", "claim", "x"))
	if got := Detect("RS-20261115-play", p.moments, nil); len(got) > 0 {
		t.Errorf("%s", kinds(got))
	}
}

func TestKilledItemsAreIgnored(t *testing.T) {
	p := newPlay(t)
	p.settle(1, "Anna", edit("H1", "claim", "a"), "Bert", edit("H1", "claim", "b"))
	p.settle(2, "Cleo", `[{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"r"}}]`)
	p.settle(3)
	if got := Detect("RS-20261115-play", p.moments, nil); len(got) > 0 {
		t.Errorf("%s", kinds(got))
	}
}

func TestSwing(t *testing.T) {
	p := newPlay(t)
	p.settle(1, "Anna", edit("H1", "claim", "a"))
	p.settle(2, "Bert", edit("H1", "claim", "b"))
	p.settle(3, "Anna", edit("H1", "claim", "a"))
	got := Detect("RS-20261115-play", p.moments, nil)
	if kinds(got) != "swing H1.claim" || got[0].Since != 1 || len(got[0].Positions) != 2 || len(got[0].Log) != 3 {
		t.Fatalf("%+v", got)
	}
	if got[0].Positions[0].Party != "Bert" || got[0].Positions[1].Party != "Anna" || got[0].Positions[1].Justification != "because a" {
		t.Errorf("%+v", got[0].Positions)
	}
	// An agent that changes its own value does not swing, nor do agents that write new values.
	p = newPlay(t)
	p.settle(1, "Anna", edit("H1", "claim", "a"))
	p.settle(2, "Anna", edit("H1", "claim", "b"))
	p.settle(3, "Anna", edit("H1", "claim", "a"))
	p.settle(4, "Bert", edit("H1", "claim", "c"))
	p.settle(5, "Anna", edit("H1", "claim", "d"))
	if got := Detect("RS-20261115-play", p.moments, nil); len(got) > 0 {
		t.Errorf("%s", kinds(got))
	}
}

// Each prediction is a field with its own author and rationale.
func TestSwingInOneKey(t *testing.T) {
	p := newPlay(t)
	predict := func(key, value string) string {
		return fmt.Sprintf(`[{"operation":"EDIT","section":"predictions_table","target_id":"P1","payload":{"predictions":{%q:%q}},"rationale":"because %s"}]`, key, value, value)
	}
	p.settle(0, "operator", `[{"operation":"ADD","section":"predictions_table","payload":{"condition":"c","predictions":{"H1":"none","H2":"none"}}}]`)
	p.settle(1, "Anna", predict("H1", "a"), "Cleo", predict("H2", "c"))
	p.settle(2, "Bert", predict("H1", "b"))
	p.settle(3, "Anna", predict("H1", "a"))
	got := Detect("RS-20261115-play", p.moments, nil)
	if kinds(got) != "swing P1.predictions.H1" {
		t.Fatalf("%+v", got)
	}
	for i, want := range []string{"Bert b because b", "Anna a because a"} {
		if one := got[0].Positions[i]; one.Party+" "+one.Statement+" "+one.Justification != want || one.Delta == "" {
			t.Errorf("%+v", one)
		}
	}
}

func TestRefusedChangeTriedAgain(t *testing.T) {
	p := newPlay(t)
	p.settle(1, "Anna", edit("H9", "claim", "a"))
	if got := Detect("RS-20261115-play", p.moments, nil); len(got) > 0 {
		t.Fatalf("%s", kinds(got))
	}
	p.settle(2, "Anna", edit("H9", "claim", "a"))
	got := Detect("RS-20261115-play", p.moments, nil)
	if kinds(got) != "retry H9" || got[0].Positions[0].Party != "Anna" || got[0].Positions[1].Party != TheRules {
		t.Fatalf("%+v", got)
	}
}

func TestSameErrorThreeTimes(t *testing.T) {
	p := newPlay(t)
	for round, value := range []string{"a", "b", "c"} {
		if got := Detect("RS-20261115-play", p.moments, nil); len(got) > 0 {
			t.Fatalf("after %d: %s", round, kinds(got))
		}
		p.settle(round+1, "Anna", edit("H9", "claim", value))
	}
	got := Detect("RS-20261115-play", p.moments, nil)
	if kinds(got) != "error H9" || len(got[0].Log) != 3 || !strings.Contains(got[0].Log[0], "INVALID_TARGET") {
		t.Fatalf("%+v", got)
	}
	// Three errors in one round count once.
	p = newPlay(t)
	p.settle(1, "Anna", edit("H9", "claim", "a"), "Anna", edit("H9", "claim", "b"), "Anna", edit("H9", "claim", "c"))
	if got := Detect("RS-20261115-play", p.moments, nil); len(got) > 0 {
		t.Errorf("%s", kinds(got))
	}
}

func TestRepliesWithoutDeltasDoNotCount(t *testing.T) {
	for text, want := range map[string]string{"I have nothing to add.": "", "```delta\n{\"operation\": nonsense\n```": "error reply"} {
		p := newPlay(t)
		for round := 1; round <= 3; round++ {
			p.settle(round, "Anna", text)
		}
		if got := Detect("RS-20261115-play", p.moments, nil); kinds(got) != want {
			t.Errorf("%q: %s", text, kinds(got))
		}
	}
}

// Attempts outside settlements, such as patches, count too.
func TestPatchTriedAgain(t *testing.T) {
	tries := []Attempt{
		{Round: 1, By: "Anna", Place: "memo.md", Content: "p", Code: "ANCHOR_NOT_FOUND", Message: "0 found"},
		{Round: 2, By: "Anna", Place: "memo.md", Content: "p", Code: "ANCHOR_NOT_FOUND", Message: "0 found"},
	}
	got := Detect("RS-20261115-play", nil, tries)
	if kinds(got) != "retry memo.md" {
		t.Fatalf("%+v", got)
	}
	if _, err := Ruling(&got[0], &Verdict{For: "Anna"}); err == nil {
		t.Error("a ruling about a file became an EDIT")
	}
}

// For any session, detection is deterministic, returns each case once, and finds only conflicts that
// exist.
func TestDetectLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := newPlay(t)
		for round := 1; round <= rapid.IntRange(1, 6).Draw(rt, "rounds"); round++ {
			var contributions []string
			for _, agent := range []string{"Anna", "Bert", "Cleo"} {
				if rapid.Bool().Draw(rt, "speaks") {
					contributions = append(contributions, agent, edit(rapid.SampledFrom([]string{"H1", "H2", "H9"}).Draw(rt, "target"),
						rapid.SampledFrom([]string{"claim", "mechanism"}).Draw(rt, "field"), rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "value")))
				}
			}
			p.settle(round, contributions...)
		}
		got, again := Detect("RS-20261115-play", p.moments, nil), Detect("RS-20261115-play", p.moments, nil)
		seen := make(map[string]bool)
		for i, c := range got {
			if fmt.Sprint(c) != fmt.Sprint(again[i]) || seen[c.ID] {
				rt.Fatalf("%+v, %+v", c, again[i])
			}
			seen[c.ID] = true
			if stored, err := ReadCase(c.JSON()); err != nil || string(stored.JSON()) != string(c.JSON()) {
				rt.Fatalf("%s: %v", c.JSON(), err)
			}
			r := NewRequest("RS-20261115-play", p.moments[0].At, &c, &Basis{Moments: p.moments})
			back, warnings, err := ReadRequest(r.JSON())
			if err != nil || len(warnings) > 0 || string(back.JSON()) != string(r.JSON()) || back.Sendable() != nil {
				rt.Fatalf("%s: %v, %v", r.JSON(), warnings, err)
			}
			if c.Kind == Conflict {
				id, field, _ := strings.Cut(c.Place, ".")
				it, _, _ := p.base.Find(id)
				if _, stands := it.Get(field).(artifact.Conflict); !stands {
					rt.Fatalf("%s is not in conflict", c.Place)
				}
			}
		}
	})
}
