package claim_test

import (
	"slices"
	"testing"

	"brenner/govern/claim"
)

func TestNegations(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool // they contradict each other
	}{
		{"The fate is stable.", "the fate is not stable", true},
		{"The fate is stable", "The fate isn't stable", true},
		{"The fate is stable", "The fate isn’t stable", true},
		{"Cells can divide", "Cells cannot divide", true},
		{"Cells can divide", "Cells can't divide", true},
		{"The signal diffuses", "The signal does not diffuse", true},
		{"The signal diffused", "The signal didn't diffuse", true},
		{"Cells divide", "Cells never divide", true},
		{"There is a feedback", "There is no feedback", true},
		{"It grows with light", "It grows without light", true},
		{"The gradient holds", "The gradient no longer holds", true},
		{"We assume that cells are equal", "Cells are not equal", true},
		{"It is false that cells are equal", "Cells are equal", true},
		{"It is not true that cells are equal", "Cells are equal", true},
		{"All cells divide", "Not all cells divide", true},

		{"The fate is stable", "The fate is stable", false},
		{"It does not grow without light", "It grows with light", false},
		{"It is not the case that cells are not equal", "Cells are equal", false},
		{"The fate is not unstable", "The fate is stable", false},
		{"It is not only stable", "It is stable", false},
		{"It is not only stable", "It is only stable", false},
		{"It takes no longer than a day", "It takes longer than a day", false}, // of an order, which is not read
		{"It takes no more than a day", "It takes a day", false},
		{"It holds, no matter where", "It holds, matter where", false},
		{"Cells divide", "Some cells do not divide", false},
		{"The fate is stable", "The signal is not stable", false},
		{"", "not", false},
		{"Some cells divide", "Some cells do not divide", false},
		{"The fate may be stable", "The fate may not be stable", false},
		{"It is no less stable", "It is less stable", false},
		{"Phi no. 3 binds", "Phi 3 binds", false},
		{"The fate is by no means stable", "The fate is stable", true},
		{"Neither light nor heat matters", "Light and heat matter", true},
	} {
		a, b := claim.Of(tt.a), claim.Of(tt.b)
		if got := a.Core != "" && a.Core == b.Core && a.Negated != b.Negated && !a.Limited && !b.Limited; got != tt.want {
			t.Errorf("%q and %q: %+v, %+v", tt.a, tt.b, a, b)
		}
	}
}

func TestAssumptions(t *testing.T) {
	for _, tt := range []struct {
		text   string
		itself bool
		want   []string
	}{
		{"# Assumption A1\n\nThe fate is stable.", true, []string{"The fate is stable."}},
		{"---\ntitle: x\n---\nThe fate is stable. It binds\nto it.\n\nStatus: held since May", true, []string{"The fate is stable. (held)", "It binds to it."}},
		{"# The fate is stable\n\nStatus: held", true, []string{"The fate is stable (held)"}},
		{"1. Zeta is stable\n2. Eta is not", true, []string{"Zeta is stable", "Eta is not"}},
		{"Assumption: Eta no. 3 is stable.", true, []string{"Eta no. 3 is stable."}},
		{"A1: Theta is stable.", true, []string{"Theta is stable."}},
		{"A1. Theta is stable.", true, []string{"Theta is stable."}},
		{"```\nThis is code.\n```\nIt is stable.", true, []string{"It is stable."}},
		{"# Memo\n\nIt is long.\n\n## Assumptions\n\n- Alpha is stable\n- A2: Beta is not\n\n## Results\n\n- None", false, []string{"Alpha is stable", "Beta is not"}},
		{"It is long. We assume that delta is stable. It binds.", false, []string{"delta is stable."}},
		{"**Assumes:** gamma is stable", false, []string{"gamma is stable (assumed)"}},
	} {
		var got []string
		for _, s := range claim.Assumptions(tt.text, tt.itself) {
			said := s.Said
			if s.Status != "" {
				said += " (" + s.Status + ")"
			}
			got = append(got, said)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestConflictsAreNamedOnce(t *testing.T) {
	all := append(claim.Assumptions("The fate is stable.\nStatus: unverified", true), claim.Assumptions("The fate is stable.\nStatus: unverified since May", true)...)
	if found := claim.Conflicts(all); len(found) > 0 {
		t.Error(found)
	}
	all = append(claim.Assumptions("# Assumption\n\nThe fate is stable.\n\nStatus: held", true), claim.Assumptions("# Assumption\n\nThe clock is fast.\n\nStatus: falsified", true)...)
	if found := claim.Conflicts(all); len(found) > 0 {
		t.Error(found)
	}
}
