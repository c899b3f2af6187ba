package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The pages about patches, stalemates and loops show real output, from a copy of one
// example or of all examples.
func TestPagesShowRealOutput(t *testing.T) {
	for name, copied := range map[string]struct{ from, to string }{
		"patch":     {"examples/patch", ""},
		"stalemate": {"examples/stuck", ""},
		"loops":     {"examples", "examples"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(filepath.Join(dir, copied.to), os.DirFS(filepath.Join("..", "..", copied.from))); err != nil {
				t.Fatal(err)
			}
			showsRealOutput(t, filepath.Join("..", "..", "docs", name+".md"), dir)
		})
	}
}
