package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	fileio "brenner/internal/files"
)

// lockDirs keeps other processes of this program from changing files in directories,
// until unlock is called or the process ends in any way.
func lockDirs(dirs []string) (unlock func(), err error) {
	var held []*os.File
	unlock = func() {
		for _, f := range held {
			_ = f.Close() // nothing was written to it
		}
	}
	// Every process takes them in the same order, so that no two wait for each other.
	sorted := slices.Compact(slices.Sorted(slices.Values(dirs)))
	for _, dir := range sorted {
		f, err := lockDir(dir)
		if err != nil {
			unlock()
			return nil, err
		}
		held = append(held, f)
	}
	return unlock, nil
}

// lockDir takes the lock of the directory itself: it leaves nothing behind, and every
// user who may write there sees it. Where a system cannot lock directories, as Windows
// and some network file systems, a temporary file of this user stands for the directory.
func lockDir(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err == nil {
		err = fileio.AwaitLock(f)
	}
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, fileio.ErrHeld):
		return nil, err
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(os.Getuid()) + "\x00" + dir))
	f, err = os.OpenFile(filepath.Join(os.TempDir(), "brenner-"+hex.EncodeToString(sum[:8])+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := fileio.AwaitLock(f); err != nil {
		return nil, err
	}
	return f, nil
}
