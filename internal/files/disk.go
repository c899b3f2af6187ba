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

// Disk is the part of the file system that replaces files. It is an interface so that a
// test can kill its process within each step.
type Disk interface {
	// CreateTemp creates a file whose name is not taken. The last * of the pattern
	// becomes a number; the umask limits the mode.
	CreateTemp(dir, pattern string, mode os.FileMode) (TempFile, error)
	Rename(from, to string) error
}

// TempFile is a file that is being written, before it gets its name.
type TempFile interface {
	Name() string
	Write(data []byte) (int, error)
	Chmod(mode os.FileMode) error
	Sync() error
	Close() error
}

// RealDisk is the file system.
type RealDisk struct{}

// CreateTemp creates a file whose name is not taken.
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

// Rename renames a file in one step.
func (RealDisk) Rename(from, to string) error { return os.Rename(from, to) }
