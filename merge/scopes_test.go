package merge_test

import (
	"slices"
	"testing"

	"brenner/artifact"
	"brenner/merge"
)

func TestDefaultScopes(t *testing.T) {
	s := merge.DefaultScopes()
	const generator, designer, critic = "hypothesis_generator", "test_designer", "adversarial_critic"
	for _, c := range []struct {
		role    string
		section artifact.Section
		edit    bool
		kill    bool
		add     bool // under strict scopes
	}{
		{generator, artifact.HypothesisSlate, true, true, true},
		{generator, artifact.ResearchThread, true, true, true},
		{generator, artifact.DiscriminativeTests, false, false, false},
		{designer, artifact.DiscriminativeTests, true, true, true},
		{designer, artifact.HypothesisSlate, false, false, false},
		{critic, artifact.AdversarialCritique, true, true, true},
		{critic, artifact.HypothesisSlate, false, true, true},
		{critic, artifact.DiscriminativeTests, false, true, false},
		{"unknown", artifact.HypothesisSlate, false, false, false},
	} {
		strict := s
		strict.Strict = true
		if s.MayEdit(c.role, c.section) != c.edit || s.MayKill(c.role, c.section) != c.kill || strict.MayAdd(c.role, c.section) != c.add {
			t.Errorf("%s in %s: got edit %v, kill %v, add %v", c.role, c.section,
				s.MayEdit(c.role, c.section), s.MayKill(c.role, c.section), strict.MayAdd(c.role, c.section))
		}
		if !s.MayAdd(c.role, c.section) {
			t.Errorf("%s cannot add to %s", c.role, c.section)
		}
	}
}

func TestUnownedSections(t *testing.T) {
	s := merge.DefaultScopes()
	if got := s.Unowned([]string{"hypothesis_generator", "test_designer", "adversarial_critic"}); len(got) != 0 {
		t.Errorf("with all roles: got %v", got)
	}
	got := s.Unowned([]string{"hypothesis_generator"})
	want := []artifact.Section{artifact.DiscriminativeTests, artifact.AdversarialCritique}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := (&merge.Scopes{}).Unowned(nil); len(got) != artifact.SectionCount {
		t.Errorf("without grants: got %v", got)
	}
}
