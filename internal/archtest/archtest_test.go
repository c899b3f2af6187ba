package archtest

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

var update = flag.Bool("update", false, "draw the pictures anew")

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

func TestCodesAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "codes.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range CheckCodesPage(string(page), Codes(load(t))) {
		t.Error("docs/codes.md: ", wrong)
	}
}

// Every arrow of the picture is one of the table: a picture that is not held to anything
// is the first to be wrong.
func TestThePictureIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	needs := make(map[string][]string)
	for _, row := range brenner() {
		needs[row.Path] = strings.Fields(row.Needs)
	}
	arrows := 0
	for line := range strings.Lines(string(page)) {
		parts := strings.Split(line, "←")
		for i := 1; i < len(parts); i++ {
			for _, of := range packages(parts[i-1]) {
				for _, in := range packages(parts[i]) {
					arrows++
					if of != "all of these" && !slices.Contains(needs[in], of) {
						t.Errorf("%s does not import %s: %s", in, of, strings.TrimSpace(line))
					}
				}
			}
		}
	}
	if arrows == 0 {
		t.Error("there is no picture")
	}
}

func packages(list string) []string {
	names := strings.Split(list, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	return names
}

// TestTheHouseIsDrawnAsItIs: `go test ./internal/archtest -update` draws it anew.
func TestTheHouseIsDrawnAsItIs(t *testing.T) {
	t.Parallel()
	file := filepath.Join(root, "docs", "pictures", "house.svg")
	want := House(brenner())
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("docs/pictures/house.svg is not the table's (%v): run `go test ./internal/archtest -update`", err)
	}
}

// In the house everybody stands above all that they need.
func TestNobodyStandsBelowWhatItNeeds(t *testing.T) {
	t.Parallel()
	at := make(map[string]int)
	for i, f := range floorsOf(brenner()) {
		for _, name := range slices.Concat(f.pure, f.shell) {
			at[name] = i + 1
		}
	}
	for _, row := range brenner() {
		for need := range strings.FieldsSeq(row.Needs) {
			if row.Kind != Support && (at[need] == 0 || at[need] >= at[row.Path]) {
				t.Errorf("%s stands on floor %d, and %s, which it needs, on %d", row.Path, at[row.Path], need, at[need])
			}
		}
	}
}
