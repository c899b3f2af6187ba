package roster

import (
	"strings"
	"testing"

	"brenner/internal/fault"

	"github.com/google/go-cmp/cmp"
)

func env(source string) Origin { return Origin{Level: Environment, Source: source} }

func TestFromEnviron(t *testing.T) {
	got, warnings, err := FromEnviron([]string{
		"PATH=/bin", "BRENNER_PROJECT=x", "BRENNER_ROSTER_NAME=first", "BRENNER_ROSTER_NAME=a=b",
		"BRENNER_ROSTER_AGENT_BLUELAKE=test_designer", "BRENNER_ROSTER_MODE=unified", "BRENNER_ROSTER_FILE=", "no equals sign",
		`BRENNER_ROSTER_JSON={"mode":"heuristic","entries":[{"agentName":"A"}]}`, "BRENNER_ROSTER_PRESET=gone", "BRENNER_ROSTER_PRESET=",
	})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	want := Environ{Layers: []Layer{
		{Origin: env("BRENNER_ROSTER_AGENT_BLUELAKE"), Loose: true, Entries: []Entry{{Agent: "BLUELAKE", Role: TestDesigner}}},
		{Origin: env(EnvMode), Mode: Unified},
		{Origin: env(EnvName), Name: "a=b"},
		{Origin: env(EnvJSON), Mode: Heuristic, Entries: []Entry{{Agent: "A"}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFromEnvironEmpty(t *testing.T) {
	got, warnings, err := FromEnviron(nil)
	if err != nil || warnings != nil || len(got.Layers) > 0 || got.File != "" {
		t.Error(got, warnings, err)
	}
}

func TestFromEnvironFile(t *testing.T) {
	got, _, err := FromEnviron([]string{"BRENNER_ROSTER_FILE=team.json", "BRENNER_ROSTER_PRESET=p"})
	if err != nil || got.File != "team.json" {
		t.Fatal(got, err)
	}
	if got.FileFrom != env(EnvFile) {
		t.Error(got.FileFrom)
	}
	if diff := cmp.Diff([]Layer{{Origin: env(EnvPreset), Preset: "p"}}, got.Layers); diff != "" {
		t.Error(diff)
	}
}

// BRENNER_ROSTER means what --roster does.
func TestFromEnvironRoster(t *testing.T) {
	got, warnings, err := FromEnviron([]string{`BRENNER_ROSTER= [{"agentName":"A"}]`, "BRENNER_ROSTERS=theirs"})
	if err != nil || len(warnings) > 0 || got.File != "" {
		t.Fatal(got, warnings, err)
	}
	if diff := cmp.Diff([]Layer{{Origin: env(EnvRoster), Entries: []Entry{{Agent: "A"}}}}, got.Layers); diff != "" {
		t.Error(diff)
	}
	for _, value := range []string{"team.json", "@team.json"} {
		got, _, err := FromEnviron([]string{"BRENNER_ROSTER=" + value})
		if err != nil || got.File != "team.json" || got.FileFrom != env(EnvRoster) || len(got.Layers) > 0 {
			t.Error(got, err)
		}
	}
}

func TestFromEnvironFaults(t *testing.T) {
	tests := []struct {
		name    string
		environ []string
		want    []string
	}{
		{
			"JSON",
			[]string{`BRENNER_ROSTER_JSON=[{"role":"a","role":"b"}]`},
			[]string{"environment: BRENNER_ROSTER_JSON: line 1, column 14: the key at /0/role stands twice in one object"},
		},
		{
			"JSON and file",
			[]string{"BRENNER_ROSTER_JSON=[]", "BRENNER_ROSTER_FILE=f"},
			[]string{"environment: BRENNER_ROSTER_JSON and BRENNER_ROSTER_FILE are set, and each is a complete roster"},
		},
		{
			"three rosters",
			[]string{"BRENNER_ROSTER_JSON=[]", "BRENNER_ROSTER_FILE=f", "BRENNER_ROSTER={}"},
			[]string{"environment: BRENNER_ROSTER_JSON, BRENNER_ROSTER_FILE and BRENNER_ROSTER are set, and each is a complete roster"},
		},
		{
			"no agent",
			[]string{"BRENNER_ROSTER_AGENT_=test_designer"},
			[]string{"environment: BRENNER_ROSTER_AGENT_: the variable names no agent"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := FromEnviron(tt.environ)
			var got []string
			for _, f := range fault.All(err) {
				got = append(got, f.Error())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFromEnvironWarnings(t *testing.T) {
	_, warnings, err := FromEnviron([]string{"BRENNER_ROSTER_PRESTE=x", `BRENNER_ROSTER_JSON=[{"agent":"A"}]`})
	if err != nil || len(warnings) != 2 {
		t.Fatal(err, warnings)
	}
	if w := warnings[0]; w.Code != UnknownVariable || !strings.HasPrefix(w.Hint, "did you mean BRENNER_ROSTER_PRESET?") {
		t.Errorf("%+v", w)
	}
	if w := warnings[1]; w.Code != UnknownKey || w.Place != "environment: BRENNER_ROSTER_JSON: line 1, column 3 (/0/agent)" {
		t.Errorf("%+v", w)
	}
}
