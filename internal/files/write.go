package files

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	newMode     os.FileMode = 0 // a new file: as the umask allows
	privateMode os.FileMode = 0o600
)

// Write atomically replaces a file with one that only its owner may read. It also replaces a link.
// On failure the path is unchanged and no other file is left.
func Write(path string, data []byte) error { return write(RealDisk{}, path, data, privateMode) }

// Create writes a file that must not exist yet. It appears complete or not at all: the data is written
// to a temporary file and linked to its name.
func Create(path string, data []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return ExistsError(path)
	}
	tmp, leave, err := writeBeside(RealDisk{}, path, data, newMode)
	defer leave()
	if err == nil {
		err = os.Link(tmp, path)
		if err == nil || errors.Is(err, fs.ErrExist) {
			err = errors.Join(err, os.Remove(tmp))
		} else { // a file system without links
			err = rename(RealDisk{}, tmp, path)
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return ExistsError(path)
	case err != nil:
		return cannotWrite(path, err, "check the directory and its permissions")
	}
	return nil
}

// Replace atomically replaces a file: readers see the old or the new bytes, also after a crash. The
// file keeps its mode. Links are followed; a pipe or a device is written to directly.
func Replace(path string, data []byte) error {
	if err := replace(RealDisk{}, path, data); err != nil {
		return cannotWrite(path, err, "nothing was written; check the path and its permissions")
	}
	return nil
}

func replace(d Disk, path string, data []byte) error {
	path = followLinks(path)
	info, err := os.Stat(path)
	if err != nil {
		return write(d, path, data, newMode)
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return errors.New("is a directory")
	case !mode.IsRegular():
		return writeThrough(path, data)
	case mode.Perm()&0o222 == 0:
		return os.ErrPermission
	default:
		return write(d, path, data, mode.Perm())
	}
}

// followLinks returns the target of links, which need not exist yet.
func followLinks(path string) string {
	const most = 40 // links may form a cycle
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

// write writes data to a temporary file beside path and renames it.
func write(d Disk, path string, data []byte, mode os.FileMode) error {
	tmp, leave, err := writeBeside(d, path, data, mode)
	defer leave()
	if err != nil {
		return err
	}
	return rename(d, tmp, path)
}

// rename renames a temporary file, or removes it on failure.
func rename(d Disk, tmp, path string) error {
	if err := d.Rename(tmp, path); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync() // makes the name durable; not supported by every file system
		_ = dir.Close()
	}
	return nil
}

// writeBeside writes a temporary file, which is not swept until leave is called.
func writeBeside(d Disk, path string, data []byte, mode os.FileMode) (name string, leave func(), err error) {
	dir := filepath.Dir(path)
	suffix, leave := enter(dir)
	name, err = WriteTemp(d, dir, "."+filepath.Base(path)+".*"+suffix, data, mode)
	return name, leave, err
}

// WriteTemp writes and syncs data to a new file, and returns its name; see Disk.CreateTemp for the
// pattern. Mode 0 means as the umask allows. An incomplete file is removed.
func WriteTemp(d Disk, dir, pattern string, data []byte, mode os.FileMode) (name string, err error) {
	initial := privateMode // until its mode is set
	if mode == newMode {
		initial = 0o666
	}
	tmp, err := d.CreateTemp(dir, pattern, initial)
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

// Disk is the file system for replacing files. Tests implement it to crash within each step.
type Disk interface {
	// CreateTemp creates a file. The last * of the pattern becomes an unused number.
	CreateTemp(dir, pattern string, mode os.FileMode) (TempFile, error)
	Rename(from, to string) error
}

// TempFile is a file being written under a temporary name.
type TempFile interface {
	Name() string
	Write(data []byte) (int, error)
	Chmod(mode os.FileMode) error
	Sync() error
	Close() error
}

// RealDisk is the file system.
type RealDisk struct{}

// CreateTemp creates a file with an unused name.
func (RealDisk) CreateTemp(dir, pattern string, mode os.FileMode) (TempFile, error) {
	at := strings.LastIndexByte(pattern, '*')
	for {
		name := pattern[:at] + strconv.FormatUint(uint64(rand.Uint32()), 10) + pattern[at+1:]
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		switch {
		case err == nil:
			return f, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		}
	}
}

// Rename atomically renames a file.
func (RealDisk) Rename(from, to string) error { return os.Rename(from, to) }
