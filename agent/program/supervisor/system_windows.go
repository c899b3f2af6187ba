package supervisor

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// Windows has to compile; nobody has tried it. There a program's tree is ended
// with taskkill.

func lockFD(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func ownSession() *syscall.SysProcAttr { return nil }

func supervised() *syscall.SysProcAttr { return nil }

func prepare() {}

func signals() []os.Signal { return []os.Signal{os.Interrupt} }

func ownBinary() (string, error) { return os.Executable() }

func endedBy(*os.ProcessState) string { return "" }

// tree is a program and all that came of it.
type tree struct{ root int }

func newTree(root int) *tree { return &tree{root: root} }

func (*tree) busy() bool { return false }

func (t *tree) end(*Job, <-chan struct{}) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(t.root)).Run() // it may be gone already
}

func (*tree) sweep(time.Duration) []string { return nil }

func killGroup(p *os.Process) error { return p.Kill() }
