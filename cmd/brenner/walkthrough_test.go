package main

import (
	"path/filepath"
	"testing"
)

// docs/walkthrough.md shows real output, starting in an empty directory.
func TestWalkthroughShowsRealOutput(t *testing.T) {
	showsRealOutput(t, filepath.Join("..", "..", "docs", "walkthrough.md"), t.TempDir())
}
