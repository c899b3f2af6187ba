//go:build unix

package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"brenner/internal/files"
)

// Others cannot read it, even where they could read what was there before.
func TestOthersCannotReadIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("open"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := files.Write(path, []byte("secret")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %s", err, info.Mode())
	}
}
