package archtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

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
