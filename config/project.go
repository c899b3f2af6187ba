package config

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/roster"
)

// The names of the project's file; the first that exists is used.
const (
	FileName    = "brenner.yaml"
	OldFileName = ".brennerrc"
)

// foreignNames returns the names of the specification's configuration, which is a program.
func foreignNames() []string {
	return []string{"brenner.config.ts", "brenner.config.js", "brenner.config.mjs"}
}

// Stdin stands for standard input in place of the session's file.
const (
	Stdin      = "-"
	stdinPlace = "standard input"
)

// EnvProject is the variable that names the project's directory.
const EnvProject = envPrefix + "PROJECT"

// StartDir returns where the search for the project begins: the directory of the flag -C, else the
// one in BRENNER_PROJECT, else the working directory.
func StartDir(flag string, environ []string) string {
	switch named := variables(environ)[EnvProject]; {
	case flag != "":
		return flag
	case named != "":
		return named
	default:
		return "."
	}
}

type place struct {
	Project
	path string
}

// findProject looks for the project's file in a directory and its parents, up to the repository's
// root, which holds .git, or outside a repository up to the root of the file system.
func (l *loading) findProject(start string) place {
	dir, err := filepath.Abs(start)
	if err == nil {
		err = mustBeDir(dir)
	}
	if err != nil {
		l.found.Add(Unreadable, fault.Shown(start), "name an existing directory with -C or "+EnvProject, "cannot read the project's directory: %s", files.Reason(err))
		return place{}
	}
	foreign := ""
	for at := dir; ; at = filepath.Dir(at) {
		foreign = cmp.Or(foreign, foreignIn(at))
		if name := l.fileIn(at); name != "" {
			return place{Project{Dir: at, File: name, Foreign: foreign}, filepath.Join(at, name)}
		}
		if exists(filepath.Join(at, ".git")) {
			return place{Project: Project{Dir: at, Foreign: foreign}}
		}
		if at == filepath.Dir(at) {
			return place{Project: Project{Dir: dir, Foreign: foreign}}
		}
	}
}

func foreignIn(dir string) string {
	for _, name := range foreignNames() {
		if path := filepath.Join(dir, name); exists(path) {
			return path
		}
	}
	return ""
}

func mustBeDir(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	}
	return err
}

func (l *loading) fileIn(dir string) string {
	old := exists(filepath.Join(dir, OldFileName))
	switch {
	case !exists(filepath.Join(dir, FileName)) && !old:
		return ""
	case !exists(filepath.Join(dir, FileName)):
		return OldFileName
	case old:
		l.warnings = append(l.warnings, roster.Warning{
			Code: FileIgnored, Place: OldFileName,
			Message: OldFileName + " ignored: " + FileName + " exists in the same directory",
			Hint:    "move its settings into " + FileName + " and delete " + OldFileName,
		})
	}
	return FileName
}

// exists reports whether path exists, even as a dangling link, which must not be skipped silently.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}

// mostBytes is the maximum size of a configuration file.
const mostBytes = 1 << 20

func (l *loading) readProject(p place) layer {
	if p.path == "" {
		return layer{}
	}
	// Opening a pipe would block forever.
	if info, err := os.Stat(p.path); err == nil && !info.Mode().IsRegular() {
		l.found.Add(Unreadable, p.File, "remove it, or put the configuration there", "not a regular file")
		return layer{}
	}
	return l.readFile(p.path, source{roster.ProjectConfig, p.File})
}

func (l *loading) readSession(path string, data []byte) layer {
	switch path {
	case "":
		return layer{}
	case Stdin:
		return l.readData(path, source{roster.SessionConfig, stdinPlace}, data, checkSize(data))
	}
	return l.readFile(path, source{roster.SessionConfig, path})
}

func (l *loading) readFile(path string, from source) layer {
	data, err := readBounded(path)
	return l.readData(path, from, data, err)
}

func (l *loading) readData(path string, from source, data []byte, err error) layer {
	if err != nil {
		l.found.Add(Unreadable, fault.Shown(from.name), "check the path and its permissions", "cannot read the configuration: %s", files.Reason(err))
		return layer{}
	}
	l.files = append(l.files, File{Level: from.level, Path: path, Data: data})
	r := &reader{table: l.table, from: from, found: &l.found}
	return r.file(data)
}

// readBounded reads a file of at most mostBytes.
func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	data, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	return data, cmp.Or(err, checkSize(data))
}

func checkSize(data []byte) error {
	if len(data) > mostBytes {
		return errors.New("larger than 1 MiB")
	}
	return nil
}
