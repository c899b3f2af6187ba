package files

import (
	"errors"
	"os"
	"path/filepath"
)

// Write puts a file in its place in one step. Where it cannot, what was there before
// is still there, and nothing else is left.
func Write(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// syncFolder makes names durable where the system can.
func syncFolder(folder string) {
	if d, err := os.Open(folder); err == nil {
		_ = d.Sync() // not every file system can: the rename itself is done
		_ = d.Close()
	}
}
