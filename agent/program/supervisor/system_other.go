//go:build unix && !linux

package supervisor

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

func ownBinary() (string, error) { return os.Executable() }

// supervised is how a program starts: in a session and a group of its own.
func supervised() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// adoptOrphans is what only Linux can. Here the tree is looked at again and again,
// and who was seen once is known when its parent is gone.
func adoptOrphans() {}

// processes gives all processes of the system but the one that lists them.
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
