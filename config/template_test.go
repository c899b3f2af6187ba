package config

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/roster"
)

var update = flag.Bool("update", false, "rewrite this repository's brenner.yaml")

// The repository's own file is the template with the example of examples/cell-fate.
func TestRepositoryFile(t *testing.T) {
	data, err := os.ReadFile("../examples/cell-fate/base.json")
	if err != nil {
		t.Fatal(err)
	}
	base, err := artifact.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	thread := base.Items(artifact.ResearchThread)[0]
	want := Starter{Question: thread.Text("statement"), Context: thread.Text("context"), Via: ViaRehearsal}
	path := filepath.Join("..", FileName)
	if *update {
		if err := os.WriteFile(path, Template(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, string(got), string(Template(want)))
	c := load(t, Options{Dir: ".."})
	same(t, Starter{c.Question, c.Context, c.Via}, want)
	if want.Question == "" || want.Context == "" || c.DefaultPreset != "default-3-agent" || len(c.Warnings) > 0 {
		t.Errorf("%+v", c)
	}
}

// The template of a new project does not contain this repository's example.
func TestTemplateSetsNoValues(t *testing.T) {
	for _, v := range load(t, Options{Dir: project(t, string(Template(Starter{})))}).Values() {
		if v.Origin.Level != roster.Default && v.Key != "roster.defaultPreset" {
			t.Errorf("%s is set: %s", v.Key, artifact.Canonical(v.Value))
		}
	}
}

// commented finds the commented keys of the template: a line such as "  #mode: x" with its
// lines such as "  #  y".
func commented(lines []string) (blocks [][]int) {
	for i, line := range lines {
		switch text := strings.TrimLeft(line, " "); {
		case !strings.HasPrefix(text, "#") || text == "#" || text == "#\n":
		case strings.HasPrefix(text, "#  "):
			blocks[len(blocks)-1] = append(blocks[len(blocks)-1], i)
		case !strings.HasPrefix(text, "# "):
			blocks = append(blocks, []int{i})
		}
	}
	return blocks
}

func uncomment(lines []string, at ...int) string {
	lines = slices.Clone(lines)
	for _, i := range at {
		lines[i] = strings.Replace(lines[i], "#", "", 1)
	}
	return strings.Join(lines, "")
}

// Every commented key works when uncommented, alone and with all others. Together they are
// all keys, and defaults are shown correctly.
func TestCommentedKeys(t *testing.T) {
	lines := strings.SplitAfter(template, "\n")
	var all []int
	blocks := commented(lines)
	for _, block := range blocks {
		all = append(all, block...)
		text := uncomment(lines, block...)
		c, err := Load(Options{Dir: project(t, text)})
		if err != nil {
			t.Errorf("uncommented %s: %v", lines[block[0]], err)
			continue
		}
		set := slices.ContainsFunc(c.Values(), func(v Value) bool {
			return v.Origin.Line >= block[0]+1 && v.Origin.Line <= block[len(block)-1]+1
		})
		if !set {
			t.Errorf("uncommented %s: sets nothing", lines[block[0]])
		}
	}
	c := load(t, Options{Dir: project(t, uncomment(lines, all...))})
	builtIn := load(t, Options{Dir: repository(t)})
	same(t, c.Scopes, builtIn.Scopes)
	same(t, c.Limits, builtIn.Limits)
	for _, v := range c.Values() {
		if v.Origin.Source != FileName {
			t.Errorf("the template lacks %s", v.Key)
		}
	}
}

// Every variable is in the template, by its name or by its pattern.
func TestVariablesAreDocumented(t *testing.T) {
	for _, k := range keyTable(&Config{}) {
		name := k.variable()
		switch {
		case strings.HasPrefix(k.path, "limits."):
			name = "[BRENNER_LIMITS_<SECTION>_MIN, …_MAX]"
		case strings.HasPrefix(k.path, "scopes.roles."):
			name = "[BRENNER_SCOPES_ROLES_<ROLE>_WRITE, …_ADD, …_KILL_ANYWHERE]"
		case name == "":
			continue
		default:
			name = "[" + name + "]"
		}
		if !strings.Contains(template, name) {
			t.Errorf("the template lacks %s of %s", name, k.path)
		}
	}
}

// Any question is read back unchanged.
func TestTemplateKeepsTexts(t *testing.T) {
	dir := repository(t)
	rapid.Check(t, func(rt *rapid.T) {
		s := Starter{Question: rapid.String().Draw(rt, "question"), Context: rapid.StringMatching(`[ #:'"\n\t\\|>%@&*!-]{0,12}[a-z\n ]{0,9}`).Draw(rt, "context"), Via: ViaMail}
		write(t, dir, FileName, string(Template(s)))
		c, err := Load(Options{Dir: dir})
		if err != nil {
			rt.Fatalf("%+v: %v\n%s", s, err, Template(s))
		}
		if c.Question != s.Question || c.Context != s.Context {
			rt.Fatalf("%q, %q: got %q, %q", s.Question, s.Context, c.Question, c.Context)
		}
	})
}
