package files

import (
	"errors"
	"os"
	"time"
)

// How often and how fast AwaitLock tries. A lock is held only while a small file is replaced.
const (
	tries = 2000
	pause = 5 * time.Millisecond
)

// ErrHeld means that another process holds the lock.
var ErrHeld = errors.New("lock held by another process")

// AwaitLock acquires the exclusive lock of an open file, or closes the file.
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

// LockFile acquires the exclusive lock of the file at path, creating it if needed. The file stays,
// because removing it would race with a process that opens it.
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
