package project

import (
	"os"
	"path/filepath"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/loop"
)

// A plan is data that is handed around, and what it names is sent to models. So it
// names only what lies with it: regular files in its folder and below, links followed,
// and none that is hidden. Anything else has to be copied there first.

// planFile reads a file that the plan names. A plan from standard input is in the
// working directory.
func (p *PinnedPlan) planFile(what, name string) ([]byte, error) {
	dir := filepath.Dir(p.file)
	refused := func(detail string) error {
		return &fault.Error{
			Code: loop.InvalidValue, Op: "read " + what, Detail: what + " " + fault.Shown(name) + detail,
			Hint: "a plan is given regular files of its own folder and below; put a copy there",
		}
	}
	below, ok := belowDir(dir, name)
	switch {
	case !ok:
		return nil, refused(" is not in the plan's folder")
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
		if _, there := os.Stat(path); there == nil { // for everybody but the folder
			return nil, refused(" leads out of the plan's folder")
		}
		return nil, unreadable(err)
	}
	if !info.Mode().IsRegular() { // a pipe would be waited for
		return nil, refused(" is no regular file")
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

// beside is where a file is that was read by planFile.
func (p *PinnedPlan) beside(name string) string {
	dir := filepath.Dir(p.file)
	below, _ := belowDir(dir, name)
	return filepath.Join(dir, below)
}

// belowDir returns a name as seen from a directory, if it does not lead out of it.
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

// resolvedBelow returns a name as seen from a directory once all links in both are followed:
// the name of a link says nothing about its target.
func resolvedBelow(dir, name string) (string, error) {
	path, err := files.TrueName(filepath.Join(dir, name))
	if err != nil {
		return "", err
	}
	if dir, err = files.TrueName(dir); err != nil {
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
