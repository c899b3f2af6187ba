package roster

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact"
	"brenner/internal/fault"
)

func TestBuiltInPresets(t *testing.T) {
	all := BuiltIn()
	if err := ValidatePresets(all); err != nil {
		t.Fatal(err)
	}
	p := all[0]
	r := Roster{Mode: RoleSeparated, Name: p.Name}
	for i, e := range p.Entries {
		e.Agent = p.PlaceholderNames[i]
		r.Entries = append(r.Entries, e)
	}
	if diff := cmp.Diff(spec(), r); diff != "" || p.ID != "default-3-agent" {
		t.Error(p.ID, diff)
	}
	if pair := all[1]; pair.ID != "hypothesis-critique" || len(pair.Entries) != 2 || pair.Entries[0].Role != HypothesisGenerator || pair.Entries[1].Role != AdversarialCritic {
		t.Errorf("%+v", pair)
	}
	all[0].Entries[0].Role, all[0].PlaceholderNames[0] = "changed", "changed"
	if again := BuiltIn()[0]; again.Entries[0].Role == "changed" || again.PlaceholderNames[0] == "changed" {
		t.Error("a caller changed the built-in presets")
	}
}

func TestFindPreset(t *testing.T) {
	own := Preset{ID: "default-3-agent", Name: "ours"}
	all := AllPresets([]Preset{own})
	if p, err := FindPreset(all, "default-3-agent"); err != nil || p.Name != "ours" || len(all) != 2 {
		t.Errorf("got %v, %v, want the project's preset", p, err)
	}
	if _, err := FindPreset(all, "hypothesis-critique"); err != nil {
		t.Errorf("the other built-in preset is missing: %v", err)
	}
	_, err := FindPreset(BuiltIn(), "default-3-agents")
	if diff := cmp.Diff([]string{"UNKNOWN_PRESET Unknown roster preset: default-3-agents"}, details(err)); diff != "" {
		t.Error(diff)
	}
	if want := "did you mean default-3-agent? known presets: default-3-agent and hypothesis-critique"; fault.HintOf(err) != want {
		t.Error(fault.HintOf(err))
	}
	if _, err := FindPreset(nil, "x"); fault.HintOf(err) != "there are no presets" {
		t.Error(err)
	}
}

func TestValidatePresets(t *testing.T) {
	err := ValidatePresets([]Preset{
		{ID: "a", Name: "A", Entries: []Entry{{Role: TestDesigner}}, PlaceholderNames: []string{"X", "X"}},
		{ID: "a", Name: "A", Entries: []Entry{{Role: "boss"}, {Agent: "Y", Role: TestDesigner}}},
		{ID: " "},
	})
	var got []string
	for _, f := range fault.All(err) {
		got = append(got, string(f.Code)+" "+f.Error())
	}
	want := []string{
		"PRESET_INVALID preset a: 1 placeholder names have no entry",
		"ROSTER_DUPLICATE_AGENT preset a: Duplicate agent in roster: X",
		"PRESET_INVALID preset a: duplicate id",
		"ROSTER_INVALID_ROLE preset a: Invalid role for entry 1: boss",
		"PRESET_INVALID preset a: entry 2 names the agent Y",
		"PRESET_INVALID preset 3: the preset has no id",
		"PRESET_INVALID preset 3: the preset has no name",
		"PRESET_INVALID preset 3: the preset has no entries",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPresetValue(t *testing.T) {
	got := string(artifact.Canonical(BuiltIn()[1].Value()))
	want := `"entries":[{"model":"GPT-5.2","program":"codex-cli","role":"hypothesis_generator"},{"model":"Gemini 3","program":"gemini-cli","role":"adversarial_critic"}],"id":"hypothesis-critique","name":"Hypothesis and Critique","placeholderNames":["BlueLake","GreenValley"]}`
	if !strings.HasSuffix(got, want) || !strings.HasPrefix(got, `{"description":"`) {
		t.Error(got)
	}
}
