//go:build unix

package supervisor

import (
	"os"
	"path"
	"syscall"
	"time"
)

// process is one process of the system.
type process struct {
	pid, parent, group int
	name               string
	began              string // in the system's own words: two processes with one number differ in it
	dead               bool   // waits to be looked at by its parent
	work               int    // processor time so far, in ticks; 0 where nobody says
}

// tree is a program and all that came of it. A process belongs to it by its
// ancestors, by the program's group, or by having been seen in it before: each
// alone can be lost.
type tree struct {
	root  int
	known map[int]string // when it began, by number
	work  int
}

func newTree(root int) *tree { return &tree{root: root, known: map[int]string{}} }

// living gives the tree's processes, and takes leave of the dead among our own
// children; the program itself is somebody else's to wait for.
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
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil) // an orphan that is over
		}
	}
	return living
}

// leastWork is the processor time between two looks that is more than the ticking
// of a program that hangs. Measured: a stalled gemini or codex has at most one
// tick in four seconds.
const leastWork = 2

// busy tells whether the tree has worked since it was asked last.
func (t *tree) busy() bool {
	work := 0
	for _, p := range t.living() {
		work += p.work
	}
	was := t.work
	t.work = work
	return work >= was+leastWork
}

// end asks the tree politely to end, and gives it the grace to do so; sweep is what
// comes then. over is closed when the program itself has ended.
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

// sweep ends what is left, and gives the names of what was still alive. Who is
// polite gets a moment, and nobody gets another.
func (t *tree) sweep(grace time.Duration) []string {
	const certain = 5 * time.Second
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
	for len(t.living()) > 0 && time.Since(begin) < certain {
		if time.Since(begin) >= grace {
			t.signal(syscall.SIGKILL)
		}
		<-look.C
	}
	return left
}

// signal sends a signal to the program's group and to each of the tree: some have
// left the group.
func (t *tree) signal(s syscall.Signal) {
	living := t.living()
	if len(living) == 0 {
		return
	}
	_ = syscall.Kill(-t.root, s) // the group may be empty
	for _, p := range living {
		if p.group != t.root {
			_ = syscall.Kill(p.pid, s) // it may be gone
		}
	}
}
