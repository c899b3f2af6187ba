package config

import (
	"strings"
	"testing"

	"brenner/roster"
)

// Known pitfalls of viper: names lose their case, keys that only the environment sets are
// missed, lists with commas are ambiguous.
func TestViperPitfalls(t *testing.T) {
	c := load(t, Options{Dir: project(t, `
agents: {models: [{model: Opus 4.5, id: MixedCase}]}
roster: {presets: [{id: MyPreset, name: Mine, entries: [{role: test_designer, model: GPT-5.2}], placeholderNames: [BlueLake]}], entries: [{agentName: McDonald}]}
authorities: ["Ann, the Arbiter"]
`), Environ: []string{"BRENNER_QUESTION=Why, and how?", "BRENNER_PRIORITY=BlueLake, RedSky ,McDonald", "BRENNER_SCOPES_ROLES_TEST_DESIGNER_ADD=hypothesis_slate"}})
	same(t, c.Models, []Model{{Model: "Opus 4.5", ID: "MixedCase"}})
	same(t, c.Presets[0].ID, "MyPreset")
	same(t, c.Presets[0].PlaceholderNames, []string{"BlueLake"})
	same(t, c.Presets[0].Entries[0].Model, "GPT-5.2")
	same(t, c.Layers[0].Entries[0].Agent, "McDonald")
	same(t, c.Authorities, []string{"Ann, the Arbiter"})
	same(t, c.Question, "Why, and how?")
	same(t, c.Priority, []string{"BlueLake", "RedSky", "McDonald"})
	same(t, len(c.Scopes.Grants[1].Add), 1)
	same(t, shownValue(t, c, "priority"), `["BlueLake","RedSky","McDonald"] (BRENNER_PRIORITY)`)
}

// Only the environment that is passed in counts.
func TestProcessEnvironmentIsIgnored(t *testing.T) {
	t.Setenv("BRENNER_QUESTION", "from the process")
	t.Setenv("QUESTION", "from the process")
	same(t, load(t, Options{Dir: repository(t)}).Question, "")
}

func TestEmptyVariablesCountAsUnset(t *testing.T) {
	c := load(t, Options{
		Dir:     project(t, "question: file\nvia: mail\npriority: [A]\n"),
		Environ: []string{"BRENNER_QUESTION=", "BRENNER_VIA=openai", "BRENNER_VIA=", "BRENNER_PRIORITY=", "BRENNER_CONTEXT=a", "BRENNER_CONTEXT=b", "no equals sign"},
	})
	same(t, []string{c.Question, c.Via, strings.Join(c.Priority, ""), c.Context}, []string{"file", "mail", "A", "b"})
}

// An empty flag overrides, too.
func TestEmptyFlagOverrides(t *testing.T) {
	c := load(t, Options{Dir: project(t, "question: file\n"), Flags: []Flag{{Key: "question", Name: "--question", Values: []string{""}}}})
	same(t, shownValue(t, c, "question"), `"" (--question)`)
}

func TestListFlags(t *testing.T) {
	c := load(t, Options{Dir: repository(t), Flags: []Flag{
		{Key: "priority", Name: "--priority", Values: []string{"A,B", "C"}},
		{Key: "via", Name: "--via", Values: []string{"mail", "openai"}},
	}})
	same(t, c.Priority, []string{"A", "B", "C"})
	same(t, c.Via, "openai")
}

func TestVariableAndFlagFaults(t *testing.T) {
	for _, test := range []struct{ variable, want string }{
		{"BRENNER_ENGINE_TEMPORAL_ADDRESS=nohost", "CONFIG_INVALID_VALUE BRENNER_ENGINE_TEMPORAL_ADDRESS: not HOST:PORT | write HOST:PORT, such as temporal.example:7233"},
		{"BRENNER_VIA=opneai", "CONFIG_INVALID_VALUE BRENNER_VIA: unknown value \"opneai\" | did you mean openai? use one of openai, mail, program and rehearsal"},
		{"BRENNER_LIMITS_HYPOTHESIS_SLATE_MAX=many", "CONFIG_INVALID_VALUE BRENNER_LIMITS_HYPOTHESIS_SLATE_MAX: \"many\" is not a whole number from 0 to 1000000000 | write digits only, without a unit"},
		{"BRENNER_LIMITS_HYPOTHESIS_SLATE_MAX=2", "CONFIG_INVALID_VALUE BRENNER_LIMITS_HYPOTHESIS_SLATE_MAX: limits.hypothesis_slate: minimum 3 (built-in) exceeds maximum 2 (BRENNER_LIMITS_HYPOTHESIS_SLATE_MAX)"},
		{"BRENNER_SCOPES_ROLES_TEST_DESIGNER_KILL_ANYWHERE=1", "CONFIG_INVALID_VALUE BRENNER_SCOPES_ROLES_TEST_DESIGNER_KILL_ANYWHERE: \"1\" is not true or false | write true or false"},
		{"BRENNER_PRIORITY=A,,B", "CONFIG_INVALID_VALUE BRENNER_PRIORITY: empty item"},
		{"BRENNER_SCOPES_ROLES_TEST_DESIGNER_WRITE=predictions", "CONFIG_INVALID_VALUE BRENNER_SCOPES_ROLES_TEST_DESIGNER_WRITE: unknown item \"predictions\""},
	} {
		_, err := Load(Options{Dir: repository(t), Environ: []string{test.variable}})
		if got := details(t, err); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", test.variable, got, test.want)
		}
	}
	for _, flag := range []Flag{{Key: "gone", Name: "--gone", Values: []string{"x"}}, {Key: "via", Name: "--via"}, {Key: "agents.models", Name: "--models", Values: []string{"x"}}} {
		if _, err := Load(Options{Dir: repository(t), Flags: []Flag{flag}}); !strings.Contains(details(t, err), flag.Name) {
			t.Errorf("%s: %v", flag.Name, err)
		}
	}
}

func TestMisspeltVariablesAreReported(t *testing.T) {
	c := load(t, Options{Dir: repository(t), Environ: []string{
		"BRENNER_QUESTON=x", "BRENNER_PROJECT=/elsewhere", "BRENNER_RELEASE_MACHINE=7", "BRENNER_ROSTER_PRESTE=x", "QUESTON=x",
	}})
	var got []string
	for _, w := range c.Warnings {
		got = append(got, string(w.Code)+" "+w.Message+" | "+w.Hint)
	}
	same(t, got, []string{"CONFIG_UNKNOWN_VARIABLE unknown environment variable BRENNER_QUESTON ignored | did you mean BRENNER_QUESTION?"})
}

func TestVariablesAreUnique(t *testing.T) {
	seen := map[string]string{EnvProject: "the project"}
	for _, k := range keyTable(&Config{}) {
		if name := k.variable(); name != "" {
			if seen[name] != "" {
				t.Errorf("%s is used by %s and %s", name, seen[name], k.path)
			}
			seen[name] = k.path
		}
	}
}

func TestRosterFromEnvironment(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "team.json", `[{"agentName":"BlueLake","role":"test_designer"}]`)
	layers, _, err := RosterFromEnvironment([]string{"BRENNER_ROSTER_FILE=" + file, "BRENNER_ROSTER_NAME=N"})
	if err != nil || len(layers) != 2 {
		t.Fatal(layers, err)
	}
	same(t, layers[1], roster.Layer{Origin: roster.Origin{Level: roster.Environment, Source: roster.EnvFile}, Entries: []roster.Entry{{Agent: "BlueLake", Role: roster.TestDesigner}}})
	for _, test := range []struct{ variable, want string }{
		{"BRENNER_ROSTER_FILE=" + dir + "/gone", "CONFIG_UNREADABLE BRENNER_ROSTER_FILE (" + dir + "/gone): cannot read the roster: no such file"},
		{"BRENNER_ROSTER_FILE=" + write(t, dir, "bad.json", "{"), "INVALID_JSON "},
		{"BRENNER_ROSTER=default-3-agent", "CONFIG_UNREADABLE BRENNER_ROSTER (default-3-agent): cannot read the roster: no such file"},
		{"BRENNER_ROSTER_JSON=7", "ROSTER_WRONG_TYPE "},
	} {
		_, _, err := RosterFromEnvironment([]string{test.variable})
		if got := details(t, err); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: got %s", test.variable, got)
		}
	}
}
