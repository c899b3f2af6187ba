package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"brenner/internal/files"
)

// Writers hold a lock alone; readers share it.
func TestTryLock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	try := func(f *os.File, exclusive, want bool) {
		t.Helper()
		if got, err := files.TryLock(f, exclusive); err != nil || got != want {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	}
	a, b, c := open(), open(), open()
	try(a, false, true)
	try(b, false, true)
	try(c, true, false)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	try(c, true, false)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := files.AwaitLock(c); err != nil {
		t.Error(err)
	}
	try(open(), false, false)
}

func TestAwaitLockOfClosedFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := files.AwaitLock(f); err == nil {
		t.Error("locked a closed file")
	}
}
