package sqlite

import "golang.org/x/sys/unix"

// networkFileSystem returns the name of the directory's network file system, or "". FUSE counts as
// one: sshfs, GlusterFS and shared directories of virtual machines use it, and the kernel cannot tell
// them from a local disk.
func networkFileSystem(dir string) (string, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return "", err
	}
	// The numbers are from statfs(2) and from the sources of these file systems.
	switch uint32(s.Type) { //nolint:gosec // the type has 32 bits, whatever the field's size
	case 0x6969:
		return "NFS", nil
	case 0x517b, 0xff534d42, 0xfe534d42:
		return "SMB", nil
	case 0x01021997:
		return "9p", nil
	case 0x5346414f, 0x6b414653:
		return "AFS", nil
	case 0x00c36400:
		return "Ceph", nil
	case 0x65735546:
		return "FUSE", nil
	case 0x0bd00bd0:
		return "Lustre", nil
	case 0x47504653:
		return "GPFS", nil
	case 0x19830326:
		return "BeeGFS", nil
	case 0x20030528:
		return "OrangeFS", nil
	case 0x73757245:
		return "Coda", nil
	case 0x564c:
		return "NCP", nil
	case 0x786f4256:
		return "VirtualBox shared folder", nil
	case 0xbacbacbc:
		return "VMware shared folder", nil
	}
	return "", nil
}
