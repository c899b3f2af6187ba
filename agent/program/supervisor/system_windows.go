package supervisor

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// Windows has to compile; nobody has tried it. There a program's tree is ended
// with taskkill.

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
