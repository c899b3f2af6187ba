package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"brenner/internal/fault"
	fileio "brenner/internal/files"
	"brenner/patch"
)

// root is the directory below which patches may change files.
type root struct {
	dir    string            // without links
	byHash map[string]string // paths of its files; nil until a search
}

func openRoot(dir string) (*root, error) {
	actual, err := resolve(dir)
	if err != nil {
		return nil, fileio.CannotRead("open the root", dir, err)
	}
	if info, err := os.Stat(actual); err != nil || !info.IsDir() {
		return nil, &fault.Error{Code: fileio.Unreadable, Op: "open the root", Place: dir, Detail: "not a directory", Hint: "pass a directory with --root"}
	}
	return &root{dir: actual}, nil
}

// find returns the file of a patch's path. It follows links, but not out of the root.
func (r *root) find(path string) (string, *patch.Problem) {
	if p, ok := patch.CheckPath(path); !ok {
		return "", &p
	}
	file := filepath.Join(r.dir, filepath.FromSlash(path))
	actual, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", missingBase(path, fileio.Reason(err))
	}
	if rel, err := filepath.Rel(r.dir, actual); err != nil || !filepath.IsLocal(rel) {
		return "", &patch.Problem{
			Code: patch.PathUnsafe, Field: "target.path", Message: "the path " + fault.Shown(path) + " is a link out of the root",
			Hint: "patch the link's target, or pass another --root",
		}
	}
	return actual, regular(path, actual)
}

// regularFile returns the regular file of a path given by the user.
func regularFile(path string) (string, *patch.Problem) {
	actual, err := resolve(path)
	if err != nil {
		return "", missingBase(path, fileio.Reason(err))
	}
	return actual, regular(path, actual)
}

func resolve(path string) (string, error) {
	actual, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(actual)
}

// regular rejects anything but a regular file: opening a pipe blocks, and a device has no end.
func regular(path, actual string) *patch.Problem {
	info, err := os.Stat(actual)
	switch {
	case err != nil:
		return missingBase(path, fileio.Reason(err))
	case !info.Mode().IsRegular():
		return missingBase(path, "not a regular file")
	}
	return nil
}

func missingBase(path, why string) *patch.Problem {
	return &patch.Problem{
		Code: patch.BaseMissing, Field: "target.path", Message: "cannot read " + fault.Shown(path) + ": " + why,
		Hint: "check the path; it is relative to --root",
	}
}

// Bounds of the search for a file by hash.
const (
	maxSearchedFiles = 10_000
	maxSearchedBytes = 256 << 20
)

// withHash returns the path of the file with a hash, or "". It is for hints only.
func (r *root) withHash(hash string) string {
	if r.byHash == nil {
		r.search()
	}
	return r.byHash[hash]
}

func (r *root) search() {
	r.byHash = make(map[string]string)
	paths, left := 0, int64(maxSearchedBytes)
	// Unreadable files are skipped.
	_ = filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir
		case d.IsDir() && path != r.dir && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		switch paths++; {
		case paths > maxSearchedFiles, err == nil && info.Size() > left:
			return fs.SkipAll
		case err != nil, info.Size() == 0: // files in /proc have size 0 and may have no end
			return nil
		}
		data, err := fileio.ReadAtMost(path, left)
		if left -= int64(len(data)); err == nil {
			r.add(path, data)
		}
		return nil
	})
}

func (r *root) add(path string, data []byte) {
	t, problems := patch.NewText(data)
	if len(problems) > 0 {
		return
	}
	if _, known := r.byHash[t.Hash()]; known {
		return
	}
	if rel, err := filepath.Rel(r.dir, path); err == nil {
		r.byHash[t.Hash()] = filepath.ToSlash(rel)
	}
}
