package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"brenner/internal/fault"
	"brenner/internal/files"
)

// holds checks that a directory has exactly the files of a map, with their content.
func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if data, err := os.ReadFile(filepath.Join(dir, e.Name())); err != nil || string(data) != want[e.Name()] {
			t.Errorf("%s: got %q, %v, want %q", e.Name(), data, err, want[e.Name()])
		}
	}
	if len(names) != len(want) {
		t.Errorf("got the files %v, want %v", names, want)
	}
}

// A file is replaced atomically, and no other file is left.
func TestWriteAndReplace(t *testing.T) {
	for name, write := range map[string]func(string, []byte) error{"Write": files.Write, "Replace": files.Replace} {
		dir := t.TempDir()
		for _, text := range []string{"one", "another one", ""} {
			if err := write(filepath.Join(dir, "file"), []byte(text)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			holds(t, dir, map[string]string{"file": text})
		}
	}
}

// A directory is not replaced, and no other file is left.
func TestWriteAndReplaceKeepDirectory(t *testing.T) {
	for name, write := range map[string]func(string, []byte) error{"Write": files.Write, "Replace": files.Replace} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "directory", "kept"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := write(filepath.Join(dir, "directory"), []byte("text")); err == nil {
			t.Errorf("%s: replaced a directory", name)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 || entries[0].Name() != "directory" {
			t.Errorf("%s: left %v, %v", name, entries, err)
		}
		if err := write(filepath.Join(dir, "nowhere", "file"), nil); err == nil {
			t.Errorf("%s: wrote into a missing directory", name)
		}
	}
}

// Replace follows a link, also to a file that does not exist; Write replaces the link.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	for _, target := range []string{"one", filepath.Join(dir, "two")} {
		if err := errors.Join(os.RemoveAll(link), os.Symlink(target, link)); err != nil {
			t.Fatal(err)
		}
		if err := files.Replace(link, []byte("text")); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, dir, map[string]string{"one": "text", "two": "text", "link": "text"})
	if err := files.Write(link, []byte("own")); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, map[string]string{"one": "text", "two": "text", "link": "own"})
}

func TestReplaceFailures(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o444); err != nil {
		t.Fatal(err)
	}
	err := files.Replace(file, []byte("new"))
	if fault.CodeOf(err) != files.CannotWrite || err.Error() != "write: "+file+": permission denied" {
		t.Errorf("read-only: got %v", err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	for step := range 4 {
		if err := files.ReplaceOn(&failingDisk{at: step}, file, []byte("new")); !errors.Is(err, errDisk) {
			t.Errorf("step %d: got %v", step, err)
		}
		holds(t, dir, map[string]string{"file": "old"})
	}
}

// failingDisk fails at one step of writing a file.
type failingDisk struct {
	files.RealDisk
	at int
}

var errDisk = errors.New("disk failure")

func (d *failingDisk) CreateTemp(dir, pattern string, mode os.FileMode) (files.TempFile, error) {
	f, err := d.RealDisk.CreateTemp(dir, pattern, mode)
	return failingFile{f, d}, err
}

func (d *failingDisk) step(n int) error {
	if d.at == n {
		return errDisk
	}
	return nil
}

func (d *failingDisk) Rename(string, string) error { return d.step(3) }

type failingFile struct {
	files.TempFile
	disk *failingDisk
}

func (f failingFile) Write(data []byte) (int, error) {
	n, err := f.TempFile.Write(data)
	return n, errors.Join(err, f.disk.step(0))
}

func (f failingFile) Sync() error  { return f.disk.step(1) }
func (f failingFile) Close() error { return errors.Join(f.TempFile.Close(), f.disk.step(2)) }

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := files.Create(file, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := files.Create(file, []byte("two")); fault.CodeOf(err) != files.AlreadyExists {
		t.Errorf("got %v for a file that exists", err)
	}
	holds(t, dir, map[string]string{"file": "one"})
	if err := files.Create(filepath.Join(dir, "nowhere", "file"), nil); fault.CodeOf(err) != files.CannotWrite {
		t.Errorf("got %v for a missing directory", err)
	}
	dangling := filepath.Join(dir, "link")
	if err := os.Symlink("target", dangling); err != nil {
		t.Fatal(err)
	}
	if err := files.Create(dangling, nil); fault.CodeOf(err) != files.AlreadyExists {
		t.Errorf("got %v for a dangling link", err)
	}
}

// When several processes create a file concurrently, only one succeeds.
func TestCreateConcurrently(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	made := make(chan string, 8)
	for i := range cap(made) {
		text := string(rune('a' + i))
		go func() {
			switch err := files.Create(file, []byte(text)); fault.CodeOf(err) {
			case files.AlreadyExists:
				made <- ""
			case "":
				made <- text
			default:
				made <- err.Error()
			}
		}()
	}
	var all []string
	for range cap(made) {
		if text := <-made; text != "" {
			all = append(all, text)
		}
	}
	if len(all) != 1 {
		t.Fatalf("created by %v", slices.Sorted(slices.Values(all)))
	}
	holds(t, dir, map[string]string{"file": all[0]})
}
