//go:build unix && !linux

package supervisor

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

func ownBinary() (string, error) { return os.Executable() }

// programAttr starts a program in its own session and group.
func programAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// adoptOrphans does nothing: only Linux supports it. Here the tree remembers
// processes it has seen before their parents exit.
func adoptOrphans() {}

// marked returns the pids of the processes with a variable in their environment, which ps shows on
// macOS for the user's own programs.
func marked(_ []process, variable string) map[int]bool {
	out, err := exec.Command("ps", "-axEww", "-o", "pid=,command=").Output()
	if err != nil {
		return nil
	}
	found := map[int]bool{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); slices.Contains(f, variable) {
			if pid, err := strconv.Atoi(f[0]); err == nil {
				found[pid] = true
			}
		}
	}
	return found
}

func kill(p process) { _ = syscall.Kill(p.pid, syscall.SIGKILL) } // it may have exited

// processes returns all processes of the system except its own ps.
func processes() ([]process, error) {
	ps := exec.Command("ps", "-axo", "pid=,ppid=,pgid=,stat=,lstart=,comm=")
	out, err := ps.Output()
	if err != nil {
		return nil, err
	}
	var list []process
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 10 {
			continue
		}
		var number [3]int
		for i := range number {
			if number[i], err = strconv.Atoi(f[i]); err != nil {
				break
			}
		}
		if err != nil || number[0] == ps.Process.Pid {
			continue
		}
		list = append(list, process{
			pid: number[0], parent: number[1], group: number[2], dead: strings.HasPrefix(f[3], "Z"),
			began: strings.Join(f[4:9], " "), name: f[9],
		})
	}
	return list, nil
}
