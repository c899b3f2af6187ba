//go:build unix

package programtest

import (
	"os/exec"
	"syscall"
	"time"
)

func inSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func crash() int {
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL) // does not return
	time.Sleep(time.Minute)
	return 1
}
