package files

import (
	"errors"
	"os"
	"time"
)

// How often AwaitLock tries, and how long it waits in between. A lock is held while a
// small file is replaced.
const (
	tries = 2000
	pause = 5 * time.Millisecond
)

// ErrHeld is the error of a lock that another process does not release.
var ErrHeld = errors.New("another process does not let go of the lock")

// AwaitLock takes the exclusive lock of an open file, or closes the file.
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

// LockFile takes the exclusive lock of the file at path, and creates it where it does
// not exist. The file stays: removing it would race with a process that opens it.
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
