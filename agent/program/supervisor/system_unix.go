//go:build unix

package supervisor

import (
	"os"
	"os/signal"
	"syscall"
)

// ownSession keeps a supervisor away from the terminal: Ctrl-C is for whoever
// started it, and that one tells it.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// prepare makes this process fit to be a supervisor. A write to a parent that is
// gone must be an error and no signal; a signal that is handled, unlike one that
// is ignored, is not so for the program.
func prepare() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	adoptOrphans()
}

func signals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} }

// endedBy gives the signal that ended a process.
func endedBy(s *os.ProcessState) string {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return w.Signal().String()
	}
	return ""
}

// killGroup ends a process and its group.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
