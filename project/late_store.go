package project

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
	"brenner/store/sqlite"
)

// OpenToWrite opens the project's store for a command that may write. Where there is
// none, it is made with the first thing that is written, and not before: who asks for
// something that is not there, or may not do it, leaves no empty store behind.
func (p *Project) OpenToWrite(ctx context.Context) (store.Store, error) {
	_, err := os.Lstat(filepath.Join(p.StateDir(), sqlite.FileName))
	if !errors.Is(err, fs.ErrNotExist) {
		return p.OpenStore(ctx)
	}
	return &lateStore{Store: memory.New(), open: func(ctx context.Context, _ store.Store) (store.Store, error) {
		return p.OpenStore(ctx)
	}}, nil
}

// OpenToRefuse opens the project's store for reading by a role: what it may not read is a
// refusal, and that is recorded.
func (p *Project) OpenToRefuse(ctx context.Context) (store.Store, error) {
	st, err := p.OpenToRead(ctx)
	if fault.CodeOf(err) == store.NoStore {
		return p.OpenToWrite(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &lateStore{Store: st, open: func(ctx context.Context, before store.Store) (store.Store, error) {
		st, err := p.OpenStore(ctx)
		if err != nil {
			return nil, err
		}
		return st, before.Close()
	}}, nil
}

// lateStore is a store that is opened for writing when something is first written. It is
// for commands that use it from one goroutine.
type lateStore struct {
	store.Store // what is there before, and then the one that can be written
	// open opens that one; nil once it is open.
	open func(ctx context.Context, before store.Store) (store.Store, error)
}

// Write opens the store, and writes to it. Should others have written meanwhile, it says
// what it would have said at once.
func (l *lateStore) Write(ctx context.Context, b store.Batch) error {
	if l.open != nil {
		st, err := l.open(ctx, l.Store)
		if err != nil {
			return err
		}
		l.Store, l.open = st, nil
	}
	return l.Store.Write(ctx, b)
}

// Walk is that of the store behind it.
func (l *lateStore) Walk(ctx context.Context, stream string, after int, visit func(*journal.Line) error) error {
	return store.Walk(ctx, l.Store, stream, after, visit)
}

// Blobs is that of the store behind it.
func (l *lateStore) Blobs(ctx context.Context, hashes []string, visit func(n int, data []byte) error) error {
	return store.Blobs(ctx, l.Store, hashes, visit)
}

// scratchStore is a store that cannot be written, with what is written to one of its streams
// all the same: that is forgotten in the end.
type scratchStore struct {
	*memory.Store // the stream, and what is new
	base          store.Store
}

// scratch makes one.
func scratch(ctx context.Context, base store.Store, stream string) (*scratchStore, error) {
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

// Blob looks among what is new first.
func (s *scratchStore) Blob(ctx context.Context, hash string) ([]byte, error) {
	data, err := s.Store.Blob(ctx, hash)
	if fault.CodeOf(err) == store.NoBlob {
		return s.base.Blob(ctx, hash)
	}
	return data, err
}

// Close ends both.
func (s *scratchStore) Close() error { return errors.Join(s.Store.Close(), s.base.Close()) }
