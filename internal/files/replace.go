package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"brenner/internal/fault"
)

// AlreadyThere returns the error of a file that would be created and exists.
func AlreadyThere(path string) error {
	return &fault.Error{
		Code: AlreadyExists, Op: "write", Place: path, Detail: "it is there already, and was not touched",
		Hint: "edit it, or move it away first",
	}
}

// Create writes a file that must not be there yet. It appears whole or not
// at all: the bytes are written beside it and linked to its name.
func Create(path string, data []byte) error {
	fail := func(err error) error {
		if errors.Is(err, fs.ErrExist) {
			return AlreadyThere(path)
		}
		return &fault.Error{Code: CannotWrite, Op: "write", Place: path, Detail: Reason(err), Hint: "check the folder and its permissions"}
	}
	if _, err := os.Lstat(path); err == nil {
		return fail(fs.ErrExist)
	}
	tmp, err := writeBeside(RealDisk{}, path, data, newMode)
	if err != nil {
		return fail(err)
	}
	err = os.Link(tmp, path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(tmp, path) // a file system without links
	} else if removed := os.Remove(tmp); err == nil {
		err = removed
	}
	if err != nil {
		return fail(err)
	}
	return nil
}

// Replace replaces a file in one step: a reader sees the old bytes or the new
// ones, and a crash leaves one of the two. A link is followed; what is no plain
// file (a pipe, a device) is written to as it is.
func Replace(path string, data []byte) error {
	err := ReplaceOn(RealDisk{}, path, data)
	if err != nil {
		return &fault.Error{
			Code: CannotWrite, Op: "write", Place: path, Detail: Reason(err),
			Hint: "nothing was written; check the path and its permissions",
		}
	}
	return nil
}

// ReplaceOn is Replace on a given file system.
func ReplaceOn(d Disk, path string, data []byte) error {
	path = followed(path)
	keep := newMode
	if info, err := os.Stat(path); err == nil {
		mode := info.Mode()
		keep = mode.Perm()
		switch {
		case mode.IsDir():
			return errors.New("it is a folder")
		case !mode.IsRegular():
			return writeThrough(path, data)
		case mode.Perm()&0o222 == 0:
			return os.ErrPermission
		}
	}
	tmp, err := writeBeside(d, path, data, keep)
	if err != nil {
		return err
	}
	if err := d.Rename(tmp, path); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

// followed gives what a name leads to, which need not be there yet.
func followed(path string) string {
	const most = 40 // links that lead to each other end somewhere else
	for range most {
		target, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return path
}

func writeThrough(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// writeBeside writes data to a new file in the folder of path, down to the disk,
// and gives its name. What could not be written whole is removed.
func writeBeside(d Disk, path string, data []byte, mode os.FileMode) (name string, err error) {
	return WriteTemp(d, filepath.Dir(path), "."+filepath.Base(path)+".*", data, mode)
}

// newMode is that of a file that was not there: as readable as the user's umask says.
const newMode os.FileMode = 0

// WriteTemp does so under a name of a pattern.
func WriteTemp(d Disk, dir, pattern string, data []byte, mode os.FileMode) (name string, err error) {
	made := os.FileMode(0o600) // nobody else reads it before it has the mode that it shall have
	if mode == newMode {
		made = 0o666
	}
	tmp, err := d.CreateTemp(dir, pattern, made)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	_, err = tmp.Write(data)
	if err == nil && mode != newMode {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	return tmp.Name(), errors.Join(err, tmp.Close())
}
