//go:build unix

package sqlite

import (
	"os"
	"path/filepath"
	"testing"
)

// Only the owner may read the store's files.
func TestStoreFileIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep")
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	names, err := filepath.Glob(filepath.Join(dir, FileName+"*"))
	if err != nil || len(names) < 2 {
		t.Errorf("%v, %v", names, err)
	}
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("%v remains, %v", left, err)
	}
}

// The same holds for the backup of an upgrade, even after an interrupted one.
func TestBackupIsPrivate(t *testing.T) {
	dir := fill(t)
	left := filepath.Join(dir, backupName()+".partial")
	if err := os.WriteFile(left, []byte("half a copy"), 0o644); err != nil { //nolint:gosec // the test needs a file that others can read
		t.Fatal(err)
	}
	openIn(t, dir, future(goodStep))
	names := backups(t, dir)
	if len(names) != 1 {
		t.Fatal(names)
	}
	info, err := os.Stat(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("%s: %v", names[0], mode)
	}
}
