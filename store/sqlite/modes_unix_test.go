//go:build unix

package sqlite

import (
	"os"
	"path/filepath"
	"testing"
)

// What agents wrote is not for everybody on the machine.
func TestTheFileIsItsOwners(t *testing.T) {
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
		t.Errorf("%v is left, %v", left, err)
	}
}

// Nor is the copy of it that an upgrade makes, whatever was left of one before.
func TestTheCopyBeforeAnUpgradeIsItsOwners(t *testing.T) {
	dir := fill(t)
	left := filepath.Join(dir, FileName+".v2-backup.partial")
	if err := os.WriteFile(left, []byte("half a copy"), 0o644); err != nil { //nolint:gosec // that others can read it is what is tested
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
