package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact"
	"brenner/govern/policy"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/playbook"
	"brenner/roster"
	"brenner/session/flow"
)

// write creates a file in a directory and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// project creates a directory with this brenner.yaml. It has a .git, so that nothing above
// it is searched.
func project(t *testing.T, text string) string {
	t.Helper()
	dir := repository(t)
	write(t, dir, FileName, text)
	return dir
}

func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func load(t *testing.T, o Options) *Config {
	t.Helper()
	c, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// details formats every fault of an error as "CODE place: detail | hint".
func details(t *testing.T, err error) string {
	t.Helper()
	var lines []string
	for _, f := range fault.All(err) {
		lines = append(lines, string(f.Code)+" "+f.Error()+" | "+f.Hint)
	}
	if err != nil && (len(lines) == 0 || fault.CodeOf(err) == "") {
		t.Errorf("not a fault: %v", err)
	}
	return strings.Join(lines, "\n")
}

// shownValue formats a key as "value (origin)".
func shownValue(t *testing.T, c *Config, key string) string {
	t.Helper()
	for _, v := range c.Values() {
		if v.Key == key {
			return string(artifact.Canonical(v.Value)) + " (" + v.Origin.String() + ")"
		}
	}
	t.Fatalf("no key %s", key)
	return ""
}

func TestBuiltIn(t *testing.T) {
	dir := repository(t)
	c := load(t, Options{Dir: dir})
	want := &Config{
		Project: Project{Dir: dir}, Models: []Model{}, Programs: []Program{}, Presets: roster.BuiltIn(), DefaultPreset: "default-3-agent",
		Records: Records{Types: []string{}, Compression: 10, Unused: 720 * time.Hour, Unattended: []string{}, People: policy.Contributor}, Roles: []Role{},
		Scopes: merge.DefaultScopes(), Limits: map[artifact.Section]merge.Limit{
			artifact.HypothesisSlate: {Min: 3, Max: 6}, artifact.PredictionsTable: {Min: 3}, artifact.DiscriminativeTests: {Min: 2},
			artifact.AssumptionLedger: {Min: 3}, artifact.AnomalyRegister: {}, artifact.AdversarialCritique: {Min: 2},
		},
		Priority: []string{}, Authorities: []string{}, Operator: "operator", Attempts: 3, Endpoints: Endpoints{Hosts: []string{}}, Serve: Serve{People: []Person{}},
		Session: flow.Settings{
			Rounds: 3, Flow: flow.FlowParallel, Quorum: flow.QuorumRole, Budget: 500_000, Reply: 8_000, QuietAfter: 2, Repair: true, Context: 100_000, Hypotheses: 3,
			Limits: flow.Times{Call: 600_000, Idle: 120_000, Agent: 1_800_000},
		},
		Timeouts: Timeouts{Call: 10 * time.Minute, Idle: 2 * time.Minute, Agent: 30 * time.Minute},
		Engine:   Engine{Namespace: "default"},
		Mail:     Mail{BaseURL: "http://127.0.0.1:8765", Path: "/mcp/", TokenEnv: "AGENT_MAIL_BEARER_TOKEN"},
		Playbook: Playbook{Domain: "general", Tokens: 800, Rules: playbook.DefaultRules()},
	}
	if diff := cmp.Diff(want, c, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "values" || p.String() == "files" }, cmp.Ignore())); diff != "" {
		t.Error(diff)
	}
	if len(c.Values()) != len(keyTable(&Config{})) {
		t.Errorf("got %d values for %d keys", len(c.Values()), len(keyTable(&Config{})))
	}
	for i, v := range c.Values() {
		if v.Origin.String() != "built-in" || v.Origin.Level != roster.Default {
			t.Errorf("%s: got origin %v", v.Key, v.Origin)
		}
		if i > 0 && c.Values()[i-1].Key >= v.Key {
			t.Errorf("%s is not sorted", v.Key)
		}
	}
}

func TestFileWithAllKeys(t *testing.T) {
	c := load(t, Options{Dir: project(t, `
question: "Why: because?"
context: |
  Two lines,
  kept.
via: mail
agents:
  models:
    - {model: Opus 4.5, via: openai, id: Opus-Large, base_url: "https://Host.example/v1"}
    - {model: GPT-5.2}
roster:
  preset: Two
  defaultPreset: ""
  mode: unified
  name: Our Team
  entries: [{agentName: BlueLake, role: test_designer, program: P, model: M, notes: N}, {agentName: RedSky}]
  presets:
    - {id: Two, name: Two, description: D, entries: [{role: test_designer, program: p, model: m, notes: n}], placeholderNames: [Ann]}
    - {id: hypothesis-critique, name: Critique, entries: [{role: adversarial_critic}]}
priority: [BlueLake, RedSky]
authorities: [Sydney]
scopes:
  mode: strict
  roles: {test_designer: {write: [anomaly_register], add: [hypothesis_slate], kill_anywhere: true}}
limits: {hypothesis_slate: {min: 1, max: 2}, predictions_table: {max: 9}}
`)})
	if c.Question != "Why: because?" || c.Context != "Two lines,\nkept.\n" || c.Via != "mail" {
		t.Errorf("got %q %q %q", c.Question, c.Context, c.Via)
	}
	same(t, c.Models, []Model{{Model: "Opus 4.5", Via: "openai", ID: "Opus-Large", BaseURL: "https://Host.example/v1"}, {Model: "GPT-5.2"}})
	same(t, c.Layers, []roster.Layer{{
		Origin: roster.Origin{Level: roster.ProjectConfig, Source: FileName},
		Mode:   roster.Unified, Name: "Our Team", Preset: "Two", Entries: []roster.Entry{
			{Agent: "BlueLake", Role: roster.TestDesigner, Program: "P", Model: "M", Notes: "N"}, {Agent: "RedSky"},
		},
	}})
	same(t, c.Presets, []roster.Preset{
		{ID: "Two", Name: "Two", Description: "D", PlaceholderNames: []string{"Ann"}, Entries: []roster.Entry{{Role: roster.TestDesigner, Program: "p", Model: "m", Notes: "n"}}},
		{ID: "hypothesis-critique", Name: "Critique", Entries: []roster.Entry{{Role: roster.AdversarialCritic}}},
		roster.BuiltIn()[0],
	})
	same(t, c.DefaultPreset, "")
	same(t, c.Priority, []string{"BlueLake", "RedSky"})
	same(t, c.Authorities, []string{"Sydney"})
	want := merge.DefaultScopes()
	want.Strict = true
	want.Grants[1] = merge.Grant{
		Role: "test_designer", KillAnywhere: true,
		Write: []artifact.Section{artifact.AnomalyRegister}, Add: []artifact.Section{artifact.HypothesisSlate},
	}
	same(t, c.Scopes, want)
	same(t, c.Limits[artifact.HypothesisSlate], merge.Limit{Min: 1, Max: 2})
	same(t, c.Limits[artifact.PredictionsTable], merge.Limit{Min: 3, Max: 9})
	same(t, shownValue(t, c, "agents.models"), `[{"base_url":"https://Host.example/v1","id":"Opus-Large","model":"Opus 4.5","via":"openai"},{"model":"GPT-5.2"}] (brenner.yaml, line 8)`)
	same(t, shownValue(t, c, "roster.entries"), `[{"agentName":"BlueLake","model":"M","notes":"N","program":"P","role":"test_designer"},{"agentName":"RedSky"}] (brenner.yaml, line 16)`)
	same(t, shownValue(t, c, "limits.hypothesis_slate.max"), `2 (brenner.yaml, line 25)`)
	same(t, shownValue(t, c, "scopes.roles.test_designer.kill_anywhere"), `true (brenner.yaml, line 24)`)
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Files are data: variables and commands in them are not expanded.
func TestNothingIsExpanded(t *testing.T) {
	const text = "$HOME ${PATH} $(id) `id` %PATH% ~ {{.}} <<: *a"
	c := load(t, Options{
		Dir: project(t, "question: '"+text+"'\npriority: ['$HOME']\n"), Environ: []string{"HOME=/root", "BRENNER_CONTEXT=" + text},
	})
	same(t, c.Question, text)
	same(t, c.Context, text)
	same(t, c.Priority, []string{"$HOME"})
}

func TestReach(t *testing.T) {
	const list = "agents: {models: [{model: A, via: openai, id: a}, {model: B, id: b}]}\n"
	for _, test := range []struct {
		name, file, flag string
		environ          []string
		model            string
		want             Model
	}{
		{name: "not configured", model: "A", want: Model{Model: "A"}},
		{name: "general", file: "via: mail\n", model: "A", want: Model{Model: "A", Via: "mail"}},
		{name: "the model's own in the same file", file: "via: mail\n" + list, model: "A", want: Model{Model: "A", Via: "openai", ID: "a"}},
		{name: "without its own", file: "via: mail\n" + list, model: "B", want: Model{Model: "B", Via: "mail", ID: "b"}},
		{name: "not in the list", file: "via: mail\n" + list, model: "C", want: Model{Model: "C", Via: "mail"}},
		{name: "no model", file: list, model: "", want: Model{}},
		{name: "names compare exactly", file: list, model: "a", want: Model{Model: "a"}},
		{name: "a flag applies to all agents", file: list, flag: "rehearsal", model: "A", want: Model{Model: "A", Via: "rehearsal", ID: "a"}},
		{name: "a variable applies to all agents", file: list, environ: []string{"BRENNER_VIA=program"}, model: "A", want: Model{Model: "A", Via: "program", ID: "a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := Options{Dir: project(t, test.file), Environ: test.environ}
			if test.flag != "" {
				o.Flags = []Flag{{Key: "via", Name: "--via", Values: []string{test.flag}}}
			}
			same(t, load(t, o).Reach(test.model), test.want)
		})
	}
}

func TestAsked(t *testing.T) {
	c := load(t, Options{Dir: project(t, "agents: {models: [{model: A, id: a, key_env: A_KEY, price_input: 1, price_output: 2}, {model: B, id: b, price_input: 3, price_output: 4}, {model: C, price_input: 5, price_output: 6}]}\n")})
	for _, test := range []struct {
		name, model, id string
		want, key       string
		price           float64 // 0 means unknown
	}{
		{name: "as configured", model: "A", id: "a", want: "A", key: "A_KEY", price: 1},
		{name: "no id", model: "C", want: "C", price: 5},
		{name: "the id of another", model: "A", id: "b", want: "B", price: 3},
		{name: "the name of another", model: "A", id: "C", want: "C", price: 5},
		{name: "not in the list", model: "X", id: "b", want: "B", price: 3},
		{name: "an id that is not configured", model: "A", id: "z", want: "A", key: "A_KEY"},
		{name: "an id for a model without one", model: "C", id: "z", want: "C"},
		{name: "nothing configured", model: "X", id: "z", want: "X"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := c.Asked(test.model, test.id)
			price := 0.0
			if got.PriceInput != nil {
				price = *got.PriceInput
			}
			if got.Model != test.want || got.KeyEnv != test.key || price != test.price {
				t.Errorf("got %s, key %q, price %g", got.Model, got.KeyEnv, price)
			}
		})
	}
}
