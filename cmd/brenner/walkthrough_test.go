package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// docs/walkthrough.md shows what the program prints, from an empty folder on.
func TestWalkthroughShowsRealOutput(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder, bin := t.TempDir(), filepath.Join(t.TempDir(), "brenner")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(root, "docs", "walkthrough.md")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	after := fill(t, string(before), func(command string) string {
		c := exec.Command("sh", "-c", command)
		c.Dir = folder
		c.Env = append(os.Environ(), "PATH="+filepath.Dir(bin)+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, _ := c.CombinedOutput() // a refusal is part of the walk
		return string(out)
	})
	if *update {
		if err := os.WriteFile(file, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if steady(string(before)) != steady(after) {
		t.Errorf("docs/walkthrough.md shows other output than the program prints; `go test ./cmd/brenner -run Walkthrough -update` mends it. It should be:\n%s", after)
	}
}
