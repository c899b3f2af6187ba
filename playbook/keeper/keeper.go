// Package keeper keeps a project's playbook in its store: it reads the journal, finds
// what is alike, lets the rules of package playbook decide, and writes what they decide.
//
// It promises: what a method has returned from without an error survives a crash; any
// number of processes may keep the same playbook at once, and none of them counts on
// what another has changed; the chain of the journal is followed whenever it is read.
// It must not know commands, sessions or where vectors are made.
package keeper

import (
	"context"
	"sync"
	"time"

	"brenner/playbook"
	"brenner/playbook/embedding"
	"brenner/store"
	"brenner/store/journal"
)

// Options are what a keeper works with.
type Options struct {
	Store store.Store
	Rules playbook.Rules
	// Embedder makes the vectors; it is not asked before a text has to be compared.
	Embedder embedding.Embedder
	Now      func() time.Time // nil is time.Now
}

// Keeper keeps a playbook. It is safe for concurrent use.
type Keeper struct {
	Options

	mu    sync.Mutex
	book  *playbook.Book
	chain *journal.Chain
	index index
}

// Open reads the playbook of a store. A store without one has an empty one.
func Open(ctx context.Context, o Options) (*Keeper, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	k := &Keeper{Options: o}
	k.forget()
	err := k.refresh(ctx)
	return k, err
}

// forget goes back to an empty playbook, of which nothing was read.
func (k *Keeper) forget() {
	k.book, k.chain, k.index = &playbook.Book{}, journal.Follow(playbook.Stream, journal.Head{}), index{}
}

// refresh takes in what has been written since, and refuses a journal whose end is not
// the one that the store keeps: a quarantine that was cut off would bring a bullet back.
// Where it fails, nothing is known: the next one reads all of it again, and finds the same
// fault, or none.
func (k *Keeper) refresh(ctx context.Context) error {
	_, err := follow(ctx, k.Store, k.book, k.chain, nil)
	if err == nil {
		err = checkEnd(ctx, k.Store, k.chain.Head())
	}
	if err != nil {
		k.forget()
	}
	return err
}

// take follows the chain by one entry, and folds it.
func take(book *playbook.Book, chain *journal.Chain, l *journal.Line) error {
	if err := chain.Next(l); err != nil {
		return err
	}
	return fold(book, l)
}

func readLine(l *journal.Line) (playbook.Entry, error) {
	raw, err := l.Entry(playbook.Stream)
	if err != nil {
		return playbook.Entry{}, err
	}
	return playbook.Read(&raw)
}

// Head is the head of the journal as it was last read.
func (k *Keeper) Head() journal.Head {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.chain.Head()
}

// Bullets gives copies of all bullets that are wanted, the oldest first; nil wants all.
func (k *Keeper) Bullets(want func(*playbook.Bullet) bool) []*playbook.Bullet {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []*playbook.Bullet
	for n := range k.book.Len() {
		if b := k.book.At(n); want == nil || want(b) {
			all = append(all, b.Clone())
		}
	}
	return all
}

// Find gives a copy of a bullet.
func (k *Keeper) Find(id string) (*playbook.Bullet, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, err := k.book.Find(id)
	if err != nil {
		return nil, err
	}
	return b.Clone(), nil
}

// Do lets the rules decide about something and writes what they decide, whole or not
// at all. Where another process was faster, they decide again on what it has written.
func (k *Keeper) Do(ctx context.Context, act playbook.Act, decide func(*playbook.Draft) error) ([]playbook.Entry, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.do(ctx, act, func(d *playbook.Draft) ([][]byte, error) { return nil, decide(d) })
}

func (k *Keeper) do(ctx context.Context, act playbook.Act, decide func(*playbook.Draft) (blobs [][]byte, err error)) ([]playbook.Entry, error) {
	if err := playbook.CheckWord("name of somebody who acts", act.Actor); err != nil {
		return nil, err
	}
	if act.At.IsZero() {
		act.At = k.Now()
	}
	for {
		l := k.ledger()
		var stored []journal.Entry
		l.Wrote = func(e *journal.Entry, _ *struct{}) { stored = append(stored, *e) }
		nothing := false
		err := l.Update(ctx, func(*struct{}) (*store.Draft, error) {
			d := k.book.Draft(k.Rules, act)
			blobs, err := decide(d)
			if nothing = err != nil || len(d.Entries()) == 0; nothing {
				return nil, err
			}
			return drafted(act.At, d.Entries(), blobs), nil
		})
		switch {
		case !nothing && err != nil:
			return nil, err
		case !nothing:
			return k.takeOwn(stored)
		}
		// A write would have shown that there is more; what is not written may be so
		// because of what was not known.
		known := k.chain.Head()
		if failed := k.refresh(ctx); failed != nil {
			return nil, failed
		}
		if k.chain.Head() == known {
			return nil, err
		}
	}
}

// ledger returns the writer of the journal as far as it was read. It keeps the head
// alone: the book takes entries in once they are stored.
func (k *Keeper) ledger() *store.Ledger[struct{}] {
	return &store.Ledger[struct{}]{
		Store: k.Store, Stream: playbook.Stream, Head: k.chain.Head(),
		Reload: func(ctx context.Context) (journal.Head, error) {
			err := k.refresh(ctx)
			return k.chain.Head(), err
		},
	}
}

func drafted(at time.Time, entries []playbook.Entry, blobs [][]byte) *store.Draft {
	d := &store.Draft{At: at, Blobs: blobs}
	for i := range entries {
		d.Events = append(d.Events, store.Event{Kind: string(entries[i].Op), Body: &entries[i].Body})
	}
	return d
}

// takeOwn applies entries that were written here.
func (k *Keeper) takeOwn(stored []journal.Entry) ([]playbook.Entry, error) {
	written := make([]playbook.Entry, len(stored))
	for i := range stored {
		line := journal.LineOf(&stored[i])
		err := take(k.book, k.chain, &line)
		if err == nil {
			written[i], err = playbook.Read(&stored[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return written, nil
}

// Walk gives the entries of the journal, in order, and follows the chain on the way.
func (k *Keeper) Walk(ctx context.Context, visit func(*playbook.Entry) error) error {
	chain := journal.Follow(playbook.Stream, journal.Head{})
	return store.Walk(ctx, k.Store, playbook.Stream, 0, func(l *journal.Line) error {
		if err := chain.Next(l); err != nil {
			return err
		}
		e, err := readLine(l)
		if err != nil {
			return err
		}
		return visit(&e)
	})
}
