//go:build unix

package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes a file for this open file alone (exclusive), or together with
// others that only look, without waiting. The lock ends with the file.
func tryLock(f *os.File, exclusive bool) (bool, error) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB) //nolint:gosec // a descriptor is small
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, err
		}
	}
}

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
