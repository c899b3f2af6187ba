//go:build unix

package programtest

import (
	"os/exec"
	"syscall"
	"time"
)

func inSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func crash() int {
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL) // nobody comes back from it
	time.Sleep(time.Minute)
	return 1
}
