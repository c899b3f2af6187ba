// Package keeper keeps a project's playbook in its store: it reads the journal, finds similar
// bullets, lets the rules of package playbook decide, and writes the decisions.
//
// It promises that a change survives a crash once its method has returned without an error, that any
// number of processes may keep the same playbook without acting on stale data, and that
// the chain of the journal is verified on every read. It must not know commands, sessions or
// where vectors are made.
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

// Options configure a keeper.
type Options struct {
	Store store.Store
	Rules playbook.Rules
	// Embedder makes the vectors; it is not used before a text must be compared.
	Embedder embedding.Embedder
	Now      func() time.Time // nil means time.Now
}

// Keeper keeps a playbook. It is safe for concurrent use.
type Keeper struct {
	Options

	mu    sync.Mutex
	book  *playbook.Book
	chain *journal.Chain
	index index
}

// Open reads the playbook of a store, which may be empty.
func Open(ctx context.Context, o Options) (*Keeper, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	k := &Keeper{Options: o}
	k.reset()
	err := k.refresh(ctx)
	return k, err
}

func (k *Keeper) reset() {
	k.book, k.chain, k.index = &playbook.Book{}, journal.Follow(playbook.Stream, journal.Head{}), index{}
}

// refresh reads the entries written since. It refuses a journal whose end differs from the
// store's head: if the end were cut off, a quarantined bullet could come back. After an error
// the next refresh reads everything again.
func (k *Keeper) refresh(ctx context.Context) error {
	_, err := follow(ctx, k.Store, k.book, k.chain, nil)
	if err == nil {
		err = checkEnd(ctx, k.Store, k.chain.Head())
	}
	if err != nil {
		k.reset()
	}
	return err
}

// apply verifies an entry against the chain and folds it.
func apply(book *playbook.Book, chain *journal.Chain, l *journal.Line) error {
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

// Head returns the head of the journal as of the last read.
func (k *Keeper) Head() journal.Head {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.chain.Head()
}

// Bullets returns copies of the bullets that want accepts, oldest first; nil accepts all.
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

// Find returns a copy of a bullet.
func (k *Keeper) Find(id string) (*playbook.Bullet, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, err := k.book.Find(id)
	if err != nil {
		return nil, err
	}
	return b.Clone(), nil
}

// Standing returns the bullet that stands for the given one: itself, unless it was merged.
func (k *Keeper) Standing(id string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.book.Standing(id)
}

func (k *Keeper) mergedInto(id string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.book.MergedInto(id)
}

// Do calls decide and writes the entries of its draft, all or none. If another process wrote
// first, decide is called again with the new state.
func (k *Keeper) Do(ctx context.Context, act playbook.Act, decide func(*playbook.Draft) error) ([]playbook.Entry, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.do(ctx, act, func(d *playbook.Draft) ([][]byte, error) { return nil, decide(d) })
}

func (k *Keeper) do(ctx context.Context, act playbook.Act, decide func(*playbook.Draft) (blobs [][]byte, err error)) ([]playbook.Entry, error) {
	if err := playbook.CheckWord("actor", act.Actor); err != nil {
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
			return newDraft(act.At, d.Entries(), blobs), nil
		})
		switch {
		case !nothing && err != nil:
			return nil, err
		case !nothing:
			return k.applyOwn(stored)
		}
		// A write would have detected new entries. If there is nothing to write, that may be
		// due to entries not read yet.
		known := k.chain.Head()
		if failed := k.refresh(ctx); failed != nil {
			return nil, failed
		}
		if k.chain.Head() == known {
			return nil, err
		}
	}
}

// ledger returns the writer of the journal. It keeps only the head: the book applies entries
// once they are stored.
func (k *Keeper) ledger() *store.Ledger[struct{}] {
	return &store.Ledger[struct{}]{
		Store: k.Store, Stream: playbook.Stream, Head: k.chain.Head(),
		Reload: func(ctx context.Context) (journal.Head, error) {
			err := k.refresh(ctx)
			return k.chain.Head(), err
		},
	}
}

func newDraft(at time.Time, entries []playbook.Entry, blobs [][]byte) *store.Draft {
	d := &store.Draft{At: at, Blobs: blobs}
	for i := range entries {
		d.Events = append(d.Events, store.Event{Kind: string(entries[i].Op), Body: &entries[i].Body})
	}
	return d
}

func (k *Keeper) applyOwn(stored []journal.Entry) ([]playbook.Entry, error) {
	written := make([]playbook.Entry, len(stored))
	for i := range stored {
		line := journal.LineOf(&stored[i])
		err := apply(k.book, k.chain, &line)
		if err == nil {
			written[i], err = playbook.Read(&stored[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return written, nil
}

// Walk visits the entries of the journal in order and verifies the chain.
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
