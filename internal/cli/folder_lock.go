package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// How often, and after how long, a folder is tried that somebody else has. Whoever has
// it replaces files in it.
const (
	folderTries = 2000
	folderPause = 5 * time.Millisecond
)

var errFolderLocked = errors.New("another process that changes files in the folder does not come to an end")

// lockFolders keeps other processes of this program from changing files in folders,
// until unlock is called or the process ends, however it does.
func lockFolders(dirs []string) (unlock func(), err error) {
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
		f, err = awaitLock(f)
	}
	if err == nil || errors.Is(err, errFolderLocked) {
		return f, err
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(os.Getuid()) + "\x00" + dir))
	f, err = os.OpenFile(filepath.Join(os.TempDir(), "brenner-"+hex.EncodeToString(sum[:8])+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return awaitLock(f)
}

// awaitLock takes the lock of an open file, or closes it.
func awaitLock(f *os.File) (*os.File, error) {
	for range folderTries {
		mine, err := tryLock(f)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if mine {
			return f, nil
		}
		time.Sleep(folderPause)
	}
	return nil, errors.Join(errFolderLocked, f.Close())
}
