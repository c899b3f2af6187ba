//go:build unix

package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncFolder has a folder's names on the disk before it goes on.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	// Some file systems cannot do it, and then there is nothing to be done.
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// writable says why a file that exists cannot be written to. It asks without
// opening it, because closing it again would end SQLite's locks on it.
func writable(file string) error { return unix.Access(file, unix.W_OK) }
