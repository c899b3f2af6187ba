//go:build unix

package supervisor

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// sessionAttr detaches a supervisor from the terminal: Ctrl-C goes to the parent,
// which stops the supervisor.
func sessionAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// prepare sets this process up as a supervisor. Writing to a dead parent must be an
// error, not a signal. SIGPIPE is handled, not ignored, because programs inherit
// ignored signals.
func prepare() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	adoptOrphans()
}

func signals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} }

// signalOf returns the signal that killed a process, or "".
func signalOf(s *os.ProcessState) string {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return w.Signal().String()
	}
	return ""
}

// place identifies a directory: a renamed one is the same, a copy is not.
func place(dir string) string {
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d", stat.Dev, stat.Ino)
}

// Private reports whether a directory belongs to this user, and other users cannot use it.
func Private(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(os.Geteuid())
}

// killGroup kills a process and its group.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
