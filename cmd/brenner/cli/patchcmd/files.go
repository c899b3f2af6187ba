package patchcmd

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/patch"
)

// patchRoot is the folder below which patches may change files.
type patchRoot struct {
	dir    string            // without links
	byHash map[string]string // what files there are, when somebody asked for it
}

func openPatchRoot(dir string) (*patchRoot, error) {
	actual, err := filepath.EvalSymlinks(dir)
	if err == nil {
		actual, err = filepath.Abs(actual)
	}
	if err != nil {
		return nil, files.CannotRead("open the root", dir, err)
	}
	if info, err := os.Stat(actual); err != nil || !info.IsDir() {
		return nil, &fault.Error{Code: files.Unreadable, Op: "open the root", Place: dir, Detail: "it is no folder", Hint: "name a folder with --root"}
	}
	return &patchRoot{dir: actual}, nil
}

// find gives the real place of a patch's path. Links are followed, and one that
// leads out of the root is refused.
func (r *patchRoot) find(path string) (string, *patch.Problem) {
	if p, ok := patch.CheckPath(path); !ok {
		return "", &p
	}
	file := filepath.Join(r.dir, filepath.FromSlash(path))
	actual, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", missingBase(path, files.Reason(err))
	}
	if rel, err := filepath.Rel(r.dir, actual); err != nil || !filepath.IsLocal(rel) {
		return "", &patch.Problem{
			Code: patch.PathUnsafe, Field: "target.path", Message: "the path " + fault.Shown(path) + " is a link that leads out of the root",
			Hint: "patch the file where it is, or choose another --root",
		}
	}
	return actual, plain(path, actual)
}

// plainFile gives the real place of a file that a person names.
func plainFile(path string) (string, *patch.Problem) {
	actual, err := filepath.EvalSymlinks(path)
	if err == nil {
		actual, err = filepath.Abs(actual)
	}
	if err != nil {
		return "", missingBase(path, files.Reason(err))
	}
	return actual, plain(path, actual)
}

// plain refuses what is no plain file before anybody waits for it: whoever opens a pipe
// waits for whoever writes to it, and a device has no end.
func plain(path, actual string) *patch.Problem {
	info, err := os.Stat(actual)
	switch {
	case err != nil:
		return missingBase(path, files.Reason(err))
	case !info.Mode().IsRegular():
		return missingBase(path, "it is no plain file")
	}
	return nil
}

func missingBase(path, why string) *patch.Problem {
	return &patch.Problem{
		Code: patch.BaseMissing, Field: "target.path", Message: "the file " + fault.Shown(path) + " cannot be read: " + why,
		Hint: "check the path; it is looked for below --root",
	}
}

// The bounds of the search for a file with a certain hash.
const (
	searchedFiles = 10_000
	searchedBytes = 256 << 20
)

// withHash names the file that a patch was made for, if there is one; it is never
// patched instead of the one that the patch names.
func (r *patchRoot) withHash(hash string) string {
	if r.byHash == nil {
		r.byHash = make(map[string]string)
		r.look()
	}
	return r.byHash[hash]
}

func (r *patchRoot) look() {
	paths, left := 0, int64(searchedBytes)
	// What cannot be read is not the file that is looked for.
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
		case paths > searchedFiles, err == nil && info.Size() > left:
			return fs.SkipAll
		case err != nil, info.Size() == 0: // one of the system's has no size, and may have no end
			return nil
		}
		data, err := files.ReadAtMost(path, left)
		if left -= int64(len(data)); err == nil {
			r.note(path, data)
		}
		return nil
	})
}

func (r *patchRoot) note(path string, data []byte) {
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

// patchedFile is a file with what patches make of it.
type patchedFile struct {
	path   string // as the patches call it
	actual string
	before *patch.Text
	now    *patch.Text
	failed string // the patch that did not apply to it
}

// patchFiles gives the files of patches that arguments name: a folder stands for all
// .json files in it, by name.
func patchFiles(a *ui.App, args []string) ([]string, error) {
	var all []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if arg == "-" || err != nil || !info.IsDir() {
			all = append(all, arg)
			continue
		}
		entries, err := os.ReadDir(arg)
		if err != nil {
			return nil, files.CannotRead("read the folder", arg, err)
		}
		n := len(all)
		for _, e := range entries {
			if !e.IsDir() && filepath.Ext(e.Name()) == ".json" && !strings.HasPrefix(e.Name(), ".") {
				all = append(all, filepath.Join(arg, e.Name()))
			}
		}
		if len(all) == n {
			return nil, &fault.Error{Code: files.Unreadable, Op: "read the folder", Place: arg, Detail: "there is no patch in it", Hint: "patches are files whose names end with .json"}
		}
	}
	return all, nil
}
