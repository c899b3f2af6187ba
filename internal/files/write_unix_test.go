//go:build unix

package files_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
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

// Temporary files of killed processes are removed by the next that writes to the directory, unless
// another one is writing there. Files of other names, and those of living processes, are not.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	want := map[string]string{"file": "new"}
	for _, name := range []string{".file.7", ".file.7x.brenner-tmp", ".file..brenner-tmp", "file.7.brenner-tmp", ".7.brenner-tmp.bak", ".7file.brenner-tmp"} {
		put(t, filepath.Join(dir, name), "kept")
		want[name] = "kept"
	}
	left := func() {
		put(t, filepath.Join(dir, ".file.123.brenner-tmp"), "left")
		put(t, filepath.Join(dir, "..gitignore.4.brenner-tmp"), "left")
	}
	left()
	if err := files.Replace(filepath.Join(dir, "file"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, want)
	left()
	files.Sweep(dir)
	holds(t, dir, want)

	seen := ""
	err := files.ReplaceOn(watchedDisk{renaming: func(from string) {
		seen = filepath.Base(from)
		files.Sweep(dir)
		if err := files.Create(filepath.Join(dir, "other"), nil); err != nil {
			t.Error(err)
		}
	}}, filepath.Join(dir, "file"), []byte("newest"))
	if err != nil || !strings.HasSuffix(seen, ".brenner-tmp") {
		t.Fatal(seen, err)
	}
	want["file"], want["other"] = "newest", ""
	holds(t, dir, want)
}

// Without the lock of the directory, a temporary file has a name that is never swept.
func TestUnlockedTemp(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := files.AwaitLock(f); err != nil {
		t.Fatal(err)
	}
	err = files.ReplaceOn(watchedDisk{renaming: func(from string) {
		if strings.HasSuffix(from, ".brenner-tmp") {
			t.Error(from)
		}
	}}, filepath.Join(dir, "file"), []byte("new"))
	if err != nil {
		t.Fatal(err)
	}
	holds(t, dir, map[string]string{"file": "new"})
}

// watchedDisk calls a function before each rename.
type watchedDisk struct {
	files.RealDisk
	renaming func(from string)
}

func (d watchedDisk) Rename(from, to string) error {
	d.renaming(from)
	return d.RealDisk.Rename(from, to)
}
