//go:build unix

package files_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"brenner/internal/files"
)

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// Other users cannot read a file written by Write, even if they could read the old one.
func TestWriteIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	put(t, path, "open")
	if err := files.Write(path, []byte("secret")); err != nil {
		t.Fatal(err)
	}
	if got := mode(t, path); got != 0o600 {
		t.Errorf("got mode %s", got)
	}
}

// Replace keeps the mode of a file. A new file has the mode that the umask allows.
func TestReplaceKeepsMode(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	put(t, path, "old")
	for _, want := range []os.FileMode{0o755, 0o640, 0o200} {
		if err := os.Chmod(path, want); err != nil {
			t.Fatal(err)
		}
		if err := files.Replace(path, []byte("new")); err != nil {
			t.Fatal(err)
		}
		if got := mode(t, path); got != want {
			t.Errorf("got mode %s, want %s", got, want)
		}
	}
	usual := filepath.Join(dir, "usual")
	if err := os.WriteFile(usual, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(string, []byte) error{"Replace": files.Replace, "Create": files.Create} {
		path := filepath.Join(dir, name)
		if err := write(path, nil); err != nil {
			t.Fatal(err)
		}
		if got, want := mode(t, path), mode(t, usual); got != want {
			t.Errorf("%s: got mode %s, want %s", name, got, want)
		}
	}
}

// A pipe is written to, and stays a pipe.
func TestReplaceWritesToPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		data := []byte("cannot open the pipe")
		if f, err := os.Open(path); err == nil {
			data, _ = io.ReadAll(f)
			_ = f.Close()
		}
		got <- string(data)
	}()
	if err := files.Replace(path, []byte("text")); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "text" {
		t.Errorf("got %q", text)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("got %v, %v, want a pipe", info, err)
	}
}
