package roster

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact"
	"brenner/internal/fault"
)

func fromFlag(source string) Origin { return Origin{Level: Flags, Source: source} }

func to(names ...string) Layer { return Layer{Origin: fromFlag("--to"), Recipients: names} }

func withPreset(id string) Layer { return Layer{Origin: fromFlag("--preset"), Preset: id} }

func withMode(m Mode) Layer { return Layer{Origin: fromFlag("--roster-mode"), Mode: m} }

func entries(origin Origin, list ...Entry) Layer { return Layer{Origin: origin, Entries: list} }

func variable(agent string, role Role) Layer {
	l := entries(env(EnvAgentPrefix+agent), Entry{Agent: agent, Role: role})
	l.Loose = true
	return l
}

// lines formats the entries as "agent role program".
func lines(r Roster) string {
	var all []string
	for _, e := range r.Entries {
		all = append(all, strings.TrimSpace(e.Agent+" "+string(e.Role)+" "+e.Program))
	}
	return strings.Join(all, ", ")
}

func TestResolve(t *testing.T) {
	project := Origin{Level: ProjectConfig, Source: "brenner.yaml"}
	both := Layer{Origin: fromFlag("--role"), Recipients: []string{"A", "B"}, Entries: []Entry{{Agent: "A", Role: TestDesigner}, {Agent: "B", Role: TestDesigner}}}
	two := []Entry{{Agent: "A", Role: TestDesigner}, {Agent: "B", Role: AdversarialCritic}}
	tests := []struct {
		name string
		in   Input
		want string
	}{
		{"--to A,B --role r applies to both", Input{Layers: []Layer{both}}, "A test_designer, B test_designer"},
		{"--to chooses and orders", Input{Layers: []Layer{to("B", "A"), entries(project, two...)}}, "B adversarial_critic, A test_designer"},
		{"rule 4: entries beyond the recipients", Input{Layers: []Layer{to("A"), entries(fromFlag("--roster"), two...)}}, "A test_designer"},
		{"peers complete each other", Input{Layers: []Layer{
			entries(fromFlag("--roster"), Entry{Agent: "A", Program: "p"}), entries(fromFlag("--agent-role"), Entry{Agent: "A", Role: TestDesigner}),
		}}, "A test_designer p"},
		{"peers may agree", Input{Layers: []Layer{
			entries(fromFlag("--roster"), two...), entries(fromFlag("--agent-role"), two[0]),
		}}, "A test_designer, B adversarial_critic"},
		{"the earlier peer takes precedence", Input{Layers: []Layer{
			entries(fromFlag("--roster"), Entry{Agent: "A", Role: TestDesigner, Program: "p"}), entries(fromFlag("x"), Entry{Agent: "A", Program: "q"}),
		}}, "A test_designer p"},
		{
			"a preset in order",
			Input{Layers: []Layer{to("X", "Y", "Z"), withPreset("default-3-agent")}},
			"X hypothesis_generator codex-cli, Y test_designer claude-code, Z adversarial_critic gemini-cli",
		},
		{"fewer names than entries", Input{Layers: []Layer{to("X"), withPreset("default-3-agent")}}, "X hypothesis_generator codex-cli"},
		{
			"no names: the placeholders",
			Input{Layers: []Layer{withPreset("default-3-agent")}},
			"BlueLake hypothesis_generator codex-cli, PurpleMountain test_designer claude-code, GreenValley adversarial_critic gemini-cli",
		},
		{
			"a preset fills in around roles",
			Input{Layers: []Layer{to("X", "A"), entries(project, two...), withPreset("hypothesis-critique")}},
			"X hypothesis_generator codex-cli, A test_designer gemini-cli",
		},
		{"the default preset", Input{DefaultPreset: "hypothesis-critique"}, "BlueLake hypothesis_generator codex-cli, GreenValley adversarial_critic gemini-cli"},
		{"the default preset, with named agents", Input{DefaultPreset: "default-3-agent", Layers: []Layer{entries(project, two...)}}, "A test_designer, B adversarial_critic"},
		{
			"a variable, exactly",
			Input{Layers: []Layer{variable("A", TestDesigner), to("a", "A"), entries(project, Entry{Agent: "a", Role: AdversarialCritic})}},
			"a adversarial_critic, A test_designer",
		},
		{
			"a variable, without case",
			Input{Layers: []Layer{variable("BLUELAKE", TestDesigner), withPreset("hypothesis-critique")}},
			"BlueLake test_designer codex-cli, GreenValley adversarial_critic gemini-cli",
		},
		{"a variable adds no recipient to a lower layer", Input{Layers: []Layer{variable("B", TestDesigner), entries(project, two...)}}, "A test_designer, B test_designer"},
		{
			"a variable about the default preset",
			Input{DefaultPreset: "hypothesis-critique", Layers: []Layer{variable("GREENVALLEY", TestDesigner)}},
			"BlueLake hypothesis_generator codex-cli, GreenValley test_designer gemini-cli",
		},
		{
			"variables name agents if nothing else does",
			Input{DefaultPreset: "default-3-agent", Layers: []Layer{variable("Fox", TestDesigner), variable("BlueLake", AdversarialCritic)}},
			"Fox test_designer, BlueLake adversarial_critic",
		},
		{
			"heuristic",
			Input{Layers: []Layer{withMode(Heuristic), to("GPT", "opus-1", "MyGemini")}},
			"GPT hypothesis_generator, opus-1 test_designer, MyGemini adversarial_critic",
		},
		{"heuristic by the roster's own mode", Input{Layers: []Layer{to("Codex"), LayerOf(fromFlag("--roster"), Roster{Mode: Heuristic})}}, "Codex hypothesis_generator"},
		{"an explicit role beats a guess", Input{Layers: []Layer{withMode(Heuristic), entries(project, Entry{Agent: "Codex", Role: TestDesigner})}}, "Codex test_designer"},
		{"unified", Input{Layers: []Layer{{Origin: fromFlag("--unified"), Mode: Unified}, both}}, "A test_designer, B test_designer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Resolve(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, lines(got.Roster)); diff != "" {
				t.Error(diff)
			}
			if err := got.Roster.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestResolveFaults(t *testing.T) {
	project := Origin{Level: ProjectConfig, Source: "brenner.yaml"}
	one := Entry{Agent: "A", Role: TestDesigner}
	tests := []struct {
		name string
		in   Input
		want []string
	}{
		{"nothing at all", Input{}, []string{"ROSTER_EMPTY Empty roster: at least one entry required"}},
		{
			"an empty roster is not skipped",
			Input{DefaultPreset: "default-3-agent", Layers: []Layer{LayerOf(fromFlag("--roster"), Roster{})}},
			[]string{"ROSTER_EMPTY flags: --roster: Empty roster: at least one entry required"},
		},
		{
			"an empty roster and no recipient",
			Input{Layers: []Layer{LayerOf(fromFlag("--roster"), Roster{})}},
			[]string{"ROSTER_EMPTY flags: --roster: Empty roster: at least one entry required"},
		},
		{"rule 1", Input{Layers: []Layer{entries(fromFlag("--roster"), one, one)}}, []string{"ROSTER_DUPLICATE_AGENT flags: --roster: Duplicate agent in roster: A"}},
		{"rule 1 for --to", Input{Layers: []Layer{to("A", "A"), entries(project, one)}}, []string{"ROSTER_DUPLICATE_AGENT flags: --to: Duplicate agent in roster: A"}},
		{"rule 3", Input{Layers: []Layer{to("A", "GreenValley"), entries(project, one)}}, []string{"ROSTER_MISSING_ENTRY Missing roster entry for recipient: GreenValley"}},
		{"rule 3: the default preset is not for named agents", Input{DefaultPreset: "default-3-agent", Layers: []Layer{to("X")}}, []string{"ROSTER_MISSING_ENTRY Missing roster entry for recipient: X"}},
		{"rule 5", Input{Layers: []Layer{entries(project, Entry{Agent: "A", Role: "researcher"})}}, []string{"ROSTER_INVALID_ROLE project config: brenner.yaml: Invalid role for A: researcher"}},
		{
			"rule 5 below a right role",
			Input{Layers: []Layer{entries(fromFlag("--roster"), one), entries(project, Entry{Agent: "A", Role: "researcher"})}},
			[]string{"ROSTER_INVALID_ROLE project config: brenner.yaml: Invalid role for A: researcher"},
		},
		{
			"rule 5 in a preset",
			Input{Presets: []Preset{{ID: "p", Entries: []Entry{{Role: "boss"}}}}, Layers: []Layer{to("A"), withPreset("p")}},
			[]string{"ROSTER_INVALID_ROLE preset: p: Invalid role for A: boss"},
		},
		{
			"an entry without a role",
			Input{Layers: []Layer{entries(project, Entry{Agent: "A", Program: "p"})}},
			[]string{"ROSTER_INVALID_ROLE project config: brenner.yaml: Invalid role for A: missing"},
		},
		{
			"two roles in one layer",
			Input{Layers: []Layer{entries(fromFlag("--roster"), one), entries(fromFlag("--agent-role"), Entry{Agent: "A", Role: AdversarialCritic})}},
			[]string{"ROSTER_TWO_ROLES flags: Two roles for A: test_designer (--roster) and adversarial_critic (--agent-role)"},
		},
		{
			"two roles by variables",
			Input{Layers: []Layer{to("Ab"), variable("aB", TestDesigner), variable("ab", AdversarialCritic)}},
			[]string{"ROSTER_TWO_ROLES environment: Two roles for Ab: test_designer (BRENNER_ROSTER_AGENT_aB) and adversarial_critic (BRENNER_ROSTER_AGENT_ab)"},
		},
		{
			"a variable for two agents",
			Input{Layers: []Layer{entries(project, one, Entry{Agent: "ab", Role: TestDesigner}, Entry{Agent: "Ab", Role: TestDesigner}), variable("AB", TestDesigner)}},
			[]string{"ROSTER_AMBIGUOUS_VARIABLE environment: BRENNER_ROSTER_AGENT_AB: AB could be ab and Ab"},
		},
		{"unknown preset", Input{Layers: []Layer{withPreset("default3agent")}}, []string{"UNKNOWN_PRESET flags: --preset: Unknown roster preset: default3agent"}},
		{"unknown default preset", Input{DefaultPreset: "x"}, []string{"UNKNOWN_PRESET roster.defaultPreset: Unknown roster preset: x"}},
		{
			"more names than entries",
			Input{Layers: []Layer{to("A", "B", "C", "D"), withPreset("hypothesis-critique")}},
			[]string{"TOO_MANY_AGENTS preset: hypothesis-critique: Too many agents for preset hypothesis-critique: 4 named, 2 entries; no entry for C and D"},
		},
		{
			"more names than entries, whatever they have",
			Input{Layers: []Layer{withPreset("hypothesis-critique"), entries(project, one, Entry{Agent: "B", Role: TestDesigner}, Entry{Agent: "C", Role: TestDesigner})}},
			[]string{"TOO_MANY_AGENTS preset: hypothesis-critique: Too many agents for preset hypothesis-critique: 3 named, 2 entries; no entry for C"},
		},
		{
			"a preset without entries",
			Input{Presets: []Preset{{ID: "p"}}, Layers: []Layer{withPreset("p")}},
			[]string{"ROSTER_EMPTY preset: p: Empty roster: at least one entry required"},
		},
		{"no guess", Input{Layers: []Layer{withMode(Heuristic), to("Codex", "BlueLake")}}, []string{"ROSTER_NO_GUESS no role can be guessed from the name of BlueLake"}},
		{
			"heuristic without recipients",
			Input{Layers: []Layer{LayerOf(fromFlag("--roster"), Roster{Mode: Heuristic})}},
			[]string{"ROSTER_NOBODY_NAMED no agent is named: in heuristic mode the roster may be empty, but not the recipients"},
		},
		{"unknown mode", Input{Layers: []Layer{withMode("unify"), entries(project, one)}}, []string{"ROSTER_INVALID_MODE flags: --roster-mode: Invalid roster mode: unify"}},
		{"blank name", Input{Layers: []Layer{to("", "A"), entries(project, one)}}, []string{"ROSTER_BLANK_AGENT flags: --to: Blank agent name in roster: name 1"}},
		{"all faults", Input{Layers: []Layer{withMode("x"), to("A", "Z"), entries(project, one, one, Entry{Agent: "B", Role: "boss"})}}, []string{
			"ROSTER_INVALID_MODE flags: --roster-mode: Invalid roster mode: x",
			"ROSTER_DUPLICATE_AGENT project config: brenner.yaml: Duplicate agent in roster: A",
			"ROSTER_INVALID_ROLE project config: brenner.yaml: Invalid role for B: boss",
			"ROSTER_MISSING_ENTRY Missing roster entry for recipient: Z",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Resolve(tt.in)
			var got []string
			for _, f := range fault.All(err) {
				if got = append(got, string(f.Code)+" "+f.Error()); f.Hint == "" {
					t.Errorf("%s has no hint", f.Code)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMissingEntrySuggestsNearestName(t *testing.T) {
	_, err := Resolve(Input{Layers: []Layer{to("Bluelake"), entries(fromFlag("--roster"), spec().Entries...)}})
	if hint := fault.HintOf(err); !strings.HasPrefix(hint, "did you mean BlueLake? names compare exactly") {
		t.Error(hint)
	}
}

// The agents of a preset keep its roles, and other names take what is left, in order.
func TestRecipientsKeepTheirPresetRole(t *testing.T) {
	for _, tt := range []struct {
		to   []string
		want []Role
	}{
		{[]string{"GreenValley"}, []Role{AdversarialCritic}},
		{[]string{"Ann", "GreenValley", "Bob"}, []Role{HypothesisGenerator, AdversarialCritic, TestDesigner}},
		{[]string{"PurpleMountain", "Ann"}, []Role{TestDesigner, HypothesisGenerator}},
	} {
		got, err := Resolve(Input{Layers: []Layer{to(tt.to...), withPreset("default-3-agent")}})
		var roles []Role
		for _, e := range got.Roster.Entries {
			roles = append(roles, e.Role)
		}
		if err != nil || !slices.Equal(roles, tt.want) {
			t.Errorf("%v: got %v, %v; want %v", tt.to, roles, err, tt.want)
		}
	}
}

func override(agent string, role Role) Layer {
	l := entries(fromFlag("--agent-role"), Entry{Agent: agent, Role: role})
	l.Override = true
	return l
}

func TestOverridesChangeOneRole(t *testing.T) {
	got, err := Resolve(Input{Layers: []Layer{withPreset("default-3-agent"), override("GreenValley", TestDesigner)}})
	if err != nil || len(got.Roster.Entries) != 3 || got.Roster.Entries[2].Role != TestDesigner || got.Roster.Entries[0].Role != HypothesisGenerator {
		t.Errorf("got %+v, %v", got.Roster.Entries, err)
	}
	_, err = Resolve(Input{Layers: []Layer{withPreset("default-3-agent"), override("GrenValley", TestDesigner)}})
	if hint := fault.HintOf(err); fault.CodeOf(err) != MissingEntry || !strings.HasPrefix(hint, "did you mean GreenValley?") {
		t.Errorf("got %v, hint %q", err, hint)
	}
	got, err = Resolve(Input{Layers: []Layer{override("Ann", TestDesigner)}, DefaultPreset: "default-3-agent"})
	if err != nil || len(got.Roster.Entries) != 1 || got.Roster.Entries[0].Agent != "Ann" {
		t.Errorf("without another source: got %+v, %v", got.Roster.Entries, err)
	}
}

func TestResolveWarnings(t *testing.T) {
	tests := []struct {
		name string
		in   Input
		want fault.Code
	}{
		{"heuristic mode", Input{Layers: []Layer{withMode(Heuristic), to("Codex")}}, HeuristicDeprecated},
		{"a preset of which entries name one agent", Input{Layers: []Layer{withPreset("default-3-agent"), entries(Origin{Level: ProjectConfig, Source: "brenner.yaml"}, Entry{Agent: "Ann", Role: TestDesigner})}}, PresetReplaced},
		{"a preset of which --to names one agent", Input{Layers: []Layer{withPreset("default-3-agent"), to("GreenValley")}}, PresetReplaced},
		{"a configured preset of which --to names one agent", Input{Layers: []Layer{{Origin: Origin{Level: ProjectConfig}, Preset: "default-3-agent"}, to("GreenValley")}}, PresetReplaced},
		{"a name that is almost the preset's", Input{Layers: []Layer{withPreset("default-3-agent"), to("BlueLake", "PurpleMountain", "GreenValey")}}, NameResembles},
		{"no names anywhere", Input{Presets: []Preset{{ID: "p", Entries: []Entry{{Role: TestDesigner}}}}, Layers: []Layer{withPreset("p")}}, PresetNoNames},
		{"default preset", Input{DefaultPreset: "default-3-agent"}, DefaultPresetUsed},
		{"a variable for an unknown agent", Input{Layers: []Layer{withPreset("default-3-agent"), variable("BLUELAK", TestDesigner)}}, UnmatchedVariable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Resolve(tt.in)
			if err != nil || len(got.Warnings) != 1 || got.Warnings[0].Code != tt.want || got.Warnings[0].Hint == "" {
				t.Errorf("got %+v, %v", got.Warnings, err)
			}
		})
	}
}

// A whole roster on the command line replaces a configured preset without a warning.
func TestRosterReplacesConfiguredPreset(t *testing.T) {
	got, err := Resolve(Input{Layers: []Layer{
		{Origin: Origin{Level: ProjectConfig}, Preset: "default-3-agent"}, entries(fromFlag("--roster"), Entry{Agent: "Ann", Role: TestDesigner}),
	}})
	if err != nil || len(got.Warnings) != 0 || len(got.Roster.Entries) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A preset without placeholder names gets a name for each entry, all of them different.
func TestPresetWithoutNames(t *testing.T) {
	preset := Preset{ID: "many", Name: "Many", Entries: slices.Repeat([]Entry{{Role: TestDesigner}, {Role: AdversarialCritic}}, 7)}
	got, err := Resolve(Input{Presets: []Preset{preset}, Layers: []Layer{withPreset("many")}})
	if err != nil || len(got.Roster.Entries) != 14 {
		t.Fatal(got, err)
	}
	want := []string{"BlueLake", "PurpleMountain", "GreenValley"}
	if diff := cmp.Diff(want, got.Roster.Agents()[:3]); diff != "" {
		t.Error(diff)
	}
	if last := got.Roster.Entries[13]; last.Agent != "PurpleMountain3" || last.Role != AdversarialCritic {
		t.Error(last)
	}
	// A variable for one of these names changes that agent, and names no other roster.
	got, err = Resolve(Input{Presets: []Preset{preset}, DefaultPreset: "many", Layers: []Layer{variable("BLUELAKE", HypothesisGenerator)}})
	if err != nil || len(got.Roster.Entries) != 14 || got.Roster.Entries[0].Role != HypothesisGenerator {
		t.Error(got, err)
	}
}

func TestResolutionValue(t *testing.T) {
	got, err := Resolve(Input{Layers: []Layer{to("Ann"), withPreset("default-3-agent"), entries(env(EnvJSON), Entry{Agent: "Ann", Model: "M", Notes: "n"})}})
	if err != nil {
		t.Fatal(err)
	}
	text := artifact.Canonical(got.Value())
	want := `{"entries":[{"agentName":"Ann","model":"M","notes":"n","origin":{"agentName":"flags: --to","model":"environment: BRENNER_ROSTER_JSON","notes":"environment: BRENNER_ROSTER_JSON","program":"preset: default-3-agent","role":"preset: default-3-agent"},"program":"codex-cli","role":"hypothesis_generator"}],"mode":"role_separated","name":"Default 3-Agent Setup","origin":{"mode":"default","name":"preset: default-3-agent"}}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
	again, warnings, err := ReadJSON(text)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if diff := cmp.Diff(got.Roster, again); diff != "" {
		t.Error(diff)
	}
}
