package sqlite

import (
	"strings"

	"golang.org/x/sys/unix"
)

// networkFileSystem returns the name of the directory's network file system, or "".
func networkFileSystem(dir string) (string, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return "", err
	}
	name := unix.ByteSliceToString(s.Fstypename[:])
	switch {
	case strings.Contains(name, "fuse"), strings.HasPrefix(name, "virtio"):
		return name, nil
	}
	switch name {
	case "nfs", "smbfs", "afpfs", "webdav", "cifs", "ftp", "9p":
		return name, nil
	}
	return "", nil
}
