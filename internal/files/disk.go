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

// Disk is what replacing a file asks of the file system. It is an interface so that
// a test can die within each step, as a process can.
type Disk interface {
	// CreateTemp makes a file with a name that nobody has, and with a mode as far as
	// the user's umask lets it.
	CreateTemp(dir, pattern string, mode os.FileMode) (NewFile, error)
	Rename(from, to string) error
}

// NewFile is a file that is being written and has no name of its own yet.
type NewFile interface {
	Name() string
	Write(data []byte) (int, error)
	Chmod(mode os.FileMode) error
	Sync() error
	Close() error
}

// RealDisk is the file system.
type RealDisk struct{}

// CreateTemp creates a file with a name that is not taken.
func (RealDisk) CreateTemp(dir, pattern string, mode os.FileMode) (NewFile, error) {
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

// Rename gives a file another name, in one step.
func (RealDisk) Rename(from, to string) error { return os.Rename(from, to) }
