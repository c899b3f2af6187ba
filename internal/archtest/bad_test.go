package archtest

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// badTable is the table for testdata/bad. Its deliberate mistakes are listed in TestTable.
func badTable() Table {
	return Table{
		{Path: "internal/fault", Kind: Pure},
		{Path: "codes", Kind: Pure, Needs: "internal/fault"},
		{Path: "good", Kind: Pure, Needs: "internal/fault"},
		{Path: "onlytests", Kind: Pure},
		{Path: "imports", Kind: Pure, Needs: "internal/fault"},
		{Path: "outside", Kind: Pure, Outside: "example.com/allowed"},
		{Path: "calls", Kind: Pure, Outside: "github.com/google/uuid"},
		{Path: "concurrent", Kind: Pure},
		{Path: "order", Kind: Pure},
		{Path: "variables", Kind: Shell},
		{Path: "initial", Kind: Shell},
		{Path: "common", Kind: Shell},
		{Path: "undocumented", Kind: Shell},
		{Path: "hidden", Kind: Pure},
		{Path: "shell", Kind: Shell, Needs: "internal/fault"},
		{Path: "unlisted", Kind: Shell},
		{Path: "store/sqlite", Kind: Shell},
		{Path: "project/storage", Kind: Shell, Needs: "store/sqlite"},
		{Path: "project", Kind: Shell, Needs: "store/sqlite"},
		{Path: "project/below", Kind: Support},
		{Path: "cmd/face", Kind: Shell, Needs: "store/sqlite"},
	}
}

// TestEveryViolationIsFound checks a module that breaks each rule: the findings must match
// its `// want` comments.
func TestEveryViolationIsFound(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", "bad")
	tree, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range Check(tree, badTable()) {
		got = append(got, fmt.Sprintf("%s:%d %s", f.Pos.Filename, f.Pos.Line, f.Rule))
	}
	want := wanted(t, dir)
	slices.Sort(got)
	for _, w := range minus(want, got) {
		t.Error("not found: ", w)
	}
	for _, g := range minus(got, want) {
		t.Error("unexpected: ", g)
	}
	for _, rule := range []string{
		ruleDirection, ruleImport, ruleCall, ruleGoroutine, ruleOrder, ruleVariable,
		ruleInit, ruleName, ruleDoc, ruleHidden, ruleCode, ruleFace, ruleStore,
	} {
		if !slices.ContainsFunc(want, func(w string) bool { return strings.HasSuffix(w, " "+rule) }) {
			t.Errorf("testdata/bad has no case for the rule %q", rule)
		}
	}
}

// wanted reads the comments `// want rule…`.
func wanted(t *testing.T, dir string) []string {
	t.Helper()
	var want []string
	tree := os.DirFS(dir)
	err := fs.WalkDir(tree, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") {
			return err
		}
		f, err := tree.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for n := 1; lines.Scan(); n++ {
			_, rules, _ := strings.Cut(lines.Text(), "// want ")
			for rule := range strings.FieldsSeq(rules) {
				want = append(want, fmt.Sprintf("%s:%d %s", name, n, rule))
			}
		}
		return lines.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	return want
}

// minus returns the elements of a that are not in b, counting repetitions.
func minus(a, b []string) []string {
	b = slices.Clone(b)
	var rest []string
	for _, s := range a {
		if i := slices.Index(b, s); i >= 0 {
			b = slices.Delete(b, i, i+1)
			continue
		}
		rest = append(rest, s)
	}
	return rest
}

func TestTable(t *testing.T) {
	t.Parallel()
	tree := &Tree{Packages: []*Package{{Path: "a"}, {Path: "b"}, {Path: "c"}}}
	sound := Table{{Path: "a", Kind: Pure}, {Path: "b", Kind: Pure, Needs: "a"}, {Path: "c", Needs: "a b"}}
	for _, test := range []struct {
		name  string
		table Table
		want  string
	}{
		{"sound", sound, ""},
		{"missing row", sound[:2], `package "c" has no row`},
		{"row without package", append(slices.Clone(sound), Row{Path: "d"}), `"d" has no package`},
		{"two rows", append(Table{sound[0]}, sound...), `"a" has two rows`},
		{"unknown need", append(Table{{Path: "a", Kind: Pure, Needs: "x"}}, sound[1:]...), `"x", which has no row`},
		{"pure needs shell", Table{{Path: "a", Kind: Pure, Needs: "c"}, sound[1], sound[2]}, `"c", which is not pure`},
		{"support in shell", Table{{Path: "a", Kind: Support}, {Path: "b"}, {Path: "c", Needs: "a"}}, `"a", which is for tests only`},
		{"support in pure", Table{{Path: "a", Kind: Support}, {Path: "b"}, {Path: "c", Kind: Pure, Needs: "a"}}, `"a", which is for tests only`},
		{"upward", Table{{Path: "b", Kind: Pure, Needs: "a"}, sound[0], sound[2]}, `"a", which is upward`},
		{"support in support", Table{{Path: "a", Kind: Support}, {Path: "b"}, {Path: "c", Kind: Support, Needs: "a"}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found := checkTable(tree, test.table)
			switch {
			case test.want == "" && len(found) > 0:
				t.Errorf("found %v", found)
			case test.want != "" && (len(found) != 1 || !strings.Contains(found[0].Text, test.want)):
				t.Errorf("found %v, want one with %s", found, test.want)
			}
		})
	}
}

// Packages below internal/ import only each other: their room is the lowest, and imports
// that lead upward are findings.
func TestInternalImportsOnlyInternal(t *testing.T) {
	t.Parallel()
	table := brenner()
	if lowest := table.rooms()[0]; lowest != "internal" {
		t.Errorf("the lowest room is %s, want internal", lowest)
	}
	for i, r := range table {
		if room(r.Path) != "internal" {
			continue
		}
		changed := slices.Clone(table)
		changed[i].Needs += " merge"
		want := fmt.Sprintf("the row of %q allows %q, which is upward", r.Path, "merge")
		found := checkTable(load(t), changed)
		if !slices.ContainsFunc(found, func(f Finding) bool { return strings.HasPrefix(f.Text, want) }) {
			t.Errorf("%s imports merge: found %v, want %s", r.Path, found, want)
		}
	}
}

func TestTableKeepsRoomsTogether(t *testing.T) {
	t.Parallel()
	tree := &Tree{Packages: []*Package{{Path: "a"}, {Path: "a/x"}, {Path: "b"}}}
	found := checkTable(tree, Table{{Path: "a"}, {Path: "b"}, {Path: "a/x"}})
	if len(found) != 1 || !strings.Contains(found[0].Text, `the rows of room "a" are not adjacent`) {
		t.Errorf("found %v, want one about the room a", found)
	}
}

func TestTopLevelDirectoriesAreCounted(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"go.mod": {}, "a0/.keep": {}}
	for _, name := range []string{".git", ".tools", "bin", "dist", "web", "mcptools", "telemetry", "engine"} {
		tree[name+"/file"] = &fstest.MapFile{}
	}
	for i := range 21 {
		tree[fmt.Sprintf("a%d/file", i+1)] = &fstest.MapFile{}
	}
	if err := checkTop(tree); err != nil {
		t.Errorf("22 directories, and those that are not counted: %v", err)
	}
	tree["extra/file"] = &fstest.MapFile{}
	if err := checkTop(tree); err == nil || !strings.Contains(err.Error(), "23 top-level directories, want at most 22") {
		t.Errorf("23 directories: %v", err)
	}
}

// module writes files into a new directory and returns it.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPackagesHaveAtMost8000Lines(t *testing.T) {
	t.Parallel()
	const head = "// Package big is big.\npackage big\n"
	empty := func(n int) string { return strings.Repeat("\n", n) }
	for lines, want := range map[int]string{8000: "", 8001: "package big has 8001 lines without tests; at most 8000"} {
		tree, err := Load(module(t, map[string]string{
			"go.mod":            "module big\n",
			"a.go":              head + empty(5000-2),
			"b.go":              head + empty(2000-2),
			"hidden_plan9.go":   head + empty(lines-7000-2),
			"a_test.go":         head + empty(9000),
			"hidden_js_test.go": head + empty(9000),
		}))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range Check(tree, Table{{Path: ""}}) {
			got = append(got, f.Text)
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%d lines: found %q, want %q", lines, got, want)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	broken := module(t, map[string]string{"go.mod": "module broken\n", "a.go": "package broken\n\nvar a = b\n"})
	if _, err := Load(broken); err == nil || !strings.Contains(err.Error(), "undefined: b") {
		t.Errorf("module that does not compile: got %v", err)
	}
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("a directory without a module was loaded")
	}
}
