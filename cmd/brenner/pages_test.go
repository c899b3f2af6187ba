package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The pages about patches, stalemates and loops show what the program prints in a copy
// of an example, or beside a copy of all of them.
func TestPagesShowRealOutput(t *testing.T) {
	for name, copied := range map[string]struct{ from, to string }{
		"patch":     {"examples/patch", ""},
		"stalemate": {"examples/stuck", ""},
		"loops":     {"examples", "examples"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.CopyFS(filepath.Join(folder, copied.to), os.DirFS(filepath.Join("..", "..", copied.from))); err != nil {
				t.Fatal(err)
			}
			showsRealOutput(t, filepath.Join("..", "..", "docs", name+".md"), folder)
		})
	}
}
