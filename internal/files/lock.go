package files

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

// AwaitLock takes the lock of an open file for it alone, or closes the file.
func AwaitLock(f *os.File) error {
	for range tries {
		mine, err := TryLock(f, true)
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

// LockFile takes the lock of a file of this name, and makes it where it is not there. The
// file stays: to remove it would race with whoever opens it.
func LockFile(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := AwaitLock(f); err != nil {
		return nil, err
	}
	return f.Close, nil
}
