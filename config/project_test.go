package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhereTheProjectIs(t *testing.T) {
	for _, test := range []struct {
		name  string
		files []string // each says its own name as the question
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
		{"not beyond a root that is a folder", []string{"brenner.yaml", "a/.git/config"}, "a/b", "a", ""},
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

func TestOriginNamesTheOtherFile(t *testing.T) {
	dir := repository(t)
	write(t, dir, OldFileName, "\nvia: mail\n")
	same(t, load(t, Options{Dir: dir}).Origin("via").String(), ".brennerrc, line 2")
	write(t, dir, OldFileName, "vai: mail\n")
	_, err := Load(Options{Dir: dir})
	same(t, told(t, err), "CONFIG_UNKNOWN_KEY .brennerrc, line 1: unknown key vai | did you mean via?")
}

func TestFilesThatCannotBeRead(t *testing.T) {
	check := func(name string, o Options, want string) {
		t.Helper()
		_, err := Load(o)
		if got := told(t, err); !strings.HasPrefix(got, "CONFIG_UNREADABLE ") || !strings.Contains(got, want) {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
	dir := repository(t)
	check("no folder", Options{Dir: filepath.Join(dir, "gone")}, "the project's folder cannot be read: no such file")
	check("a file for a folder", Options{Dir: write(t, dir, "file", "")}, "it is no folder")
	check("no session file", Options{Dir: dir, SessionConfig: filepath.Join(dir, "s.yaml")}, "s.yaml: the configuration cannot be read: no such file")
	check("a folder for a session file", Options{Dir: dir, SessionConfig: dir}, "the configuration cannot be read: is a directory")
	check("too large", Options{Dir: project(t, strings.Repeat("#", mostBytes+1))}, "brenner.yaml: the configuration cannot be read: it is larger than 1 MiB")

	if err := os.Mkdir(filepath.Join(dir, FileName), 0o755); err != nil {
		t.Fatal(err)
	}
	check("a folder for a file", Options{Dir: dir}, "brenner.yaml: it is no regular file")

	dir = repository(t)
	if err := os.Symlink("nowhere", filepath.Join(dir, FileName)); err != nil {
		t.Fatal(err)
	}
	check("a link to nowhere", Options{Dir: dir}, "brenner.yaml: the configuration cannot be read: no such file")
}

func TestStartDir(t *testing.T) {
	env := []string{"BRENNER_PROJECT=/e"}
	same(t, StartDir("/f", env), "/f")
	same(t, StartDir("", env), "/e")
	same(t, StartDir("", []string{"BRENNER_PROJECT=/e", "BRENNER_PROJECT="}), ".")
}
