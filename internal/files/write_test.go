package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"brenner/internal/files"
)

// names gives what is in a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// A file is replaced as a whole, and nothing is left beside it.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"one", "another one", ""} {
		if err := files.Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil || string(data) != text || len(names(t, dir)) != 1 {
			t.Errorf("%v, %q beside %v", err, data, names(t, dir))
		}
	}
}

// What cannot be replaced stays, and nothing is left beside it.
func TestWhatCannotBeReplacedStays(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "folder", "kept"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := files.Write(filepath.Join(dir, "folder"), []byte("text")); err == nil {
		t.Error("a folder was replaced")
	}
	if got := names(t, dir); len(got) != 1 || got[0] != "folder" {
		t.Errorf("%v is left", got)
	}
	if err := files.Write(filepath.Join(dir, "nowhere", "file"), nil); err == nil {
		t.Error("a file was written into a folder that is not there")
	}
}
