package govern_test

import (
	"testing"

	"brenner/govern"

	"pgregory.net/rapid"
)

// TestFileIDsAreIDs checks that every path has an id that a record may have, and no two paths share one.
func TestFileIDsAreIDs(t *testing.T) {
	seen := make(map[string]string)
	for _, path := range []string{"memo.md", "a/b", "a-b", "a b", "sökväg/till/fil.js", "A/b"} {
		id := govern.FileID(path)
		if other, ok := seen[id]; ok {
			t.Errorf("%q and %q have the id %s", path, other, id)
		}
		seen[id] = path
	}
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringN(1, 300, -1).Draw(t, "path")
		if err := govern.CheckID("id", govern.FileID(path)); err != nil {
			t.Fatalf("%q: %v", path, err)
		}
	})
}
