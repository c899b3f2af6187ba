package launch

import "syscall"

// detached puts a process into a group of its own: an interrupt of the console does not reach it.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
