// Package filelock locks open files between processes. The system takes a lock back
// when its holder ends, however it ends.
package filelock

import (
	"errors"
	"os"
	"time"
)

// How often, and after how long, a lock is tried that somebody has. Whoever has it
// replaces a small file.
const (
	tries = 2000
	pause = 5 * time.Millisecond
)

// ErrHeld says that somebody does not let go of a lock.
var ErrHeld = errors.New("another process does not let go of the lock")

// Await takes the lock of an open file for it alone, or closes the file.
func Await(f *os.File) error {
	for range tries {
		mine, err := Try(f, true)
		if err != nil {
			return errors.Join(err, f.Close())
		}
		if mine {
			return nil
		}
		time.Sleep(pause)
	}
	return errors.Join(ErrHeld, f.Close())
}

// AwaitFile takes the lock of a file of this name, and makes it where it is not there. The
// file stays: to remove it would race with whoever opens it.
func AwaitFile(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := Await(f); err != nil {
		return nil, err
	}
	return f.Close, nil
}
