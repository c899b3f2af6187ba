package main

import (
	"path/filepath"
	"testing"
)

// docs/walkthrough.md shows what the program prints, from an empty folder on.
func TestWalkthroughShowsRealOutput(t *testing.T) {
	showsRealOutput(t, filepath.Join("..", "..", "docs", "walkthrough.md"), t.TempDir())
}
