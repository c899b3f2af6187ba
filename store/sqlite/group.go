package sqlite

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// Group commits the changes of many callers together. Syncing to disk dominates the cost of a
// commit and is the same for one change or many. So the caller whose turn it is writes the waiting
// changes of others in its transaction, and each caller returns only when its change is on disk.
type Group[T any] struct {
	turn   chan struct{} // holds one token while a caller writes
	most   int           // changes in one transaction
	bytes  int           // in one transaction; 0 means no bound
	commit func([]*Job[T]) []*Job[T]

	mu      sync.Mutex
	waiting []*Job[T] // in order of arrival
}

// Job is a change waiting to be written.
type Job[T any] struct {
	Ctx    context.Context // of its caller
	Change T
	size   int
	done   chan error
}

// Answer ends a job.
func (j *Job[T]) Answer(err error) { j.done <- err }

// NewGroup returns a group whose transactions have at most the given changes and, if not 0, bytes.
// This bounds how long callers wait for each other. commit answers jobs, the caller's own first,
// and returns those that must wait on.
func NewGroup[T any](most, bytes int, commit func([]*Job[T]) []*Job[T]) *Group[T] {
	return &Group[T]{turn: make(chan struct{}, 1), most: most, bytes: bytes, commit: commit}
}

// Submit writes a change of size bytes, in this caller's turn or another's. If the context ends
// before the change is taken into a transaction, it is not made.
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
	runtime.Gosched() // lets callers that are about to submit join this transaction
	if taken := g.take(j); taken != nil {
		g.add(g.commit(taken)...)
	}
	return <-j.done
}

// giveUp withdraws a job whose context has ended. If another caller has taken the job, its outcome
// decides; but that caller may put it back, so giveUp also waits for the turn. During this caller's
// turn no other caller can have the job.
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

// withdraw removes a job from the queue and reports whether it was there.
func (g *Group[T]) withdraw(j *Job[T]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	before := len(g.waiting)
	g.waiting = slices.DeleteFunc(g.waiting, func(other *Job[T]) bool { return other == j })
	return len(g.waiting) < before
}

// take returns a job and those that go along with it, or none if another caller took it.
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
