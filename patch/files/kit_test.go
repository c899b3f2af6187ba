package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"brenner/patch"
)

const old = "alpha\nbeta\ngamma\n"

func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func newText(t *testing.T, content string) *patch.Text {
	t.Helper()
	text, problems := patch.NewText([]byte(content))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return text
}

// makePatch writes the patch that turns one text into another to a file.
func makePatch(t *testing.T, out, path, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		t.Fatal(err)
	}
	r, err := Make(&MakeRequest{Path: path, Old: newText(t, from), New: newText(t, to), Out: out})
	if err != nil || !r.OK {
		t.Fatal(err, r)
	}
}

// twoPatches writes two directories of conflicting patches for the same files.
func twoPatches(t *testing.T, dir string, paths ...string) (a, b string) {
	t.Helper()
	a, b = filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, path := range paths {
		put(t, filepath.Join(dir, path), old)
		name := strings.ReplaceAll(path, "/", "-") + ".json"
		makePatch(t, filepath.Join(a, name), path, old, "alpha\nAAAA\ngamma\n")
		makePatch(t, filepath.Join(b, name), path, old, "alpha\nBBBB\ngamma\n")
	}
	return a, b
}

// checkNoTempFiles checks that a directory has no temporary files.
func checkNoTempFiles(t *testing.T, dir string) {
	t.Helper()
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func apply(t *testing.T, q *Request) *Applied {
	t.Helper()
	r, err := Apply(q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
