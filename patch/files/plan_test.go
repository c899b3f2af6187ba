package files

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brenner/artifact/delta"
	"brenner/internal/fault"
	fileio "brenner/internal/files"
	"brenner/patch"
)

// checkOne checks a patch that was made for old.
func checkOne(t *testing.T, dir, path string, q *Request) Outcome {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.json")
	makePatch(t, file, path, old, "alpha\nAAAA\ngamma\n")
	q.Patches, q.Root = []string{file}, dir
	r, err := Check(q)
	if err != nil || len(r.Patches) != 1 {
		t.Fatal(r, err)
	}
	return r.Patches[0]
}

func TestInvalidTargets(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	put(t, filepath.Join(dir, "outside.txt"), old)
	put(t, filepath.Join(root, "sub", "inside.txt"), "other\n")
	put(t, filepath.Join(root, "binary"), "\xff\xfe")
	for link, target := range map[string]string{"out": "../outside.txt", "in": "sub/inside.txt"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]fault.Code{
		"missing": patch.BaseMissing,
		"sub":     patch.BaseMissing,
		"out":     patch.PathUnsafe,
		"in":      patch.BaseMismatch,
		"binary":  patch.InvalidUTF8,
		"":        delta.MissingRequiredField,
	} {
		o := checkOne(t, root, path, &Request{})
		if o.OK || len(o.Problems) != 1 || o.Problems[0].Code != want || o.Compared != (want == patch.BaseMismatch) {
			t.Errorf("%q: got %+v, want %s", path, o, want)
		}
	}
	if o := checkOne(t, root, "missing", &Request{File: filepath.Join(dir, "outside.txt")}); !o.OK || o.Path != filepath.Join(dir, "outside.txt") {
		t.Errorf("another file: got %+v", o)
	}
}

// If the target is missing or has another text, the hint names the file with the base.
func TestHintNamesFileWithBase(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "sub", "renamed.txt"), old)
	put(t, filepath.Join(dir, "other.txt"), "other\n")
	put(t, filepath.Join(dir, ".hidden", "copy.txt"), old)
	for _, path := range []string{"missing.txt", "other.txt"} {
		o := checkOne(t, dir, path, &Request{})
		if o.OK || !strings.HasPrefix(o.Problems[0].Hint, "the patch was made for the text of sub/renamed.txt;") {
			t.Errorf("%s: got %+v", path, o)
		}
	}
}

// A patch applies to the result of those before it, also through a link.
func TestConsecutivePatchesOfOneFile(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "m.txt"), old)
	if err := os.Symlink("m.txt", filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	texts := []string{old, "alpha\nbeta\nGAMMA\n", "alpha\nBETA\nGAMMA\n", "ALPHA\nBETA\nGAMMA\n"}
	patches := filepath.Join(dir, "patches")
	for i, path := range []string{"m.txt", "link.txt", "m.txt"} {
		makePatch(t, filepath.Join(patches, string(rune('1'+i))+".json"), path, texts[i], texts[i+1])
	}
	q := &Request{Patches: []string{patches}, Root: dir}
	if r := apply(t, q); !r.OK || !slices.Equal(r.Written, []string{"m.txt"}) || content(t, filepath.Join(dir, "m.txt")) != texts[3] {
		t.Fatalf("got %+v", r)
	}
	put(t, filepath.Join(dir, "m.txt"), texts[2])
	q.SkipApplied = true
	r := apply(t, q)
	var skipped []bool
	for i := range r.Patches {
		skipped = append(skipped, r.Patches[i].Skipped)
	}
	if !r.OK || !slices.Equal(skipped, []bool{true, true, false}) || content(t, filepath.Join(dir, "m.txt")) != texts[3] {
		t.Errorf("got %+v", r)
	}
	put(t, filepath.Join(dir, "m.txt"), "other\n")
	r = apply(t, q)
	if r.OK || r.Patches[1].Problems[0].Hint != "the patch before it, "+filepath.Join(patches, "1.json")+", does not apply" {
		t.Errorf("got %+v", r)
	}
}

func TestReadSources(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.json", "a.json", ".hidden.json", "text.txt", "sub/c.json", "empty/text.txt"} {
		put(t, filepath.Join(dir, name), "junk")
	}
	read := func(string) ([]byte, error) { return []byte("junk"), nil }
	all, err := ReadSources([]string{dir, "-"}, read)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range all {
		names = append(names, filepath.Base(s.File))
	}
	if want := []string{"a.json", "b.json", "-"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	if r := all.Unapplied(); r.OK || len(r.Patches) != 3 || r.Patches[0].Compared || len(r.Patches[2].Problems) == 0 {
		t.Errorf("got %+v", r)
	}
	for _, path := range []string{filepath.Join(dir, "empty"), filepath.Join(dir, "missing.json")} {
		if _, err := ReadSources([]string{path}, nil); fault.CodeOf(err) != fileio.Unreadable {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

func TestInvalidRequests(t *testing.T) {
	dir := t.TempDir()
	a, b := twoPatches(t, dir, "m.txt")
	file := filepath.Join(dir, "m.txt")
	for name, c := range map[string]struct {
		q    Request
		want fault.Code
	}{
		"a root that is a file":    {Request{Patches: []string{a}, Root: file}, fileio.Unreadable},
		"a missing root":           {Request{Patches: []string{a}, Root: filepath.Join(dir, "missing")}, fileio.Unreadable},
		"one file for two patches": {Request{Patches: []string{a, b}, Root: dir, File: file}, fault.Usage},
	} {
		if _, err := Apply(&c.q); fault.CodeOf(err) != c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
		if _, err := Check(&c.q); fault.CodeOf(err) != c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}
