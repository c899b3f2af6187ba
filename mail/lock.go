package mail

import (
	"os"
	"path/filepath"

	"brenner/filelock"
)

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
	if err := filelock.Await(f); err != nil {
		return nil, err
	}
	return f.Close, nil
}
