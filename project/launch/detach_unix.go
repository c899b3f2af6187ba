//go:build unix

package launch

import "syscall"

// detached puts a process into a session of its own: an interrupt of the terminal does not reach it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
