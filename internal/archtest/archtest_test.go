package archtest

import (
	"flag"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

var update = flag.Bool("update", false, "write the generated files")

// loaded reads this module once for all tests.
var loaded = sync.OnceValues(func() (*Tree, error) { return Load(root) })

func load(t *testing.T) *Tree {
	t.Helper()
	tree, err := loaded()
	if err != nil {
		t.Fatalf("the tree must compile before its architecture can be checked: %v", err)
	}
	return tree
}

func TestArchitecture(t *testing.T) {
	t.Parallel()
	for _, f := range Check(load(t), brenner()) {
		if f.Rule != ruleCode {
			t.Error(f)
		}
	}
}

func TestTopLevelDirectories(t *testing.T) {
	t.Parallel()
	if wrong := checkTop(os.DirFS(root)); wrong != nil {
		t.Error(wrong)
	}
}

// What engines need is in modules of their own, below engine.
func TestNoEngineIsLinked(t *testing.T) {
	t.Parallel()
	all, err := list(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		for _, module := range []string{"google.golang.org/grpc", "go.temporal.io/", "brenner/engine"} {
			if strings.HasPrefix(l.ImportPath, module) {
				t.Errorf("a package needs %s", l.ImportPath)
			}
		}
	}
}

func TestCodesAreUnique(t *testing.T) {
	t.Parallel()
	tree := load(t)
	if len(Codes(tree)) == 0 {
		t.Error("no constant of type fault.Code found: the search is broken")
	}
	for _, f := range checkCodes(tree) {
		t.Error(f)
	}
}

// A class that package project does not read has no exit code.
func TestClassesAreRead(t *testing.T) {
	t.Parallel()
	tree := load(t)
	read := make(map[string]bool)
	for _, p := range tree.Packages {
		for _, obj := range p.Info.Uses {
			if f, ok := obj.(*types.Func); ok && p.Path == "project" && f.Name() == "Classes" {
				read[f.Pkg().Path()] = true
			}
		}
	}
	for _, p := range tree.Packages {
		for _, obj := range p.Info.Defs {
			if f, ok := obj.(*types.Func); ok && f.Name() == "Classes" && !read[f.Pkg().Path()] {
				t.Errorf("%s declares classes of codes, and project.ClassOf does not read them", p.Path)
			}
		}
	}
	if len(read) == 0 {
		t.Error("no package declares classes: the search is broken")
	}
}

func TestCodesAreDocumented(t *testing.T) {
	t.Parallel()
	codes := Codes(load(t))
	for _, c := range codes {
		if c.Meaning == "" {
			t.Errorf("%s: %s has no comment behind its declaration", c.Pos, c.Value)
		}
	}
	compare(t, "docs/codes.md", CodesPage(codes))
}

// The list in docs/architecture.md has a line for every package, with its kind; the command
// packages share one.
func TestPackagesAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[Kind]string{Pure: "pure", Shell: "shell", Support: "test"}
	for _, row := range brenner() {
		if strings.HasPrefix(row.Path, "cmd/brenner/cli/") {
			continue
		}
		line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(row.Path) + ` +` + kinds[row.Kind] + ` `)
		if !line.Match(page) {
			t.Errorf("docs/architecture.md does not list %s as %s", row.Path, kinds[row.Kind])
		}
	}
}

// The list of rooms in docs/architecture.md is the table's.
func TestRoomsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want := RoomList(brenner()); !strings.Contains(string(page), "\n```\n"+want+"```\n") {
		t.Errorf("the list of rooms in docs/architecture.md is out of date; it should be:\n%s", want)
	}
}

// repositoryPath matches what looks like a file or directory of this repository in inline code.
var repositoryPath = regexp.MustCompile("`([a-z][a-z0-9_]*(?:/[a-z0-9_.-]+)+)`")

func TestPathsInArchitectureExist(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := repositoryPath.FindAllStringSubmatch(string(page), -1)
	if len(found) == 0 {
		t.Error("no path found in docs/architecture.md: the search is broken")
	}
	for _, match := range found {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(match[1]))); err != nil {
			t.Errorf("docs/architecture.md names %s: %v", match[1], err)
		}
	}
}

func TestHousePictureMatchesTable(t *testing.T) {
	t.Parallel()
	compare(t, "docs/pictures/house.svg", House(brenner()))
}

// scripts/test.sh tests the packages of the list without the race detector.
func TestPackagesWithoutRacesAreListed(t *testing.T) {
	t.Parallel()
	compare(t, "scripts/pure.txt", PureList(brenner()))
}

// compare reports a generated file that differs; -update writes it.
func compare(t *testing.T, name, want string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s is out of date (%v): run `go test ./internal/archtest -update`", name, err)
	}
}

func TestRoomsAreAboveTheirImports(t *testing.T) {
	t.Parallel()
	at := make(map[string]int)
	for i, f := range floorsOf(brenner()) {
		for _, r := range f {
			at[r.name()] = i + 1
		}
	}
	for _, row := range brenner() {
		for need := range strings.FieldsSeq(row.Needs) {
			above, below := room(row.Path), room(need)
			if row.Kind != Support && above != below && (at[below] == 0 || at[below] >= at[above]) {
				t.Errorf("%s is on floor %d, and %s, which it imports, on %d", above, at[above], below, at[below])
			}
		}
	}
}
