package archtest

import (
	"os"
	"path/filepath"
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
