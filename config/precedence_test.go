package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/govern/policy"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/store/record"
)

// sample returns a value of a key for the i-th layer, as written in YAML (in flow style,
// which is also JSON, to compare it with shown values) and in a variable or a flag.
func sample(k key, i int) (inFile, inText string) {
	switch {
	case k.path == "roster.preset" || k.path == "roster.defaultPreset":
		id := roster.BuiltIn()[i%2].ID
		return `"` + id + `"`, id
	case k.path == "roster.mode":
		mode := string(roster.AllModes()[(i+1)%3])
		return `"` + mode + `"`, mode
	case k.path == "session.quorum":
		return fmt.Sprintf(`"%d"`, i+1), fmt.Sprint(i + 1)
	case k.path == "store.people":
		role := policy.DefaultAccess().Roles()[i]
		return `"` + role + `"`, role
	case k.path == "store.unattended":
		kinds := record.BuiltInTypes().Names(nil)
		return fmt.Sprintf(`[%q]`, kinds[i]), kinds[i]
	case strings.HasSuffix(k.path, ".min"), k.path == "session.hypotheses":
		return fmt.Sprint(i), fmt.Sprint(i)
	}
	switch k.builtIn.(type) {
	case string:
		text := sampleText(k, i)
		return `"` + text + `"`, text
	case int:
		return fmt.Sprint(10 + i), fmt.Sprint(10 + i)
	case float64:
		return fmt.Sprintf("0.%d", i+1), fmt.Sprintf("0.%d", i+1)
	case bool:
		return fmt.Sprint(i%2 == 0), fmt.Sprint(i%2 == 0)
	case []string:
		a, b := fmt.Sprintf("A%d", i), fmt.Sprintf("b%d", i)
		if l, _ := k.form.(list); len(l.words) > 0 {
			a, b = l.words[i], l.words[i+1]
		}
		return fmt.Sprintf(`[%q,%q]`, a, b), a + ", " + b
	case []Model:
		return fmt.Sprintf(`[{"id":"Id%d","model":"Model %d"}]`, i, i), ""
	case []Program:
		return fmt.Sprintf(`[{"command":["run","-%d"],"program":"Program %d"}]`, i, i), ""
	case []Person:
		return fmt.Sprintf(`[{"email":"a@example.org","name":"Person %d"}]`, i), ""
	case []Role:
		return fmt.Sprintf(`[{"read":["paper_note"],"role":"role_%d"}]`, i), ""
	case []roster.Preset:
		return fmt.Sprintf(`[{"entries":[{"role":"test_designer"}],"id":"Same","name":"Name %d"}]`, i), ""
	default:
		return fmt.Sprintf(`[{"agentName":"Agent%d"}]`, i), ""
	}
}

// sampleText returns the i-th string that the form of a key accepts.
func sampleText(k key, i int) string {
	words := map[string][]string{
		"via": Vias(), "session.flow": {flow.FlowParallel, flow.FlowStaged}, "scopes.mode": {scopesDefault, scopesStrict},
	}[k.path]
	if len(words) > 0 {
		return words[i%len(words)]
	}
	for _, text := range []string{
		fmt.Sprintf("Text, of %d", i), fmt.Sprintf("TOKEN_%d", i), fmt.Sprintf("http://localhost:%d/v1", 8000+i),
		fmt.Sprintf("%d.5", i+1), fmt.Sprintf("%dm", i+1),
		fmt.Sprintf("postgres://db.example/research?project=cells_%d", i),
		fmt.Sprintf("engine.example:%d", 7000+i),
	} {
		if _, fits := k.form.(scalar).value(text); fits {
			return text
		}
	}
	return ""
}

// block returns a key in YAML, with each part of its path on its own line.
func block(path, value string) (text string, line int) {
	var b strings.Builder
	parts := strings.Split(path, ".")
	for i, part := range parts {
		b.WriteString("\n" + strings.Repeat("  ", i) + part + ":")
	}
	return b.String() + " " + value + "\n", 1 + len(parts)
}

// Every layer overrides those below it, key by key, in every combination of layers, and the
// origin matches the value.
func TestLayerPrecedence(t *testing.T) {
	root := repository(t)
	for n, k := range keyTable(&Config{}) {
		for mask := range 1 << 4 {
			if k.variable() == "" && mask&0b0010 != 0 || isObjects(k) && mask&0b0001 != 0 {
				continue
			}
			if strings.HasPrefix(k.path, "endpoints.") && mask&0b1100 == 0b1100 {
				continue // see TestSessionsOnlyNarrowHosts
			}
			dir := filepath.Join(root, fmt.Sprint(n), fmt.Sprint(mask))
			o := Options{Dir: dir}
			inFile := func(i int) string { s, _ := sample(k, i); return s }
			_, line := block(k.path, "")
			want := string(artifact.Canonical(valueOf(k.builtIn))) + " (built-in)"
			text, _ := block(k.path, inFile(3))
			if mask&0b1000 == 0 {
				text = ""
			} else {
				want = fmt.Sprintf("%s (brenner.yaml, line %d)", inFile(3), line)
			}
			write(t, dir, FileName, text)
			if mask&0b0100 != 0 {
				text, _ := block(k.path, inFile(2))
				o.SessionConfig = write(t, dir, "session.yaml", text)
				want = fmt.Sprintf("%s (%s, line %d)", inFile(2), o.SessionConfig, line)
			}
			if mask&0b0010 != 0 {
				_, value := sample(k, 1)
				o.Environ = []string{k.variable() + "=" + value}
				want = fmt.Sprintf("%s (%s)", inFile(1), k.variable())
			}
			if mask&0b0001 != 0 {
				_, value := sample(k, 0)
				o.Flags = []Flag{{Key: k.path, Name: "--flag", Values: []string{value}}}
				want = inFile(0) + " (--flag)"
			}
			if got := shownValue(t, load(t, o), k.path); got != want {
				t.Errorf("%s, layers %04b:\ngot  %s\nwant %s", k.path, mask, got, want)
			}
		}
	}
}

func isObjects(k key) bool {
	_, ok := k.form.(objects)
	return ok
}

// A key in one layer does not affect its neighbours in other layers.
func TestLayersKeepNeighbours(t *testing.T) {
	dir := project(t, "limits: {hypothesis_slate: {min: 1, max: 9}}\nroster: {mode: unified, name: P}\n")
	session := write(t, dir, "s.yaml", "limits: {hypothesis_slate: {max: 8}}\nroster: {name: S}\n")
	c := load(t, Options{
		Dir: dir, SessionConfig: session, Environ: []string{"BRENNER_LIMITS_PREDICTIONS_TABLE_MAX=7"},
		Flags: []Flag{{Key: "limits.anomaly_register.max", Name: "--x", Values: []string{"6"}}},
	})
	for key, want := range map[string]string{
		"limits.hypothesis_slate.min":  "1 (brenner.yaml, line 1)",
		"limits.hypothesis_slate.max":  "8 (" + session + ", line 1)",
		"limits.predictions_table.min": "3 (built-in)",
		"limits.predictions_table.max": "7 (BRENNER_LIMITS_PREDICTIONS_TABLE_MAX)",
		"limits.anomaly_register.max":  "6 (--x)",
		"roster.mode":                  `"unified" (brenner.yaml, line 2)`,
		"roster.name":                  `"S" (` + session + ", line 2)",
		"roster.preset":                `"" (built-in)`,
	} {
		same(t, shownValue(t, c, key), want)
	}
}

func TestPresetsAreJoinedByID(t *testing.T) {
	const entry = "entries: [{role: test_designer}]"
	dir := project(t, "roster: {defaultPreset: b, presets: [{id: a, name: P, "+entry+"}, {id: b, name: P, "+entry+"}]}\n")
	session := write(t, dir, "s.yaml", "roster: {presets: [{id: a, name: S, "+entry+"}]}\n")
	var got []string
	for _, p := range load(t, Options{Dir: dir, SessionConfig: session}).Presets {
		got = append(got, p.ID+" "+p.Name)
	}
	same(t, got, []string{"a S", "b P", "default-3-agent Default 3-Agent Setup", "hypothesis-critique Hypothesis and Critique"})
}

// The layers of the files are between those of the environment and the presets.
func TestRosterFromAllLayers(t *testing.T) {
	dir := project(t, `
roster:
  defaultPreset: hypothesis-critique
  name: Project
  mode: unified
  entries: [{agentName: A, role: test_designer, program: p, model: p, notes: p}, {agentName: Z, role: test_designer}]
`)
	session := write(t, dir, "s.yaml", "roster: {name: Session, entries: [{agentName: A, program: s, model: s}]}\n")
	environ := []string{"BRENNER_ROSTER_JSON=" + `[{"agentName":"A","model":"e"}]`}
	c := load(t, Options{Dir: dir, SessionConfig: session, Environ: environ})
	env, warnings, err := RosterFromEnvironment(environ)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	flags := roster.Layer{Origin: roster.Origin{Level: roster.Flags, Source: "--to"}, Recipients: []string{"A"}}
	got, err := roster.Resolve(c.RosterInput(append(env, flags)...))
	if err != nil {
		t.Fatal(err)
	}
	o := got.Origins[0]
	same(t, got.Roster.Entries, []roster.Entry{{Agent: "A", Role: roster.TestDesigner, Program: "s", Model: "e", Notes: "p"}})
	same(t, []string{o.Agent.String(), o.Model.String(), o.Program.String(), o.Role.String(), got.Name.String(), got.Mode.String()}, []string{
		"flags: --to", "environment: BRENNER_ROSTER_JSON", "session config: " + session, "project config: brenner.yaml",
		"session config: " + session, "project config: brenner.yaml",
	})
}

func TestEmptyRosterInFile(t *testing.T) {
	c := load(t, Options{Dir: project(t, "roster: {entries: []}\n")})
	if _, err := roster.Resolve(c.RosterInput()); !strings.Contains(fmt.Sprint(err), "Empty roster: at least one entry required") {
		t.Errorf("empty roster: got %v", err)
	}
	c = load(t, Options{Dir: project(t, "roster:\n  entries:\nquestion: Q\n")})
	if len(c.Layers) > 0 {
		t.Errorf("without a roster: got layers %v", c.Layers)
	}
}

// A context belongs to the question beside it.
func TestContextOfReplacedQuestionIsDropped(t *testing.T) {
	both := "question: Why A?\ncontext: About A.\n"
	for name, test := range map[string]struct{ file, question, context, want string }{
		"file":                  {file: both, want: "About A."},
		"another question":      {file: both, question: "Why B?", want: ""},
		"same question":         {file: both, question: "Why A?", want: "About A."},
		"another, with context": {file: both, question: "Why B?", context: "About B.", want: "About B."},
		"context alone":         {file: both, context: "More about A.", want: "More about A."},
		"context for all":       {file: "context: About all.\n", question: "Why B?", want: "About all."},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Dir: project(t, test.file)}
			for key, value := range map[string]string{"question": test.question, "context": test.context} {
				if value != "" {
					o.Flags = append(o.Flags, Flag{Key: key, Name: "--" + key, Values: []string{value}})
				}
			}
			same(t, load(t, o).Context, test.want)
		})
	}
}

// Hosts are the exception to precedence: the session's file can only narrow what the project allows.
func TestSessionsOnlyNarrowHosts(t *testing.T) {
	for name, test := range map[string]struct{ project, session, allowed, only string }{
		"widened":         {"allowed: [a.example]", "allowed: [a.example, far.example]", `["a.example"] (brenner.yaml, line 1)`, "false (built-in)"},
		"narrowed":        {"allowed: [a.example, B.example]", "allowed: [b.example]", `["b.example"] (S, line 1)`, "false (built-in)"},
		"narrowed ports":  {"allowed: [a.example]", `allowed: ["a.example:81"]`, `["a.example:81"] (S, line 1)`, "false (built-in)"},
		"widened ports":   {`allowed: ["a.example:81", "[::1]:9"]`, `allowed: [a.example, "::1"]`, `["[::1]:9","a.example:81"] (brenner.yaml, line 1)`, "false (built-in)"},
		"local":           {"local_only: true", "{local_only: false, allowed: [far.example]}", `["far.example"] (S, line 1)`, "true (brenner.yaml, line 1)"},
		"local elsewhere": {"allowed: [a.example]", "local_only: true", `["a.example"] (brenner.yaml, line 1)`, "true (S, line 1)"},
	} {
		t.Run(name, func(t *testing.T) {
			inBraces := func(s string) string { return "endpoints: {" + strings.Trim(s, "{}") + "}\n" }
			dir := project(t, inBraces(test.project))
			session := write(t, dir, "s.yaml", inBraces(test.session))
			c := load(t, Options{Dir: dir, SessionConfig: session})
			same(t, shownValue(t, c, "endpoints.allowed"), strings.Replace(test.allowed, "S,", session+",", 1))
			same(t, shownValue(t, c, "endpoints.local_only"), strings.Replace(test.only, "S,", session+",", 1))
		})
	}
	dir := project(t, "endpoints: {allowed: [a.example]}\n")
	_, err := Load(Options{Dir: dir, SessionConfig: write(t, dir, "s.yaml", "endpoints: {allowed: [far.example]}\n")})
	if err == nil || !strings.Contains(err.Error(), "endpoints.allowed: brenner.yaml, line 1 allows none of these hosts") {
		t.Error(err)
	}
}
