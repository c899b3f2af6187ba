package cli

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// disk is what replacing a file asks of the file system. It is an interface so that
// a test can die within each step, as a process can.
type disk interface {
	// CreateTemp makes a file with a name that nobody has, and with a mode as far as
	// the user's umask lets it.
	CreateTemp(dir, pattern string, mode os.FileMode) (newFile, error)
	Rename(from, to string) error
}

// newFile is a file that is being written and has no name of its own yet.
type newFile interface {
	Name() string
	Write(data []byte) (int, error)
	Chmod(mode os.FileMode) error
	Sync() error
	Close() error
}

// realDisk is the file system.
type realDisk struct{}

func (realDisk) CreateTemp(dir, pattern string, mode os.FileMode) (newFile, error) {
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

func (realDisk) Rename(from, to string) error { return os.Rename(from, to) }
