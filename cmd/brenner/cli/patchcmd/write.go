package patchcmd

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/files"
)

// errMoved is a path that leads to another folder than it did a moment ago.
var errMoved = errors.New("it was moved while the patch was being applied")

// Lock keeps the files of a plan from changing until unlock is called. Where somebody
// wrote to one since it was read, the patches are held against what stands there now.
func (p *patchPlan) Lock() (unlock func(), err error) {
	dirs := p.folders()
	if unlock, err = LockFolders(dirs); err != nil {
		return nil, unwritable(p.files[0].path, err)
	}
	if !p.current() {
		if p.workOut(); !slices.Equal(dirs, p.folders()) && p.Ok() {
			unlock()
			return nil, unwritable(p.files[0].path, errMoved)
		}
	}
	return unlock, nil
}

// folders gives where the files of a plan are.
func (p *patchPlan) folders() []string {
	var dirs []string
	for _, f := range p.files {
		dirs = append(dirs, filepath.Dir(f.actual))
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// current tells whether all files are as they were read.
func (p *patchPlan) current() bool {
	return !slices.ContainsFunc(p.files, func(f *patchedFile) bool {
		data, err := files.Read(f.actual)
		return err != nil || !bytes.Equal(data, f.before.Bytes())
	})
}

// write replaces the files that change, and gives the names of those that it replaced.
// All are written beside the old ones first: what can go wrong goes wrong before the
// first is replaced.
func (p *patchPlan) write(d files.Disk) (written []string, err error) {
	files := p.changed()
	var ready []string
	defer func() {
		for _, tmp := range ready[len(written):] {
			err = errors.Join(err, os.Remove(tmp))
		}
	}()
	for _, f := range files {
		tmp, err := f.prepare(d)
		if err != nil {
			return nil, unwritable(f.path, err)
		}
		ready = append(ready, tmp)
	}
	for i, f := range files {
		if err := d.Rename(ready[i], f.actual); err != nil {
			return written, unwritable(f.path, err)
		}
		written = append(written, f.path)
	}
	return written, nil
}

// prepare writes what a file will hold beside it.
func (f *patchedFile) prepare(d files.Disk) (tmp string, err error) {
	info, err := os.Stat(f.actual)
	switch {
	case err != nil:
		return "", err
	case info.Mode().Perm()&0o222 == 0:
		return "", os.ErrPermission
	}
	dir, name := filepath.Split(f.actual)
	if err := sweep(dir, name); err != nil {
		return "", err
	}
	return files.WriteTemp(d, dir, "."+name+".*"+unfinished, f.now.Bytes(), info.Mode().Perm())
}

// unfinished ends the name of a file that a patch makes, as long as it is not whole.
const unfinished = ".brenner-patch"

// sweep removes what a process that was killed left beside a file. Whoever writes such
// files has the lock of the folder, so that none of them is anybody's.
func sweep(dir, name string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		middle, ours := strings.CutPrefix(e.Name(), "."+name+".")
		middle, done := strings.CutSuffix(middle, unfinished)
		if !ours || !done || middle == "" || strings.Trim(middle, "0123456789") != "" || !e.Type().IsRegular() {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func unwritable(path string, err error) error {
	return &fault.Error{Code: files.CannotWrite, Op: "write", Place: path, Detail: files.Reason(err), Hint: "it is as it was; check the file and its permissions"}
}
