package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The pages about patches and stalemates show what the program prints in a copy of an
// example.
func TestPagesShowRealOutput(t *testing.T) {
	for _, name := range []string{"patch", "stalemate"} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			example := map[string]string{"patch": "patch", "stalemate": "stuck"}[name]
			if err := os.CopyFS(folder, os.DirFS(filepath.Join("..", "..", "examples", example))); err != nil {
				t.Fatal(err)
			}
			showsRealOutput(t, filepath.Join("..", "..", "docs", name+".md"), folder)
		})
	}
}
