package sqlite

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// Group commits the changes of many callers together. Getting a commit down to the disk
// takes longer than anything else, and costs the same for one change as for many. So the
// caller whose turn it is takes along what others wait to have written, in one
// transaction, and each of them has its answer only when that is on the disk.
type Group[T any] struct {
	turn   chan struct{} // holds one token while a caller writes
	most   int           // changes in one transaction
	bytes  int           // in one transaction; 0 is no bound
	commit func([]*Job[T]) []*Job[T]

	mu      sync.Mutex
	waiting []*Job[T] // in the order in which they came
}

// Job is one change that waits to be written.
type Job[T any] struct {
	Ctx    context.Context // of its caller
	Change T
	size   int
	done   chan error
}

// Answer ends a job.
func (j *Job[T]) Answer(err error) { j.done <- err }

// NewGroup returns a group that writes at most some changes, and bytes if that is not 0,
// in one transaction, so that no caller waits long for another one. Commit has the turn:
// it answers jobs, the first of which is that of the caller, and returns those that
// are to wait on.
func NewGroup[T any](most, bytes int, commit func([]*Job[T]) []*Job[T]) *Group[T] {
	return &Group[T]{turn: make(chan struct{}, 1), most: most, bytes: bytes, commit: commit}
}

// Submit has a change of some bytes written, by this caller or by another one. If the
// context ends before the change is in anybody's hands, it is not made.
func (g *Group[T]) Submit(ctx context.Context, change T, size int) error {
	j := &Job[T]{Ctx: ctx, Change: change, size: size, done: make(chan error, 1)}
	g.add(j)
	select {
	case err := <-j.done:
		return err
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return g.giveUp(ctx, j)
	}
	runtime.Gosched() // callers that are about to want something written come along
	if taken := g.take(j); taken != nil {
		g.add(g.commit(taken)...)
	}
	return <-j.done
}

// giveUp takes back a job whose context has ended. While another caller has it in hand,
// only its outcome is the truth; but that one may give it back, and then it would never be
// written. While this caller has the turn, no other one has it in hand.
func (g *Group[T]) giveUp(ctx context.Context, j *Job[T]) error {
	if g.withdraw(j) {
		return ctx.Err()
	}
	select {
	case err := <-j.done:
		return err
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	}
	if g.withdraw(j) {
		return ctx.Err()
	}
	return <-j.done
}

func (g *Group[T]) add(jobs ...*Job[T]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(g.waiting, jobs...)
}

// withdraw takes a job back, unless another caller has it in hand.
func (g *Group[T]) withdraw(j *Job[T]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	before := len(g.waiting)
	g.waiting = slices.DeleteFunc(g.waiting, func(other *Job[T]) bool { return other == j })
	return len(g.waiting) < before
}

// take returns a job and those that go along with it; none if another caller had it.
func (g *Group[T]) take(j *Job[T]) []*Job[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !slices.Contains(g.waiting, j) {
		return nil
	}
	taken, left, bytes := []*Job[T]{j}, g.waiting[:0], j.size
	for _, other := range g.waiting {
		switch {
		case other == j:
		case len(taken) < g.most && (g.bytes == 0 || bytes+other.size <= g.bytes):
			taken, bytes = append(taken, other), bytes+other.size
		default:
			left = append(left, other)
		}
	}
	clear(g.waiting[len(left):])
	g.waiting = left
	return taken
}
