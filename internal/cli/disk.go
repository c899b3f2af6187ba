package cli

import "os"

// disk is what replacing a file asks of the file system. It is an interface so that
// a test can die within each step, as a process can.
type disk interface {
	CreateTemp(dir, pattern string) (newFile, error)
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

func (realDisk) CreateTemp(dir, pattern string) (newFile, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (realDisk) Rename(from, to string) error { return os.Rename(from, to) }
