package patchcmd

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"brenner/internal/files"
)

// LockFolders keeps other processes of this program from changing files in folders,
// until unlock is called or the process ends, however it does.
func LockFolders(dirs []string) (unlock func(), err error) {
	var held []*os.File
	unlock = func() {
		for _, f := range held {
			_ = f.Close() // nothing was written to it
		}
	}
	// All take them in one order, so that no two wait for each other.
	sorted := slices.Compact(slices.Sorted(slices.Values(dirs)))
	for _, dir := range sorted {
		f, err := lockFolder(dir)
		if err != nil {
			unlock()
			return nil, err
		}
		held = append(held, f)
	}
	return unlock, nil
}

// lockFolder takes the lock of the folder itself: it leaves nothing behind, and who
// else may write there sees it, too. Where a system cannot lock folders, as Windows and
// some network file systems, it is a file of this user that stands for the folder.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err == nil {
		err = files.AwaitLock(f)
	}
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, files.ErrHeld):
		return nil, err
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(os.Getuid()) + "\x00" + dir))
	f, err = os.OpenFile(filepath.Join(os.TempDir(), "brenner-"+hex.EncodeToString(sum[:8])+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := files.AwaitLock(f); err != nil {
		return nil, err
	}
	return f, nil
}
