package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"brenner/config"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/sqlite"
)

// openToWrite opens the project's store for a command that may write. Where there is
// none, it is made with the first thing that is written, and not before: who asks for
// something that is not there, or may not do it, leaves no empty store behind.
func (a *app) openToWrite(ctx context.Context, cfg *config.Config) (store.Store, error) {
	_, err := os.Lstat(filepath.Join(storeDir(cfg), sqlite.FileName))
	if !errors.Is(err, fs.ErrNotExist) {
		return a.openStore(ctx, cfg)
	}
	return &unbornStore{Store: memory.New(), make: func(ctx context.Context) (store.Store, error) { return a.openStore(ctx, cfg) }}, nil
}

// unbornStore is an empty store that is not there yet. It is for commands that use it from
// one goroutine.
type unbornStore struct {
	store.Store                                            // the empty one, and then the real one
	make        func(context.Context) (store.Store, error) // nil once it is made
}

// Write makes the store, and writes to it. Should others have made it meanwhile, it says of
// what they wrote what it would have said at once.
func (u *unbornStore) Write(ctx context.Context, b store.Batch) error {
	if u.make != nil {
		st, err := u.make(ctx)
		if err != nil {
			return err
		}
		u.Store, u.make = st, nil
	}
	return u.Store.Write(ctx, b)
}
