package supervisor

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// Windows must compile; it is untested. There taskkill kills a program's tree.

func sessionAttr() *syscall.SysProcAttr { return nil }

func programAttr() *syscall.SysProcAttr { return nil }

func prepare() {}

func signals() []os.Signal { return []os.Signal{os.Interrupt} }

func ownBinary() (string, error) { return os.Executable() }

func signalOf(*os.ProcessState) string { return "" }

// tree is a program and its descendants.
type tree struct{ root int }

func newTree(root int) *tree { return &tree{root: root} }

func (*tree) busy() bool { return false }

func (t *tree) end(*Job, <-chan struct{}) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(t.root)).Run() // it may have exited
}

func (*tree) sweep(time.Duration) []string { return nil }

func killMarked(string, map[int]string) bool { return false }

func killGroup(p *os.Process) error { return p.Kill() }
