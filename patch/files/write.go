package files

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"brenner/internal/fault"
	fileio "brenner/internal/files"
)

// errMoved is the error of a path that leads to another directory than before.
var errMoved = errors.New("it was moved while the patch was being applied")

// lock keeps the files of a plan from changing until unlock is called. Where one changed
// since it was read, the patches are worked out again.
func (p *plan) lock() (unlock func(), err error) {
	dirs := p.dirs()
	if unlock, err = lockDirs(dirs); err != nil {
		return nil, unwritable(p.files[0].path, err)
	}
	if !p.current() {
		if p.workOut(); !slices.Equal(dirs, p.dirs()) && p.ok() {
			unlock()
			return nil, unwritable(p.files[0].path, errMoved)
		}
	}
	return unlock, nil
}

// dirs returns the directories of the plan's files.
func (p *plan) dirs() []string {
	var dirs []string
	for _, f := range p.files {
		dirs = append(dirs, filepath.Dir(f.actual))
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// current reports whether all files are as they were read.
func (p *plan) current() bool {
	return !slices.ContainsFunc(p.files, func(f *target) bool {
		data, err := fileio.Read(f.actual)
		return err != nil || !bytes.Equal(data, f.before.Bytes())
	})
}

// write replaces the files that change, and returns the paths of those it replaced. All
// texts are written beside the files first, so that most failures come before the first
// file is replaced.
func (p *plan) write(d fileio.Disk) (written []string, err error) {
	changed := p.changed()
	var ready []string
	defer func() {
		for _, tmp := range ready[len(written):] {
			err = errors.Join(err, os.Remove(tmp))
		}
	}()
	for _, f := range changed {
		tmp, err := f.prepare(d)
		if err != nil {
			return nil, unwritable(f.path, err)
		}
		ready = append(ready, tmp)
	}
	for i, f := range changed {
		if err := d.Rename(ready[i], f.actual); err != nil {
			return written, unwritable(f.path, err)
		}
		written = append(written, f.path)
	}
	return written, nil
}

// prepare writes the new text of a file beside it.
func (f *target) prepare(d fileio.Disk) (tmp string, err error) {
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
	return fileio.WriteTemp(d, dir, "."+name+".*"+unfinished, f.now.Bytes(), info.Mode().Perm())
}

// unfinished ends the name of a new text until it is renamed.
const unfinished = ".brenner-patch"

// sweep removes what a killed process left beside a file. Only the holder of the
// directory's lock writes such files, so none of them is in use.
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
	return &fault.Error{Code: fileio.CannotWrite, Op: "write", Place: path, Detail: fileio.Reason(err), Hint: "it is as it was; check the file and its permissions"}
}
