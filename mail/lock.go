package mail

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// How often, and after how long, a lock is tried that somebody has. Whoever has it
// replaces a small file.
const (
	lockTries = 2000
	lockPause = 5 * time.Millisecond
)

var errLocked = errors.New("another process does not let go of the lock")

// lock takes a file that the operating system locks for us, and makes it where it is
// not there. The lock ends with the process, however that ends; the file stays, since
// removing it would race with whoever opens it.
func lock(file string) (unlock func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for range lockTries {
		mine, err := tryLock(f)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if mine {
			return f.Close, nil
		}
		time.Sleep(lockPause)
	}
	return nil, errors.Join(errLocked, f.Close())
}
