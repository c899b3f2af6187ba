package files

import (
	"os"
	"path/filepath"
	"strings"

	"brenner/internal/fault"
)

// ReadBelow reads a file that a text from elsewhere names, relative to a directory. It refuses
// anything but regular, visible files in the directory and below, after links are followed. Refused
// makes the error from a description such as " is hidden". What is the file in errors.
func ReadBelow(dir, name, what string, refused func(detail string) error) ([]byte, error) {
	below, ok := Below(dir, name)
	switch {
	case !ok:
		return nil, refused(" is outside the directory")
	case isHidden(below):
		return nil, refused(" is hidden")
	}
	path := filepath.Join(dir, below)
	unreadable := func(err error) error {
		return &fault.Error{Code: Unreadable, Op: "read " + what, Place: path, Detail: Reason(err), Hint: "check the path and its permissions"}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unreadable(err)
	}
	defer root.Close() //nolint:errcheck // it was only read
	info, err := root.Stat(below)
	if err != nil {
		if _, there := os.Stat(path); there == nil { // it exists, but outside the directory
			return nil, refused(" leads out of the directory")
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
	case isHidden(resolved):
		return nil, refused(" leads to a hidden file")
	}
	f, err := root.Open(resolved)
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	data, err := ReadBounded(f, MostBytes)
	if err != nil {
		return nil, unreadable(err)
	}
	return WithoutMark(data), nil
}

// Below returns a name relative to a directory, if it does not lead out of it.
func Below(dir, name string) (string, bool) {
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
	path, err := RealPath(filepath.Join(dir, name))
	if err != nil {
		return "", err
	}
	if dir, err = RealPath(dir); err != nil {
		return "", err
	}
	below, err := filepath.Rel(dir, path)
	if err != nil {
		return "", &fault.Error{Code: Unreadable, Op: "find the file", Place: path, Detail: Reason(err), Hint: "check the path and its permissions"}
	}
	return below, nil
}

func isHidden(path string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.HasPrefix(part, ".") && part != "." {
			return true
		}
	}
	return false
}
