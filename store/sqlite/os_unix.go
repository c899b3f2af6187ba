//go:build unix

package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	// Some file systems do not support this.
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// writable returns why an existing file cannot be written. It does not open the file: closing it
// would end SQLite's locks on it.
func writable(file string) error { return unix.Access(file, unix.W_OK) }

// readable is writable for reading.
func readable(file string) error { return unix.Access(file, unix.R_OK) }
