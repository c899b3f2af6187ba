//go:build unix

package supervisor

import (
	"os"
	"path"
	"syscall"
	"time"
)

// process is a process of the system.
type process struct {
	pid, parent, group int
	name               string
	began              string // start time as the system writes it; distinguishes reused pids
	dead               bool   // a zombie
	work               int    // CPU time in ticks; 0 if unknown
}

// tree is a program and its descendants. A process belongs to it by its ancestors,
// by the program's group, or because it was seen in it before.
type tree struct {
	root  int
	known map[int]string // start times by pid
	work  int
}

func newTree(root int) *tree { return &tree{root: root, known: map[int]string{}} }

// living returns the tree's live processes and reaps our dead children, except the
// program itself.
func (t *tree) living() []process {
	all, err := processes()
	if err != nil {
		return nil
	}
	self := os.Getpid()
	ours := map[int]bool{self: true, t.root: true}
	for _, p := range all {
		if p.pid != self && (p.group == t.root || t.known[p.pid] == p.began) {
			ours[p.pid] = true
		}
	}
	for more := true; more; {
		more = false
		for _, p := range all {
			if !ours[p.pid] && ours[p.parent] {
				ours[p.pid], more = true, true
			}
		}
	}
	var living []process
	for _, p := range all {
		switch {
		case !ours[p.pid] || p.pid == self:
		case !p.dead:
			t.known[p.pid] = p.began
			living = append(living, p)
		case p.parent == self && p.pid != t.root:
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil) // a dead orphan
		}
	}
	return living
}

// leastWork is the least CPU time, in ticks between two checks, of a program that is
// not hanging. Measured: a hanging gemini or codex uses at most one tick in four seconds.
const leastWork = 2

// busy reports whether the tree has used CPU time since the last call.
func (t *tree) busy() bool {
	work := 0
	for _, p := range t.living() {
		work += p.work
	}
	was := t.work
	t.work = work
	return work >= was+leastWork
}

// end sends the polite signal and waits for the grace period; sweep follows. over is
// closed when the program itself has exited.
func (t *tree) end(job *Job, over <-chan struct{}) {
	polite := syscall.SIGTERM
	if job.Interrupt {
		polite = syscall.SIGINT
	}
	t.signal(polite)
	late := time.NewTimer(job.Grace)
	defer late.Stop()
	select {
	case <-over:
	case <-late.C:
	}
}

// sweep kills the remaining processes, politely first, and returns their names.
func (t *tree) sweep(grace time.Duration) []string {
	const limit = 5 * time.Second
	var left []string
	for _, p := range t.living() {
		left = append(left, path.Base(p.name))
	}
	if len(left) == 0 {
		return nil
	}
	t.signal(syscall.SIGTERM)
	begin := time.Now()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for len(t.living()) > 0 && time.Since(begin) < limit {
		if time.Since(begin) >= grace {
			t.signal(syscall.SIGKILL)
		}
		<-look.C
	}
	return left
}

// killMarked kills the processes with a variable in their environment, with their groups and
// descendants, and reports whether there were any. Known are the start times of those killed before.
func killMarked(variable string, known map[int]string) bool {
	all, err := processes()
	if err != nil {
		return false
	}
	ours, groups := marked(all, variable), map[int]bool{}
	for more := len(ours) > 0; more; {
		more = false
		for _, p := range all {
			if ours[p.pid] && !groups[p.group] {
				groups[p.group], more = true, true
			}
			if !ours[p.pid] && (ours[p.parent] || groups[p.group]) {
				ours[p.pid], more = true, true
			}
		}
	}
	found := false
	for _, p := range all {
		if (ours[p.pid] || known[p.pid] == p.began) && !p.dead && p.pid != os.Getpid() {
			known[p.pid], found = p.began, true
			kill(p)
		}
	}
	return found
}

// signal signals the program's group and each process that has left it.
func (t *tree) signal(s syscall.Signal) {
	living := t.living()
	if len(living) == 0 {
		return
	}
	_ = syscall.Kill(-t.root, s) // the group may be empty
	for _, p := range living {
		if p.group != t.root {
			_ = syscall.Kill(p.pid, s) // it may have exited
		}
	}
}
