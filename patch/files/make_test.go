package files

import (
	"path/filepath"
	"slices"
	"testing"

	"brenner/internal/fault"
	fileio "brenner/internal/files"
	"brenner/patch"
)

func TestMake(t *testing.T) {
	out := filepath.Join(t.TempDir(), "p.json")
	q := &MakeRequest{Path: "m.txt", Old: newText(t, old), New: newText(t, "alpha\nAAAA\ngamma\n"), Notes: "why", Out: out}
	r, err := Make(q)
	if err != nil || !r.OK || r.Written != out || r.Operations != 1 || content(t, out) != string(r.Patch) {
		t.Fatalf("got %+v, %v", r, err)
	}
	p, problems := patch.Read(r.Patch)
	if len(problems) > 0 || p.Path != "m.txt" || p.Notes() != "why" {
		t.Errorf("got %+v, %v", p, problems)
	}
	q.Out = "-"
	if r, err = Make(q); err != nil || !r.OK || r.Written != "" {
		t.Errorf("got %+v, %v", r, err)
	}
	q.Out = filepath.Join(out, "p.json")
	if _, err = Make(q); fault.CodeOf(err) != fileio.CannotWrite {
		t.Errorf("got %v", err)
	}
	q.New = q.Old
	if r, err = Make(q); err != nil || r.OK || string(r.Patch) != "null" {
		t.Errorf("equal texts: got %+v, %v", r, err)
	}
}

func TestMakeFromReply(t *testing.T) {
	block := func(path string) string {
		return path + "\n<<<<<<< SEARCH\nbeta\n=======\nBETA\n>>>>>>> REPLACE\n\n"
	}
	for name, c := range map[string]struct {
		path, reply string
		ok          bool
		others      []string
	}{
		"of this file":        {"m.txt", block("m.txt"), true, nil},
		"of an unclean path":  {"m.txt", block("./m.txt"), true, nil},
		"of no file":          {"m.txt", block(""), true, nil},
		"of any file":         {"", block("n.txt"), true, nil},
		"of other files, too": {"m.txt", block("n.txt") + block("m.txt") + block("n.txt"), true, []string{"n.txt"}},
		"of other files only": {"m.txt", block("n.txt") + block("o.txt"), false, []string{"n.txt", "o.txt"}},
		"of reasoning, too":   {"m.txt", "<think>\n" + block("n.txt") + "</think>\n" + block("m.txt"), true, nil},
		"of reasoning only":   {"m.txt", "<think>\n" + block("m.txt") + "</think>\n", false, nil},
		"without blocks":      {"m.txt", "text\n", false, nil},
	} {
		r, err := Make(&MakeRequest{Path: c.path, Old: newText(t, old), Reply: []byte(c.reply)})
		if err != nil || r.OK != c.ok || r.OK == (len(r.Problems) > 0) || !slices.Equal(r.Others, c.others) {
			t.Errorf("%s: got %+v, %v", name, r, err)
		}
	}
}

func TestPathOf(t *testing.T) {
	for file, want := range map[string]string{
		"a.txt": "a.txt", "./sub//a.txt": "sub/a.txt", "/etc/hosts": "hosts", "../a.txt": "a.txt", "-": "", "..": "", "/": "",
	} {
		if got := PathOf(file); got != want {
			t.Errorf("%q: got %q, want %q", file, got, want)
		}
	}
}
