package sqlite

import (
	"os"
	"path/filepath"

	"brenner/internal/fault"
	"brenner/store"
)

// CheckLocal refuses network file systems. WAL needs shared memory and reliable file locks, and a
// store without them would seem to work and lose data. A nil network function asks the operating
// system.
func CheckLocal(dir string, network func(dir string) (string, error)) error {
	if network == nil {
		network = networkFileSystem
	}
	kind, err := network(nearest(dir))
	if err != nil {
		return &fault.Error{
			Code: store.Unwritable, Op: "open the store", Place: dir, Detail: "cannot determine its file system", Cause: err,
			Hint: "check the permissions of the directory",
		}
	}
	if kind == "" {
		return nil
	}
	return &fault.Error{
		Code: store.Unsupported, Op: "open the store", Place: dir,
		Detail: "the directory is on the file system " + fault.Shown(kind) + ", where SQLite's WAL mode is not safe",
		Hint:   "move the project to a local disk, or run brenner on the machine with the disk",
	}
}

// nearest returns dir or its nearest existing parent.
func nearest(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
