package artifact_test

import (
	"os"
	"path/filepath"
	"testing"
)

// readSeeds returns the golden files and some files that resemble artifacts.
func readSeeds(t testing.TB) [][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.[mj]*") // both formats
	if err != nil {
		t.Fatal(err)
	}
	seeds := [][]byte{
		[]byte(`{"metadata":{"session_id":"x"},"sections":{}}`),
		[]byte("## 1. Research Thread\n**Statement**: x\n"),
		[]byte("---\nsession_id: [\n---\n## 3. Predictions Table\n| ID | Condition | H1 |\n|---|---|---|\n| P1 | x | N/A |\n"),
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, data)
	}
	return seeds
}
