//go:build unix

package supervisor

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFD takes the lock of a file; false means that somebody has it.
func lockFD(f *os.File) (bool, error) {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, err
		}
	}
}
