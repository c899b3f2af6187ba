package supervisor

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownBinary returns the binary of this process, even if its file was replaced.
func ownBinary() (string, error) { return "/proc/self/exe", nil }

// programAttr starts a program in its own session and group; the kernel kills it when
// the supervisor dies.
func programAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// adoptOrphans makes orphaned descendants children of this process, in whatever
// session they are, so that none is lost.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } // since Linux 3.4

// processes returns all processes of the system.
func processes() ([]process, error) {
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	list := make([]process, 0, len(all))
	for _, path := range all {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has exited
		}
		if p, ok := parseStat(data); ok {
			list = append(list, p)
		}
	}
	return list, nil
}

// marked returns the pids of the processes with a variable in their environment.
func marked(all []process, variable string) map[int]bool {
	found := map[int]bool{}
	for _, p := range all {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/environ")
		if err == nil && bytes.Contains(append([]byte{0}, data...), []byte("\x00"+variable+"\x00")) {
			found[p.pid] = true
		}
	}
	return found
}

// kill kills a process, and never another one with the same pid.
func kill(p process) {
	same, err := os.FindProcess(p.pid) // holds the process, since Linux 5.4
	if err != nil {
		return
	}
	defer same.Release() //nolint:errcheck // nothing to do
	data, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/stat")
	if now, ok := parseStat(data); err == nil && ok && now.began == p.began {
		_ = same.Kill() // it may have exited
	}
}

// parseStat parses "pid (name) state ppid pgrp …"; the name may contain anything.
func parseStat(data []byte) (process, bool) {
	open, shut := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || shut < open {
		return process{}, false
	}
	f := bytes.Fields(data[shut+1:])
	if len(f) < 20 {
		return process{}, false
	}
	number := func(b []byte) int {
		n, _ := strconv.Atoi(string(b)) // the kernel writes numbers
		return n
	}
	return process{
		pid: number(bytes.TrimSpace(data[:open])), parent: number(f[1]), group: number(f[2]),
		name: string(data[open+1 : shut]), dead: f[0][0] == 'Z' || f[0][0] == 'X',
		work: number(f[11]) + number(f[12]), began: string(f[19]),
	}, true
}
