package project

import (
	"os"
	"path/filepath"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/loop"
)

// A plan is data from elsewhere, and the files that it names are sent to models. So it may
// only name regular, visible files in its directory and below, after links are followed.
// Anything else must be copied there first.

// planFile reads a file that the plan names. For a plan from standard input, it is relative
// to the working directory.
func (p *PinnedPlan) planFile(what, name string) ([]byte, error) {
	dir := filepath.Dir(p.file)
	refused := func(detail string) error {
		return &fault.Error{
			Code: loop.InvalidValue, Op: "read " + what, Detail: what + " " + fault.Shown(name) + detail,
			Hint: "copy the file into the plan's directory: a plan reads only regular files there and below",
		}
	}
	below, ok := belowDir(dir, name)
	switch {
	case !ok:
		return nil, refused(" is outside the plan's directory")
	case hiddenFile(below):
		return nil, refused(" is hidden")
	}
	path := filepath.Join(dir, below)
	unreadable := func(err error) error {
		return &fault.Error{Code: files.Unreadable, Op: "read " + what, Place: path, Detail: files.Reason(err), Hint: "check the path and its permissions"}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unreadable(err)
	}
	defer root.Close() //nolint:errcheck // it was only read
	info, err := root.Stat(below)
	if err != nil {
		if _, there := os.Stat(path); there == nil { // it exists, but outside the directory
			return nil, refused(" leads out of the plan's directory")
		}
		return nil, unreadable(err)
	}
	if !info.Mode().IsRegular() { // a pipe would block
		return nil, refused(" is not a regular file")
	}
	resolved, err := resolvedBelow(dir, below)
	switch {
	case err != nil:
		return nil, err
	case hiddenFile(resolved):
		return nil, refused(" leads to a hidden file")
	}
	f, err := root.Open(resolved)
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	data, err := files.ReadBounded(f, files.MostBytes)
	if err != nil {
		return nil, unreadable(err)
	}
	data = files.WithoutMark(data)
	p.project.logRead(what, path, data)
	return data, nil
}

// planPath returns the path of a file that planFile reads.
func (p *PinnedPlan) planPath(name string) string {
	dir := filepath.Dir(p.file)
	below, _ := belowDir(dir, name)
	return filepath.Join(dir, below)
}

// belowDir returns a name relative to a directory, if it does not lead out of it.
func belowDir(dir, name string) (string, bool) {
	if filepath.IsAbs(name) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", false
		}
		if name, err = filepath.Rel(abs, name); err != nil {
			return "", false
		}
	}
	name = filepath.Clean(name)
	return name, filepath.IsLocal(name)
}

// resolvedBelow returns a name relative to a directory after all links in both are
// followed: the name of a link says nothing about its target.
func resolvedBelow(dir, name string) (string, error) {
	path, err := files.RealPath(filepath.Join(dir, name))
	if err != nil {
		return "", err
	}
	if dir, err = files.RealPath(dir); err != nil {
		return "", err
	}
	below, err := filepath.Rel(dir, path)
	if err != nil {
		return "", &fault.Error{Code: files.Unreadable, Op: "find the file", Place: path, Detail: files.Reason(err), Hint: "check the path and its permissions"}
	}
	return below, nil
}

func hiddenFile(path string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.HasPrefix(part, ".") && part != "." {
			return true
		}
	}
	return false
}
