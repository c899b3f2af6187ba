package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/cmd/brenner/cli/ui"
)

// applyPatches runs `patch apply`.
func applyPatches(t *testing.T, args ...string) (code int, output string) {
	t.Helper()
	var text bytes.Buffer
	streams := ui.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &text, Now: time.Now}
	code = Run(t.Context(), append([]string{"patch", "apply"}, args...), streams)
	return code, text.String()
}

// twoPatches makes two conflicting patches of one text, or of several files with that text.
func twoPatches(t *testing.T, dir string, files ...string) (a, b string) {
	t.Helper()
	put(t, filepath.Join(dir, "a.txt"), "alpha\nAAAA\ngamma\n")
	put(t, filepath.Join(dir, "b.txt"), "alpha\nBBBB\ngamma\n")
	for _, file := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, file), "alpha\nbeta\ngamma\n")
		for _, who := range []string{"a", "b"} {
			out := filepath.Join(dir, who, strings.ReplaceAll(file, "/", "-")+".json")
			if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
				t.Fatal(err)
			}
			run(t, 0, "patch", "make", filepath.Join(dir, file), filepath.Join(dir, who+".txt"), "--path", file, "-o", out)
		}
	}
	return filepath.Join(dir, "a"), filepath.Join(dir, "b")
}

// Of two conflicting patches applied concurrently, one is applied and the other fails with
// a mismatch.
func TestConcurrentPatchApply(t *testing.T) {
	for range 20 {
		dir := t.TempDir()
		a, b := twoPatches(t, dir, "m.txt", "sub/n.txt")
		var both sync.WaitGroup
		var codes [2]int
		var said [2]string
		for i, patches := range []string{a, b} {
			both.Go(func() { codes[i], said[i] = applyPatches(t, patches, "--root", dir) })
		}
		both.Wait()
		lost := slices.Index(codes[:], ui.ExitFailed)
		if lost < 0 || codes[1-lost] != 0 || !strings.Contains(said[lost], "BASE_MISMATCH") || !strings.Contains(said[lost], "nothing written") {
			t.Fatalf("%v: %q", codes, said)
		}
		want := []string{"alpha\nAAAA\ngamma\n", "alpha\nBBBB\ngamma\n"}[1-lost]
		for _, file := range []string{"m.txt", "sub/n.txt"} {
			if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(text) != want {
				t.Errorf("%s: %q, %v", file, text, err)
			}
		}
	}
}

// An unwritable file is detected before the first file is replaced.
func TestPatchApplyIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	a, _ := twoPatches(t, dir, "m.txt", "n.txt")
	if err := os.Chmod(filepath.Join(dir, "n.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	if code, said := applyPatches(t, a, "--root", dir); code != ui.ExitFailed {
		t.Fatalf("%d: %s", code, said)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "m.txt")); err != nil || string(text) != "alpha\nbeta\ngamma\n" {
		t.Errorf("%q, %v", text, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}
