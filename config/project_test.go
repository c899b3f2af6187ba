package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindProject(t *testing.T) {
	for _, test := range []struct {
		name  string
		files []string // the question in each file is its name
		start string
		dir   string
		file  string
	}{
		{"here", []string{"brenner.yaml"}, ".", ".", "brenner.yaml"},
		{"above", []string{"brenner.yaml"}, "a/b", ".", "brenner.yaml"},
		{"the nearest", []string{"brenner.yaml", "a/brenner.yaml"}, "a/b", "a", "brenner.yaml"},
		{"the other name", []string{".brennerrc"}, "a", ".", ".brennerrc"},
		{"the other name, nearer", []string{"brenner.yaml", "a/.brennerrc"}, "a/b", "a", ".brennerrc"},
		{"both names", []string{"brenner.yaml", ".brennerrc"}, ".", ".", "brenner.yaml"},
		{"none", nil, "a/b", ".", ""},
		{"not beyond the root", []string{"brenner.yaml", "a/.git"}, "a/b", "a", ""},
		{"not beyond a root that is a directory", []string{"brenner.yaml", "a/.git/config"}, "a/b", "a", ""},
		{"at the root", []string{"a/brenner.yaml", "a/.git/config"}, "a/b", "a", "brenner.yaml"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := repository(t)
			for _, name := range test.files {
				write(t, root, name, "question: "+name+"\n")
			}
			start := filepath.Join(root, test.start)
			if err := os.MkdirAll(start, 0o755); err != nil {
				t.Fatal(err)
			}
			c := load(t, Options{Dir: start})
			same(t, c.Project, Project{Dir: filepath.Join(root, test.dir), File: test.file})
			want := ""
			if test.file != "" {
				want = filepath.ToSlash(filepath.Join(test.dir, test.file))
			}
			same(t, c.Question, want)
			if ignored := len(c.Warnings) == 1 && c.Warnings[0].Code == FileIgnored; ignored != (test.name == "both names") {
				t.Errorf("warnings: %v", c.Warnings)
			}
		})
	}
}

func TestOriginNamesOldFile(t *testing.T) {
	dir := repository(t)
	write(t, dir, OldFileName, "\nvia: mail\n")
	same(t, load(t, Options{Dir: dir}).Origin("via").String(), ".brennerrc, line 2")
	write(t, dir, OldFileName, "vai: mail\n")
	_, err := Load(Options{Dir: dir})
	same(t, details(t, err), "CONFIG_UNKNOWN_KEY .brennerrc, line 1: unknown key vai | did you mean via?")
}

func TestUnreadableFiles(t *testing.T) {
	check := func(name string, o Options, want string) {
		t.Helper()
		_, err := Load(o)
		if got := details(t, err); !strings.HasPrefix(got, "CONFIG_UNREADABLE ") || !strings.Contains(got, want) {
			t.Errorf("%s: got %s\nwant %s", name, got, want)
		}
	}
	dir := repository(t)
	check("no directory", Options{Dir: filepath.Join(dir, "gone")}, "cannot read the project's directory: no such file")
	check("a file for a directory", Options{Dir: write(t, dir, "file", "")}, "not a directory")
	check("no session file", Options{Dir: dir, SessionConfig: filepath.Join(dir, "s.yaml")}, "s.yaml: cannot read the configuration: no such file")
	check("a directory for a session file", Options{Dir: dir, SessionConfig: dir}, "cannot read the configuration: is a directory")
	check("too large", Options{Dir: project(t, strings.Repeat("#", mostBytes+1))}, "brenner.yaml: cannot read the configuration: larger than 1 MiB")

	if err := os.Mkdir(filepath.Join(dir, FileName), 0o755); err != nil {
		t.Fatal(err)
	}
	check("a directory for a file", Options{Dir: dir}, "brenner.yaml: not a regular file")

	dir = repository(t)
	if err := os.Symlink("nowhere", filepath.Join(dir, FileName)); err != nil {
		t.Fatal(err)
	}
	check("a dangling link", Options{Dir: dir}, "brenner.yaml: cannot read the configuration: no such file")
}

func TestStartDir(t *testing.T) {
	env := []string{"BRENNER_PROJECT=/e"}
	same(t, StartDir("/f", env), "/f")
	same(t, StartDir("", env), "/e")
	same(t, StartDir("", []string{"BRENNER_PROJECT=/e", "BRENNER_PROJECT="}), ".")
}
