//go:build unix

package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"brenner/store"
)

// A store reached through a symbolic link has the same locks.
func TestSymlinkedStoreSharesLocks(t *testing.T) {
	t.Parallel()
	dir, link := t.TempDir(), t.TempDir()
	one := openIn(t, dir, Options{})
	if err := os.Symlink(one.file.Path, filepath.Join(link, FileName)); err != nil {
		t.Fatal(err)
	}
	other := openIn(t, link, Options{})
	lease, err := one.Hold("RS-20260101-ab", store.Holder{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = other.Hold("RS-20260101-ab", store.Holder{PID: 2})
	wantFault(t, err, store.Held, "held by process 1")
	if err := lease.Release(); err != nil {
		t.Error(err)
	}
	asked := ""
	network := func(dir string) (string, error) { asked = dir; return "NFS", nil }
	_, err = Open(t.Context(), link, Options{Network: network})
	wantFault(t, err, store.Unsupported, "NFS")
	if want, err := filepath.EvalSymlinks(dir); err != nil || asked != want {
		t.Errorf("checked the file system of %s, want %s: %v", asked, want, err)
	}
}

// A dangling link may point to an unmounted disk, so no store is created.
func TestDanglingSymlink(t *testing.T) {
	t.Parallel()
	dir, gone := t.TempDir(), filepath.Join(t.TempDir(), FileName)
	if err := os.Symlink(gone, filepath.Join(dir, FileName)); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {ReadOnly: true}} {
		_, err := Open(t.Context(), dir, o)
		wantFault(t, err, store.Damaged, "dangling symbolic link")
	}
	if exists(gone) {
		t.Error("a store was created")
	}
}
