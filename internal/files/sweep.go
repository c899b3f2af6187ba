package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// tempSuffix marks the temporary files of processes that hold the lock of the directory, shared. If
// no process holds it, such a file is one of a killed process.
const tempSuffix = ".brenner-tmp"

// Sweep removes the temporary files that killed processes left in a directory, unless another
// process is writing there or the directory cannot be locked.
func Sweep(dir string) {
	_, leave := enter(dir)
	leave()
}

// enter sweeps a directory and locks it until leave is called. It returns the suffix for temporary
// files; without the lock, they get a name that is never swept.
func enter(dir string) (suffix string, leave func()) {
	f, err := os.Open(dir + string(filepath.Separator) + ".") // anything but a directory fails at once
	if err != nil {
		return "", func() {}
	}
	if alone, err := TryLock(f, true); err == nil && alone {
		_ = RemoveTemp(dir, "", tempSuffix) // what cannot be removed stays
	}
	if shared, err := TryLock(f, false); err == nil && shared {
		suffix = tempSuffix
	}
	return suffix, func() { _ = f.Close() } // nothing was written to it
}

// RemoveTemp removes the regular files of a directory that have a number between the prefix and the
// suffix, as CreateTemp names them. An empty prefix stands for that of any file.
func RemoveTemp(dir, prefix, suffix string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		rest, ours := strings.CutSuffix(e.Name(), suffix)
		before := strings.TrimRight(rest, "0123456789")
		ours = ours && before != rest && (before == prefix || prefix == "" && strings.HasPrefix(before, ".") && strings.HasSuffix(before, "."))
		if ours && e.Type().IsRegular() {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}
