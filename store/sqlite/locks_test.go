//go:build unix

package sqlite

import (
	"os"
	"testing"

	"brenner/store"
)

// Releasing a lock removes its file, even one left by a killed process.
func TestReleaseRemovesTheLockFile(t *testing.T) {
	t.Parallel()
	s := openIn(t, t.TempDir(), Options{})
	for _, left := range []string{"", `{"pid":1,"host":"elsewhere"}`} {
		if left != "" {
			if err := os.WriteFile(s.locks.file("a"), []byte(left), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		lease, err := s.Hold("a", store.Holder{PID: 7})
		if err != nil {
			t.Fatal(err)
		}
		if who, held, err := s.HolderOf("a"); err != nil || !held || who.PID != 7 {
			t.Errorf("%v, %v, %v", who, held, err)
		}
		if err := lease.Release(); err != nil {
			t.Fatal(err)
		}
		if files, err := os.ReadDir(s.locks.dir); err != nil || len(files) > 0 {
			t.Errorf("%v remain, %v", files, err)
		}
	}
}

// A lock on a file that another process has removed meanwhile does not count.
func TestLockOfARemovedFileDoesNotCount(t *testing.T) {
	t.Parallel()
	s := openIn(t, t.TempDir(), Options{})
	lease, err := s.Hold("a", store.Holder{PID: 7})
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.Open(s.locks.file("a"))
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if !s.locks.names("a", old) {
		t.Error("the existing file does not have its name")
	}
	if err := lease.Release(); err != nil {
		t.Fatal(err)
	}
	if s.locks.names("a", old) {
		t.Error("a removed file still has its name")
	}
	again, err := s.Hold("a", store.Holder{PID: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Release() }()
	if s.locks.names("a", old) {
		t.Error("a removed file has the name of a new one")
	}
}

// The locks that processes hold are listed, not what killed processes left.
func TestHolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, other := openIn(t, dir, Options{}), openIn(t, dir, Options{})
	if held, err := other.Holders(t.Context()); err != nil || len(held) > 0 {
		t.Errorf("nothing is held: %v, %v", held, err)
	}
	for _, name := range []string{"b", "a"} {
		if _, err := s.Hold(name, store.Holder{PID: 7, Doing: name}); err != nil {
			t.Fatal(err)
		}
	}
	for _, left := range []string{s.locks.file("killed"), s.locks.dir + "/other"} {
		if err := os.WriteFile(left, []byte(`{"pid":1,"host":"elsewhere"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	held, err := other.Holders(t.Context())
	if err != nil || len(held) != 2 || held[0].Name != "a" || held[1].Name != "b" || held[1].By.Doing != "b" {
		t.Errorf("got %v, %v; want a and b", held, err)
	}
}
