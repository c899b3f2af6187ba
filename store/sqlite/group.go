package sqlite

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"brenner/store"
)

// Getting a commit down to the disk takes longer than anything else here, and costs
// the same for one batch as for many. So whoever's turn it is to write takes along
// what others wait to have written: all of it in one transaction, and each of them is
// told only when that is on the disk.

// order is one batch that waits to be written.
type order struct {
	ctx    context.Context
	batch  *store.Batch
	hashes []string
	// done gets the outcome from whoever takes the order along.
	done chan error
}

// orders are those that wait, in the order in which they came.
type orders struct {
	mu  sync.Mutex
	all []*order
}

// mostTogether bounds a transaction: nobody should wait long for somebody else.
const (
	mostTogether      = 32
	mostBytesTogether = 8 << 20
)

func (q *orders) add(o ...*order) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all = append(q.all, o...)
}

// withdraw takes an order back, unless somebody has it in hand.
func (q *orders) withdraw(o *order) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	before := len(q.all)
	q.all = slices.DeleteFunc(q.all, func(other *order) bool { return other == o })
	return len(q.all) < before
}

// take gives an order and those that go along with it; none if somebody had it.
func (q *orders) take(o *order) []*order {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.Contains(q.all, o) {
		return nil
	}
	taken, left, bytes := []*order{o}, q.all[:0], o.size()
	for _, other := range q.all {
		switch {
		case other == o:
		case len(taken) < mostTogether && bytes+other.size() <= mostBytesTogether:
			taken, bytes = append(taken, other), bytes+other.size()
		default:
			left = append(left, other)
		}
	}
	clear(q.all[len(left):])
	q.all = left
	return taken
}

func (o *order) size() int {
	n := 0
	for _, b := range o.batch.Blobs {
		n += len(b)
	}
	return n
}

// submit has a batch written, by this caller or by another one.
func (w *writer) submit(ctx context.Context, b *store.Batch, hashes []string) error {
	o := &order{ctx: ctx, batch: b, hashes: hashes, done: make(chan error, 1)}
	w.waiting.add(o)
	select {
	case err := <-o.done:
		return err
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return w.giveUp(ctx, o)
	}
	runtime.Gosched() // whoever is about to want something written comes along
	taken := w.waiting.take(o)
	if taken == nil {
		return <-o.done
	}
	return w.together(o, taken[1:])
}

// giveUp takes back an order whose context has ended. While somebody has it in hand, only
// its outcome is the truth; but they may give it back, and then nobody has it who would
// ever write it. Whoever has the turn knows that nobody has it in hand.
func (w *writer) giveUp(ctx context.Context, o *order) error {
	if w.waiting.withdraw(o) {
		return ctx.Err()
	}
	select {
	case err := <-o.done:
		return err
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	}
	if w.waiting.withdraw(o) {
		return ctx.Err()
	}
	return <-o.done
}

// together writes an order and those that came along. If any of them cannot be
// written, nothing was, and each is tried by itself: then each has its own outcome.
func (w *writer) together(first *order, others []*order) error {
	if len(others) == 0 {
		return w.transaction(first.ctx, []*order{first})
	}
	err := w.transaction(first.ctx, append([]*order{first}, others...))
	switch {
	case err == nil || isBusy(err):
		for _, o := range others {
			o.done <- err
		}
		return err
	case first.ctx.Err() != nil:
		w.waiting.add(others...) // they wait for as long as they themselves want to
		return err
	}
	for _, o := range others {
		o.done <- w.transaction(o.ctx, []*order{o})
	}
	return w.transaction(first.ctx, []*order{first})
}

// transaction writes orders, all of them or none.
func (w *writer) transaction(ctx context.Context, all []*order) error {
	err := Transaction(ctx, w.conn, w.wait, func(ctx context.Context) error {
		if err := w.checkVersion(ctx); err != nil {
			return err
		}
		for _, o := range all {
			if err := o.ctx.Err(); err != nil {
				return err
			}
			if err := w.write(ctx, o.batch, o.hashes); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		w.known.learn(all)
	}
	return err
}
