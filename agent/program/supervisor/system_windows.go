package supervisor

import (
	"os"
	"os/exec"
	"path/filepath"
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

// place identifies a directory by its parent, since a run may be renamed.
func place(dir string) string { return filepath.Dir(dir) }

// Private reports whether this is a directory: the temporary directory is each user's own.
func Private(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir()
}

func killGroup(p *os.Process) error { return p.Kill() }
