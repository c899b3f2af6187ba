package storage

import (
	"context"
	"errors"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
)

// Late is a store that is opened for writing by the first write. It is not safe for
// concurrent use.
type Late struct {
	store.Store // read-only at first, then writable
	// Open opens the writable one; nil once it is open.
	Open func(ctx context.Context, before store.Store) (store.Store, error)
}

// Write opens the store and writes to it. If another process has written meanwhile, it
// returns the same error as any store.
func (l *Late) Write(ctx context.Context, b store.Batch) error {
	if l.Open != nil {
		st, err := l.Open(ctx, l.Store)
		if err != nil {
			return err
		}
		l.Store, l.Open = st, nil
	}
	return l.Store.Write(ctx, b)
}

// Walk walks the store behind it.
func (l *Late) Walk(ctx context.Context, stream string, after int, visit func(*journal.Line) error) error {
	return store.Walk(ctx, l.Store, stream, after, visit)
}

// Blobs reads from the store behind it.
func (l *Late) Blobs(ctx context.Context, hashes []string, visit func(n int, data []byte) error) error {
	return store.Blobs(ctx, l.Store, hashes, visit)
}

// scratchStore is a read-only store with one stream that accepts writes, which are
// discarded in the end.
type scratchStore struct {
	*memory.Store // the stream, and new blobs
	base          store.Store
}

// Scratch returns a read-only store with one stream that accepts writes, which are discarded in the end.
func Scratch(ctx context.Context, base store.Store, stream string) (store.Store, error) {
	entries, err := base.Entries(ctx, stream, 0)
	if err != nil {
		return nil, err
	}
	s := &scratchStore{memory.New(), base}
	if len(entries) > 0 {
		err = s.Write(ctx, store.Batch{Appends: []store.Append{{Stream: stream, Entries: entries}}})
	}
	return s, err
}

// Blob looks among the new blobs first.
func (s *scratchStore) Blob(ctx context.Context, hash string) ([]byte, error) {
	data, err := s.Store.Blob(ctx, hash)
	if fault.CodeOf(err) == store.NoBlob {
		return s.base.Blob(ctx, hash)
	}
	return data, err
}

// Close closes both stores.
func (s *scratchStore) Close() error { return errors.Join(s.Store.Close(), s.base.Close()) }
