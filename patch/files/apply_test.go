package files

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"brenner/internal/fault"
	fileio "brenner/internal/files"
	"brenner/patch"
)

// Of two conflicting sets of patches applied concurrently, exactly one is applied.
func TestConcurrentApply(t *testing.T) {
	paths := []string{"m.txt", "sub/n.txt"}
	for range 20 {
		dir := t.TempDir()
		a, b := twoPatches(t, dir, paths...)
		var both sync.WaitGroup
		var results [2]*Applied
		var errs [2]error
		for i, patches := range []string{a, b} {
			both.Go(func() { results[i], errs[i] = Apply(&Request{Patches: []string{patches}, Root: dir}) })
		}
		both.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		lost := slices.IndexFunc(results[:], func(r *Applied) bool { return !r.OK })
		if lost < 0 || !results[1-lost].OK || len(results[lost].Written) > 0 || !hasMismatch(results[lost]) {
			t.Fatalf("got %+v and %+v", results[0], results[1])
		}
		if got := results[1-lost].Written; !slices.Equal(got, paths) {
			t.Errorf("wrote %v", got)
		}
		want := []string{"alpha\nAAAA\ngamma\n", "alpha\nBBBB\ngamma\n"}[1-lost]
		for _, path := range paths {
			if got := content(t, filepath.Join(dir, path)); got != want {
				t.Errorf("%s: got %q, want %q", path, got, want)
			}
		}
	}
}

// hasMismatch reports whether a patch found a changed file. A plan made while another
// process writes finds only some of the files changed.
func hasMismatch(a *Applied) bool {
	for i := range a.Patches {
		for _, p := range a.Patches[i].Problems {
			if p.Code == patch.BaseMismatch {
				return true
			}
		}
	}
	return false
}

// A plan is computed again if a file changed before the lock was taken; then no file is
// written.
func TestFileChangesBeforeLock(t *testing.T) {
	dir := t.TempDir()
	a, _ := twoPatches(t, dir, "m.txt", "sub/n.txt")
	p, err := newPlan(&Request{Patches: []string{a}, Root: dir})
	if err != nil || !p.ok() {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "sub", "n.txt"), "theirs\n")
	unlock, err := p.lock()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if p.ok() {
		t.Error("the plan still applies")
	}
}

// A plan fails if its file was moved to a directory that is not locked.
func TestFileMovesBeforeLock(t *testing.T) {
	dir := t.TempDir()
	a, _ := twoPatches(t, dir, "sub/n.txt")
	p, err := newPlan(&Request{Patches: []string{a}, Root: dir})
	if err != nil || !p.ok() {
		t.Fatal(err)
	}
	path, moved := filepath.Join(dir, "sub", "n.txt"), filepath.Join(dir, "moved", "n.txt")
	put(t, moved, strings.ReplaceAll(old, "\n", "\r\n")) // the same text with other bytes
	if err := errors.Join(os.Remove(path), os.Symlink(moved, path)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.lock(); fault.CodeOf(err) != fileio.CannotWrite || !strings.Contains(err.Error(), errMoved.Error()) {
		t.Errorf("got %v", err)
	}
	unlock, err := lockDirs([]string{filepath.Dir(path)}) // no longer locked
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// A read-only file is detected before the first file is replaced.
func TestApplyAllOrNone(t *testing.T) {
	dir := t.TempDir()
	a, _ := twoPatches(t, dir, "m.txt", "n.txt")
	if err := os.Chmod(filepath.Join(dir, "n.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	r, err := Apply(&Request{Patches: []string{a}, Root: dir})
	if fault.CodeOf(err) != fileio.CannotWrite || len(r.Written) > 0 {
		t.Fatalf("got %+v, %v", r, err)
	}
	if got := content(t, filepath.Join(dir, "m.txt")); got != old {
		t.Errorf("m.txt: got %q", got)
	}
	checkNoTempFiles(t, dir)
}

// brokenDisk refuses to rename one file.
type brokenDisk struct {
	fileio.RealDisk
	name string
}

func (d brokenDisk) Rename(from, to string) error {
	if filepath.Base(to) == d.name {
		return errors.New("disk failure")
	}
	return d.RealDisk.Rename(from, to)
}

// If a rename fails, Apply returns the files replaced before.
func TestApplyReturnsFilesWrittenBeforeFailure(t *testing.T) {
	dir := t.TempDir()
	a, _ := twoPatches(t, dir, "m.txt", "n.txt", "o.txt")
	r, err := Apply(&Request{Patches: []string{a}, Root: dir, Disk: brokenDisk{name: "n.txt"}})
	if fault.CodeOf(err) != fileio.CannotWrite || !strings.Contains(err.Error(), "n.txt: disk failure") {
		t.Errorf("got %v", err)
	}
	if want := []string{"m.txt"}; !slices.Equal(r.Written, want) {
		t.Errorf("written: got %v, want %v", r.Written, want)
	}
	for name, want := range map[string]string{"m.txt": "alpha\nAAAA\ngamma\n", "n.txt": old, "o.txt": old} {
		if got := content(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	checkNoTempFiles(t, dir)
}

// Directories are locked for other processes until unlock.
func TestLockDirs(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lockDirs([]string{dir, dir})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if mine, err := fileio.TryLock(f, true); mine || err != nil {
		t.Errorf("while locked: %v, %v", mine, err)
	}
	unlock()
	if mine, err := fileio.TryLock(f, true); !mine || err != nil {
		t.Errorf("after unlock: %v, %v", mine, err)
	}
}

// Only leftovers of a killed process for this file are removed.
func TestRemoveLeftovers(t *testing.T) {
	dir := t.TempDir()
	kept := []string{".m.txt.1x.brenner-patch", ".m.txt..brenner-patch", ".n.txt.1.brenner-patch", ".m.txt.x.1.brenner-patch", ".m.txt.1", "m.txt"}
	for _, name := range append(slices.Clone(kept), ".m.txt.17.brenner-patch") {
		put(t, filepath.Join(dir, name), "")
	}
	if err := fileio.RemoveTemp(dir, ".m.txt.", tempSuffix); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if slices.Sort(kept); !slices.Equal(got, kept) {
		t.Errorf("got %v, want %v", got, kept)
	}
}

func TestDryRunAndCheckWriteNothing(t *testing.T) {
	dir := t.TempDir()
	a, b := twoPatches(t, dir, "m.txt")
	r := apply(t, &Request{Patches: []string{a}, Root: dir, DryRun: true})
	if !r.OK || !r.DryRun || len(r.Written) > 0 || !strings.Contains(r.Diff, "-beta\n+AAAA\n") {
		t.Errorf("got %+v", r)
	}
	c, err := Check(&Request{Patches: []string{a}, Root: dir})
	if err != nil || !c.OK || len(c.Patches) != 1 || c.Patches[0].Path != "m.txt" || !c.Patches[0].Compared {
		t.Errorf("got %+v, %v", c, err)
	}
	c, err = Check(&Request{Patches: []string{a, b}, Root: dir})
	if err != nil || c.OK || !c.Patches[0].OK || c.Patches[1].OK {
		t.Errorf("got %+v, %v", c, err)
	}
	if got := content(t, filepath.Join(dir, "m.txt")); got != old {
		t.Errorf("m.txt: got %q", got)
	}
}
