package config

import (
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/roster"
)

// Each file has one mistake. The expected text is "CODE place: detail | hint"; the hint may
// be omitted.
func TestFileFaults(t *testing.T) {
	for name, test := range map[string]struct{ file, want string }{
		"misspelt":           {"question: Q\nroster:\n  presetts: []\n", "CONFIG_UNKNOWN_KEY brenner.yaml, line 3: unknown key roster.presetts | did you mean roster.presets?"},
		"misspelt at top":    {"questoin: Q\n", "CONFIG_UNKNOWN_KEY brenner.yaml, line 1: unknown key questoin | did you mean question?"},
		"misspelt section":   {"rooster: {mode: unified}\n", "CONFIG_UNKNOWN_KEY brenner.yaml, line 1: unknown key rooster | did you mean roster?"},
		"other case":         {"Question: Q\n", "CONFIG_UNKNOWN_KEY brenner.yaml, line 1: unknown key Question | did you mean question?"},
		"other separator":    {"roster:\n  default_preset: x\n", "CONFIG_UNKNOWN_KEY brenner.yaml, line 2: unknown key roster.default_preset | did you mean roster.defaultPreset?"},
		"elsewhere":          {"defaultPreset: x\n", "CONFIG_UNKNOWN_KEY brenner.yaml, line 1: unknown key defaultPreset | did you mean roster.defaultPreset?"},
		"dotted":             {"roster.mode: unified\n", "CONFIG_UNKNOWN_KEY brenner.yaml, line 1: unknown key roster.mode | nest the keys: write each part of roster.mode on its own line, indented below the previous one"},
		"nothing like it":    {"scopes:\n  zzzzzzzz: 1\n", "CONFIG_UNKNOWN_KEY brenner.yaml, line 2: unknown key scopes.zzzzzzzz | known keys here: mode and roles"},
		"not yet":            {"rounds: 3\n", "CONFIG_UNKNOWN_KEY brenner.yaml, line 1: unknown key rounds"},
		"in a model":         {"agents:\n  models:\n    - model: A\n      base-url: x\n", "CONFIG_UNKNOWN_KEY brenner.yaml, line 4: unknown key agents.models[].base-url | did you mean base_url?"},
		"in a preset":        {"roster: {presets: [{id: a, entries: [{role: test_designer, agentName: B}]}]}\n", "CONFIG_UNKNOWN_KEY brenner.yaml, line 1: unknown key roster.presets[].entries[].agentName | known keys here: role, program, model and notes"},
		"unknown role":       {"scopes: {roles: {tester: {write: []}}}\n", "CONFIG_UNKNOWN_KEY brenner.yaml, line 1: unknown key scopes.roles.tester | known keys here: hypothesis_generator, test_designer and adversarial_critic"},
		"one thread":         {"limits: {research_thread: {max: 2}}\n", "CONFIG_UNKNOWN_KEY brenner.yaml, line 1: unknown key limits.research_thread"},
		"secrets stay out":   {"api_key: sk-123\n", "CONFIG_UNKNOWN_KEY brenner.yaml, line 1: unknown key api_key | known keys here: question,"},
		"twice":              {"via: mail\ncontext: C\nvia: openai\n", "CONFIG_DUPLICATE_KEY brenner.yaml, line 3: duplicate key via (first on line 1) | remove one"},
		"no hosts":           {"endpoints: {allowed: []}\n", "CONFIG_INVALID_VALUE brenner.yaml, line 1: endpoints.allowed: empty list | list at least one host, or remove the key"},
		"null hosts":         {"endpoints: {allowed: null}\n", "CONFIG_WRONG_TYPE brenner.yaml, line 1: endpoints.allowed must be a list, not null"},
		"any host":           {"endpoints: {allowed: ['*']}\n", `CONFIG_INVALID_VALUE brenner.yaml, line 1: endpoints.allowed: "*" is not a host | write hosts, or hosts with a port`},
		"URL of a host":      {"endpoints: {allowed: ['http://a.example/v1']}\n", `CONFIG_INVALID_VALUE brenner.yaml, line 1: endpoints.allowed: "http://a.example/v1" is not a host`},
		"network of hosts":   {"endpoints: {allowed: [10.0.0.0/8]}\n", `CONFIG_INVALID_VALUE brenner.yaml, line 1: endpoints.allowed: "10.0.0.0/8" is not a host`},
		"twice in a list":    {"agents: {models: [{model: A, id: x, id: y}]}\n", "CONFIG_DUPLICATE_KEY brenner.yaml, line 1: duplicate key agents.models[].id (first on line 1)"},
		"number for text":    {"question: 42\n", `CONFIG_WRONG_TYPE brenner.yaml, line 1: question must be a string, not a number | quote it: "42"`},
		"date for text":      {"roster:\n  name: 2025-12-30\n", `CONFIG_WRONG_TYPE brenner.yaml, line 2: roster.name must be a string, not a date | quote it: "2025-12-30"`},
		"bool for text":      {"context: true\n", "CONFIG_WRONG_TYPE brenner.yaml, line 1: context must be a string, not true or false"},
		"list for text":      {"question: [a]\n", "CONFIG_WRONG_TYPE brenner.yaml, line 1: question must be a string, not a list"},
		"text for list":      {"priority: A,B\n", "CONFIG_WRONG_TYPE brenner.yaml, line 1: priority must be a list, not a string"},
		"number in list":     {"priority:\n  - A\n  - 7\n", "CONFIG_WRONG_TYPE brenner.yaml, line 3: priority[] must be a string, not a number"},
		"null in list":       {"priority: [A, ]\nauthorities: [~]\n", "CONFIG_WRONG_TYPE brenner.yaml, line 2: authorities[] must be a string, not null"},
		"text for number":    {"limits: {hypothesis_slate: {max: \"6\"}}\n", "CONFIG_WRONG_TYPE brenner.yaml, line 1: limits.hypothesis_slate.max must be a whole number, not a string"},
		"fraction":           {"limits: {hypothesis_slate: {max: 6.5}}\n", "CONFIG_WRONG_TYPE brenner.yaml, line 1: limits.hypothesis_slate.max must be a whole number, not a number"},
		"text for switch":    {"scopes: {roles: {test_designer: {kill_anywhere: yes}}}\n", "CONFIG_WRONG_TYPE brenner.yaml, line 1: scopes.roles.test_designer.kill_anywhere must be true or false, not a string"},
		"text for section":   {"roster: default-3-agent\n", "CONFIG_WRONG_TYPE brenner.yaml, line 1: roster must be a mapping, not a string"},
		"list at top":        {"- a\n", "CONFIG_WRONG_TYPE brenner.yaml, line 1: the configuration must be a mapping, not a list"},
		"map for models":     {"agents: {models: {Opus: {id: x}}}\n", "CONFIG_WRONG_TYPE brenner.yaml, line 1: agents.models must be a list, not a mapping"},
		"text for model":     {"agents: {models: [Opus]}\n", "CONFIG_WRONG_TYPE brenner.yaml, line 1: agents.models[] must be a mapping, not a string"},
		"null for model":     {"agents:\n  models:\n    -\n", "CONFIG_WRONG_TYPE brenner.yaml, line 3: agents.models[] must be a mapping, not null"},
		"number for key":     {"1: x\n", "CONFIG_WRONG_TYPE brenner.yaml, line 1: a key must be a string, not a number"},
		"list for key":       {"? [a]\n: x\n", "CONFIG_WRONG_TYPE brenner.yaml, line 1: a key must be a string, not a list"},
		"wrong word":         {"via: opneai\n", "CONFIG_INVALID_VALUE brenner.yaml, line 1: via: unknown value \"opneai\" | did you mean openai? use one of openai, mail, program and rehearsal"},
		"empty word":         {"via: ''\n", `CONFIG_INVALID_VALUE brenner.yaml, line 1: via: unknown value ""`},
		"wrong scopes":       {"scopes: {mode: lax}\n", "CONFIG_INVALID_VALUE brenner.yaml, line 1: scopes.mode: unknown value \"lax\" | use one of default and strict"},
		"wrong section":      {"scopes: {roles: {test_designer: {write: [tests]}}}\n", "CONFIG_INVALID_VALUE brenner.yaml, line 1: scopes.roles.test_designer.write: unknown item \"tests\""},
		"blank in list":      {"authorities: [' ']\n", "CONFIG_INVALID_VALUE brenner.yaml, line 1: authorities: empty item"},
		"agent twice":        {"priority: [A, B, A]\n", "CONFIG_INVALID_VALUE brenner.yaml, line 1: priority: duplicate item \"A\""},
		"negative":           {"limits: {hypothesis_slate: {max: -1}}\n", "CONFIG_INVALID_VALUE brenner.yaml, line 1: limits.hypothesis_slate.max: \"-1\" is not a whole number"},
		"store's password":   {"store: {address: 'postgres://u:secret@host/r?project=a'}\n", "CONFIG_INVALID_VALUE brenner.yaml, line 1: store.address: not the address of a project in a PostgreSQL database, or with a password | it contains a password; write it like"},
		"octal or not":       {"limits: {hypothesis_slate: {max: 010}}\n", "CONFIG_INVALID_VALUE brenner.yaml, line 1: limits.hypothesis_slate.max: \"010\" is not a whole number"},
		"far too many":       {"limits: {hypothesis_slate: {max: 99999999999999999999}}\n", "CONFIG_"},
		"min above max":      {"limits:\n  hypothesis_slate:\n    min: 7\n", "CONFIG_INVALID_VALUE brenner.yaml, line 3: limits.hypothesis_slate: minimum 7 (brenner.yaml, line 3) exceeds maximum 6 (built-in)"},
		"max, then min":      {"limits:\n  hypothesis_slate:\n    max: 1\n    min: 2\n", "CONFIG_INVALID_VALUE brenner.yaml, line 4: limits.hypothesis_slate: minimum 2 (brenner.yaml, line 4) exceeds maximum 1 (brenner.yaml, line 3)"},
		"min, then max":      {"limits:\n  hypothesis_slate:\n    min: 2\n    max: 1\n", "CONFIG_INVALID_VALUE brenner.yaml, line 4: limits.hypothesis_slate: minimum 2 (brenner.yaml, line 3) exceeds maximum 1 (brenner.yaml, line 4)"},
		"no model":           {"agents: {models: [{id: x}]}\n", "CONFIG_INVALID_VALUE brenner.yaml, line 1: agents.models: entry without model"},
		"model twice":        {"agents:\n  models:\n    - {model: A}\n    - {model: A}\n", "CONFIG_INVALID_VALUE brenner.yaml, line 4: agents.models: duplicate entry A"},
		"model's via":        {"agents: {models: [{model: A, via: http}]}\n", "CONFIG_INVALID_VALUE brenner.yaml, line 1: agents.models[].via: unknown value \"http\""},
		"no address":         {"agents: {models: [{model: A, base_url: localhost}]}\n", "CONFIG_INVALID_VALUE brenner.yaml, line 1: agents.models[].base_url: not a valid http or https URL"},
		"file URL":           {"agents: {models: [{model: A, base_url: 'file:///etc/passwd'}]}\n", "CONFIG_INVALID_VALUE brenner.yaml, line 1: agents.models[].base_url: not a valid http or https URL"},
		"password":           {"agents: {models: [{model: A, base_url: 'https://u:secret@host/'}]}\n", "CONFIG_INVALID_VALUE brenner.yaml, line 1: agents.models[].base_url: not a valid http or https URL | write it like"},
		"role":               {"roster:\n  entries:\n    - {agentName: A, role: researcher}\n", "ROSTER_INVALID_ROLE brenner.yaml, line 3: Invalid role for A: researcher"},
		"agent in two roles": {"roster:\n  entries:\n    - {agentName: A}\n    - {agentName: A}\n", "ROSTER_DUPLICATE_AGENT brenner.yaml, line 4: Duplicate agent in roster: A | first on line 3"},
		"blank agent":        {"roster: {entries: [{role: test_designer}]}\n", "ROSTER_BLANK_AGENT brenner.yaml, line 1: Blank agent name in roster"},
		"mode":               {"roster:\n  mode: unifed\n", "ROSTER_INVALID_MODE brenner.yaml, line 2: Invalid roster mode: unifed | did you mean unified?"},
		"nameless preset":    {"roster:\n  presets:\n    - {id: a, name: A, entries: [{role: test_designer}]}\n    - {id: b, entries: [{role: test_designer}]}\n", "PRESET_INVALID brenner.yaml, line 4, preset b: the preset has no name | add a name: every kickoff shows it"},
		"preset's role":      {"roster: {presets: [{id: a, name: A, entries: [{role: x}]}]}\n", "ROSTER_INVALID_ROLE brenner.yaml, line 1, preset a: Invalid role for entry 1: x"},
		"preset twice":       {"roster:\n  presets:\n    - {id: a, name: A, entries: [{role: test_designer}]}\n    - {id: a, name: B, entries: [{role: test_designer}]}\n", "PRESET_INVALID brenner.yaml, line 4, preset a: duplicate id | first on line 3"},
		"empty preset":       {"roster: {presets: [{id: a, name: A}]}\n", "PRESET_INVALID brenner.yaml, line 1, preset a: the preset has no entries"},
		"unknown default":    {"roster:\n  defaultPreset: default-3-agents\n", "UNKNOWN_PRESET brenner.yaml, line 2: Unknown roster preset: default-3-agents | did you mean default-3-agent?"},
		"unknown preset":     {"roster:\n  preset: x\n", "UNKNOWN_PRESET brenner.yaml, line 2: Unknown roster preset: x"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(Options{Dir: project(t, test.file)})
			if got := details(t, err); !strings.HasPrefix(got, test.want) || strings.Contains(got, "\n") {
				t.Errorf("\ngot  %s\nwant %s", got, test.want)
			}
			if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "sk-123")) {
				t.Error("the error repeats a secret")
			}
		})
	}
}

func TestInvalidYAML(t *testing.T) {
	for name, test := range map[string]struct{ file, want string }{
		"tab":             {"via: mail\nroster:\n\tmode: unified\n", "line 3: invalid YAML: found"},
		"open quote":      {"via: mail\nquestion: \"Why?\ncontext: C\npriority: []\n", "line 2: invalid YAML: found unexpected end of stream"},
		"open list":       {"via: mail\npriority: [A, B\ncontext: C\n", "line 2: invalid YAML: did not find expected ',' or ']'"},
		"indentation":     {"via: mail\nroster:\n  mode: unified\n name: N\ncontext: C\n", "line 4: invalid YAML: did not find expected key"},
		"colon in text":   {"question: Why: because\n", "line 1: invalid YAML: mapping values are not allowed"},
		"words":           {"via: mail\nhello\ncontext: C\n", "line 2: invalid YAML: could not find expected ':'"},
		"second document": {"via: mail\n---\nvia: openai\n", "line 2: invalid YAML: a second document begins here"},
		"unknown alias":   {"via: mail\n\nquestion: *x\n", "line 3: invalid YAML: unknown anchor 'x' referenced"},
		"anchor":          {"question: &a Q\n", "line 1: the anchor &a is not allowed"},
		"alias":           {"question: &a Q\ncontext: *a\n", "line 1: the anchor &a is not allowed"},
		"merge key":       {"roster: &r {mode: unified}\nlimits:\n  <<: *r\n", "line 1: the anchor &r is not allowed"},
		"tag":             {"via: mail\nquestion: !!binary aGk=\n", "line 2: the tag !!binary is not allowed"},
		"custom tag":      {"question: !run id\n", "line 1: the tag !run is not allowed"},
		"not UTF-8":       {"via: mail\nquestion: \xff\n", "line 2: the file contains bytes that are not UTF-8"},
		"UTF-16":          {"\xff\xfev\x00i\x00a\x00", "line 1: the file contains bytes that are not UTF-8"},
		"control":         {"via: mail\n\nquestion: \x1b[31m\n", "line 3: the file contains control characters"},
		"bomb":            {bomb(), "line 1: the anchor &a0 is not allowed"},
		"deep":            {strings.Repeat("[", 200_000), "line 1: invalid YAML: "},
		"deep in blocks":  {strings.Repeat("- ", 200_000), "line 1: invalid YAML: exceeded max depth"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(Options{Dir: project(t, test.file)})
			if got := details(t, err); !strings.HasPrefix(got, "CONFIG_INVALID_YAML brenner.yaml, "+test.want) {
				t.Errorf("\ngot  %s\nwant %s", got, test.want)
			}
		})
	}
}

// bomb returns a small file that aliases expand to 10^9 strings.
func bomb() string {
	var b strings.Builder
	b.WriteString("a: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := range 8 {
		before, next := string(rune('0'+i)), string(rune('1'+i))
		b.WriteString("b" + next + ": &a" + next + " [" + strings.TrimSuffix(strings.Repeat("*a"+before+",", 10), ",") + "]\n")
	}
	return b.String()
}

func TestFilesWithoutSettings(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "blank": "\n\n", "comments": "# nothing\n", "null": "~\n", "document mark": "---\n", "empty map": "{}\n",
		"byte order mark": "\ufeff", "nothing below": "roster:\nlimits:\n  hypothesis_slate:\nquestion:\npriority: ~\n", "CRLF": "question:\r\nvia:\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range load(t, Options{Dir: project(t, text)}).Values() {
				if v.Origin.Level != roster.Default {
					t.Errorf("%s: got origin %s", v.Key, v.Origin)
				}
			}
		})
	}
}

// All mistakes of both files are reported together, up to a limit for each file.
func TestAllFaultsAreReported(t *testing.T) {
	dir := project(t, "viaa: mail\nquestion: 1\n")
	session := write(t, dir, "s.yaml", "contxt: C\n")
	_, err := Load(Options{Dir: dir, SessionConfig: session})
	if got := strings.Count(details(t, err), "\n") + 1; got != 3 {
		t.Errorf("got %d faults:\n%s", got, details(t, err))
	}
	_, err = Load(Options{Dir: project(t, strings.Repeat("- ", 3)+"x\n")})
	if err == nil {
		t.Error("a list was accepted")
	}
	var many strings.Builder
	for range 5000 {
		many.WriteString("k" + strings.Repeat("x", many.Len()%97) + ": v\n")
	}
	_, err = Load(Options{Dir: project(t, many.String())})
	all := fault.All(err)
	if last := all[len(all)-1].Error(); len(all) != 21 || !strings.Contains(last, "4980 more mistakes") {
		t.Errorf("got %d faults, the last one %s", len(all), last)
	}
}

func TestInvalidNumbersAreRefused(t *testing.T) {
	for _, k := range keyTable(&Config{}) {
		f, ok := k.form.(scalar)
		if !ok || f.noun == "" && k.path != "session.quorum" {
			continue
		}
		for _, given := range []string{"", "-5", "99999999999999999999", "NaN", "Inf", "1e3", " 5", "5 ", "+5", "0x10", "1_000", "1,000"} {
			if v, detail, hint := f.parse([]string{given}); detail == "" || hint == "" || strings.Contains(detail, "\n") {
				t.Errorf("%s accepts %q as %v (%q, %q)", k.path, given, v, detail, hint)
			}
		}
	}
	if _, detail, _ := intUpTo(mostRounds).parse([]string{"1001"}); detail == "" {
		t.Error("1001 rounds are accepted")
	}
}
