package postgrestest

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged makes a command run as the user postgres if this process is root's, and end with it.
func unprivileged(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid, err := postgres()
	c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} //nolint:gosec // both are numbers of the system
	return err
}

// own changes the owner of files to the user who runs the server.
func own(paths ...string) error {
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid, err := postgres()
	for _, path := range paths {
		if err == nil {
			err = os.Chown(path, uid, gid)
		}
	}
	return err
}

func postgres() (uid, gid int, err error) {
	u, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, fmt.Errorf("PostgreSQL does not run as root, and there is no user postgres: %w", err)
	}
	if uid, err = strconv.Atoi(u.Uid); err == nil {
		gid, err = strconv.Atoi(u.Gid)
	}
	return uid, gid, err
}
