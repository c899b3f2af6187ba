package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"brenner/internal/fault"
	fileio "brenner/internal/files"
)

// errMoved is the error of a path that now leads to another directory.
var errMoved = errors.New("moved while the patch was being applied")

// lock keeps the files of a plan from changing until unlock is called. If one changed since it
// was read, the patches are computed again.
func (p *plan) lock() (unlock func(), err error) {
	dirs := p.dirs()
	if unlock, err = lockDirs(dirs); err != nil {
		return nil, cannotWrite(p.files[0].path, err)
	}
	if !p.current() {
		if p.compute(); !slices.Equal(dirs, p.dirs()) && p.ok() {
			unlock()
			return nil, cannotWrite(p.files[0].path, errMoved)
		}
	}
	return unlock, nil
}

func (p *plan) dirs() []string {
	var dirs []string
	for _, f := range p.files {
		dirs = append(dirs, filepath.Dir(f.actual))
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func (p *plan) current() bool {
	return !slices.ContainsFunc(p.files, func(f *target) bool {
		data, err := fileio.Read(f.actual)
		return err != nil || !bytes.Equal(data, f.before.Bytes())
	})
}

// write replaces the changed files and returns their paths. It writes all texts next to the
// files first, so that most failures occur before the first file is replaced.
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
			return nil, cannotWrite(f.path, err)
		}
		ready = append(ready, tmp)
	}
	for i, f := range changed {
		if err := d.Rename(ready[i], f.actual); err != nil {
			return written, cannotWrite(f.path, err)
		}
		written = append(written, f.path)
	}
	return written, nil
}

func (f *target) prepare(d fileio.Disk) (tmp string, err error) {
	info, err := os.Stat(f.actual)
	switch {
	case err != nil:
		return "", err
	case info.Mode().Perm()&0o222 == 0:
		return "", os.ErrPermission
	}
	dir, name := filepath.Split(f.actual)
	// Only the holder of the directory's lock writes such files: those there are of a killed process.
	if err := fileio.RemoveTemp(dir, "."+name+".", tempSuffix); err != nil {
		return "", err
	}
	return fileio.WriteTemp(d, dir, "."+name+".*"+tempSuffix, f.now.Bytes(), info.Mode().Perm())
}

// tempSuffix is the suffix of a new text until it is renamed.
const tempSuffix = ".brenner-patch"

func cannotWrite(path string, err error) error {
	return &fault.Error{Code: fileio.CannotWrite, Op: "write", Place: path, Detail: fileio.Reason(err), Hint: "the file is unchanged; check it and its permissions"}
}

// lockDirs keeps other processes of this program from changing files in directories until
// unlock is called or the process ends.
func lockDirs(dirs []string) (unlock func(), err error) {
	var held []*os.File
	unlock = func() {
		for _, f := range held {
			_ = f.Close() // nothing was written to it
		}
	}
	// The same order in every process avoids deadlocks.
	for _, dir := range slices.Compact(slices.Sorted(slices.Values(dirs))) {
		f, err := lockDir(dir)
		if err != nil {
			unlock()
			return nil, err
		}
		held = append(held, f)
	}
	return unlock, nil
}

// lockDir locks the directory itself: that leaves nothing behind and is visible to every user
// who may write there. If directories cannot be locked, as on Windows and some network file
// systems, a temporary file of this user is locked instead.
func lockDir(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err == nil {
		err = fileio.AwaitLock(f)
	}
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, fileio.ErrHeld):
		return nil, err
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(os.Getuid()) + "\x00" + dir))
	f, err = os.OpenFile(filepath.Join(os.TempDir(), "brenner-"+hex.EncodeToString(sum[:8])+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := fileio.AwaitLock(f); err != nil {
		return nil, err
	}
	return f, nil
}
