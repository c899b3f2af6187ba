package roster

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/internal/fault"
)

// spec is the roster of the specification's own example.
func spec() Roster {
	return Roster{
		Mode: RoleSeparated, Name: "Default 3-Agent Setup",
		Entries: []Entry{
			{Agent: "BlueLake", Role: HypothesisGenerator, Program: "codex-cli", Model: "GPT-5.2"},
			{Agent: "PurpleMountain", Role: TestDesigner, Program: "claude-code", Model: "Opus 4.5"},
			{Agent: "GreenValley", Role: AdversarialCritic, Program: "gemini-cli", Model: "Gemini 3"},
		},
	}
}

// details formats each fault as "CODE detail".
func details(err error) []string {
	var all []string
	for _, f := range fault.All(err) {
		all = append(all, string(f.Code)+" "+f.Detail)
	}
	return all
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name   string
		roster Roster
		want   []string
	}{
		{"the specification's example", spec(), nil},
		{"rule 1: an agent twice", Roster{Entries: []Entry{
			{Agent: "BlueLake", Role: HypothesisGenerator}, {Agent: "BlueLake", Role: TestDesigner},
		}}, []string{"ROSTER_DUPLICATE_AGENT Duplicate agent in roster: BlueLake"}},
		{"rule 1: each repetition is reported", Roster{Entries: []Entry{
			{Agent: "A", Role: TestDesigner}, {Agent: "A", Role: TestDesigner}, {Agent: "A", Role: TestDesigner},
		}}, []string{"ROSTER_DUPLICATE_AGENT Duplicate agent in roster: A", "ROSTER_DUPLICATE_AGENT Duplicate agent in roster: A"}},
		{"rule 2: a role twice is allowed", Roster{Entries: []Entry{
			{Agent: "BlueLake", Role: HypothesisGenerator}, {Agent: "RedSky", Role: HypothesisGenerator},
		}}, nil},
		{
			"rule 5: an unknown role",
			Roster{Entries: []Entry{{Agent: "BlueLake", Role: "researcher"}}},
			[]string{"ROSTER_INVALID_ROLE Invalid role for BlueLake: researcher"},
		},
		{
			"roles compare exactly",
			Roster{Entries: []Entry{{Agent: "A", Role: "Test_Designer"}}},
			[]string{"ROSTER_INVALID_ROLE Invalid role for A: Test_Designer"},
		},
		{
			"no role",
			Roster{Entries: []Entry{{Agent: "A"}}},
			[]string{"ROSTER_INVALID_ROLE Invalid role for A: missing"},
		},
		{
			"a role in unified mode too",
			Roster{Mode: Unified, Entries: []Entry{{Agent: "A"}}},
			[]string{"ROSTER_INVALID_ROLE Invalid role for A: missing"},
		},
		{"names compare exactly", Roster{Entries: []Entry{
			{Agent: "BlueLake", Role: TestDesigner}, {Agent: "bluelake", Role: TestDesigner}, {Agent: "BlueLake ", Role: TestDesigner},
		}}, nil},
		{
			"blank names",
			Roster{Entries: []Entry{{Agent: "", Role: TestDesigner}, {Agent: " \t", Role: TestDesigner}}},
			[]string{"ROSTER_BLANK_AGENT Blank agent name in roster: name 1", "ROSTER_BLANK_AGENT Blank agent name in roster: name 2"},
		},
		{"empty", Roster{}, []string{"ROSTER_EMPTY Empty roster: at least one entry required"}},
		{"empty and unified", Roster{Mode: Unified}, []string{"ROSTER_EMPTY Empty roster: at least one entry required"}},
		{"empty and heuristic", Roster{Mode: Heuristic}, nil},
		{"heuristic needs no roles", Roster{Mode: Heuristic, Entries: []Entry{{Agent: "A"}}}, nil},
		{
			"heuristic rejects invalid roles",
			Roster{Mode: Heuristic, Entries: []Entry{{Agent: "A", Role: "boss"}}},
			[]string{"ROSTER_INVALID_ROLE Invalid role for A: boss"},
		},
		{
			"unknown mode",
			Roster{Mode: "unifed", Entries: []Entry{{Agent: "A", Role: TestDesigner}}},
			[]string{"ROSTER_INVALID_MODE Invalid roster mode: unifed"},
		},
		{
			"all faults",
			Roster{Mode: "x", Entries: []Entry{{Agent: "A", Role: "y"}, {Agent: "A", Role: TestDesigner}, {Role: TestDesigner}}},
			[]string{
				"ROSTER_INVALID_MODE Invalid roster mode: x", "ROSTER_DUPLICATE_AGENT Duplicate agent in roster: A",
				"ROSTER_BLANK_AGENT Blank agent name in roster: name 3", "ROSTER_INVALID_ROLE Invalid role for A: y",
			},
		},
		{
			"a name cannot add lines",
			Roster{Entries: []Entry{{Agent: "A\nok\x1b[2K", Role: "z"}}},
			[]string{`ROSTER_INVALID_ROLE Invalid role for "A\nok\x1b[2K": z`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.roster.Validate()
			if diff := cmp.Diff(tt.want, details(err)); diff != "" {
				t.Error(diff)
			}
			for _, f := range fault.All(err) {
				if f.Hint == "" {
					t.Errorf("%s has no hint", f.Code)
				}
			}
		})
	}
}

func TestCovers(t *testing.T) {
	r := spec()
	if err := r.Covers([]string{"BlueLake"}); err != nil { // rule 4
		t.Error(err)
	}
	err := r.Covers([]string{"BlueLake", "greenvalley", "RedSky"})
	want := []string{
		"ROSTER_MISSING_ENTRY Missing roster entry for recipient: greenvalley",
		"ROSTER_MISSING_ENTRY Missing roster entry for recipient: RedSky",
	}
	if diff := cmp.Diff(want, details(err)); diff != "" {
		t.Error(diff)
	}
	if hint := fault.HintOf(err); !strings.Contains(hint, "did you mean GreenValley?") {
		t.Errorf("hint: %s", hint)
	}
	heuristic := Roster{Mode: Heuristic}
	err = heuristic.Covers([]string{"MyGPT", "BlueLake"})
	if diff := cmp.Diff([]string{"ROSTER_NO_GUESS no role can be guessed from the name of BlueLake"}, details(err)); diff != "" {
		t.Error(diff)
	}
}

func TestHints(t *testing.T) {
	for role, want := range map[Role]string{
		"Test Designer":         "did you mean test_designer? ",
		"test-designer":         "did you mean test_designer? ",
		"hypotesis_generator":   "did you mean hypothesis_generator? ",
		"hypothesis_genreator":  "did you mean hypothesis_generator? ",
		"critic":                "did you mean adversarial_critic? ",
		"researcher":            "roles: hypothesis_generator, test_designer and adversarial_critic",
		Role(rune(0x202e)):      "roles:",
		"x":                     "roles:",
		Role(longText(100_000)): "roles:",
	} {
		err := Roster{Entries: []Entry{{Agent: "A", Role: role}}}.Validate()
		if hint := fault.HintOf(err); !strings.HasPrefix(hint, want) {
			t.Errorf("%.20q: hint %q", role, hint)
		}
		if n := len(err.Error()); n > 1000 {
			t.Errorf("got a message of %d bytes", n)
		}
	}
}

func longText(n int) string { return strings.Repeat("é", n) }

func TestOtherErrors(t *testing.T) {
	inner := &fault.Error{Code: TwoRoles}
	wrapped := errors.Join(errors.New("plain"), errors.Join(inner))
	if got := fault.All(wrapped); len(got) != 1 || got[0] != inner {
		t.Errorf("got %v", got)
	}
	if fault.All(nil) != nil || fault.All(errors.New("plain")) != nil {
		t.Error("got faults for nil")
	}
}

func TestHeuristicRole(t *testing.T) {
	tests := []struct {
		agent string
		want  Role
	}{
		{"Codex", HypothesisGenerator},
		{"my-GPT-5", HypothesisGenerator},
		{"OPUS", TestDesigner},
		{"claude2", TestDesigner},
		{"xgeminix", AdversarialCritic},
		{"BlueLake", ""},
		{"", ""},
		{"GeminiCodex", HypothesisGenerator}, // the specification's order decides
	}
	for _, tt := range tests {
		if got, _, ok := HeuristicRole(tt.agent); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: got %s", tt.agent, got)
		}
	}
}

func TestRosterHelpers(t *testing.T) {
	r := Roster{Entries: []Entry{
		{Agent: "C", Role: AdversarialCritic}, {Agent: "A", Role: HypothesisGenerator}, {Agent: "B", Role: HypothesisGenerator},
	}}
	if e, ok := r.Find("B"); !ok || e != r.Entries[2] {
		t.Errorf("got %v", e)
	}
	if _, ok := r.Find("b"); ok {
		t.Error("names compare exactly")
	}
}
