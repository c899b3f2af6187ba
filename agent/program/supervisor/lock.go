package supervisor

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"brenner/internal/files"
)

// Lock is a lock that the system takes back when its holder ends, however it ends.
type Lock struct{ file *os.File }

// TryLock takes a lock; nil without an error means that somebody holds it.
func TryLock(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	free, err := files.TryLock(f, true)
	if err != nil || !free {
		_ = f.Close() // nothing was written
		return nil, err
	}
	// Who cleans up may have removed the file between our opening and locking it;
	// then this is the lock of nothing.
	if mine, err := f.Stat(); err == nil {
		if there, err := os.Stat(path); err == nil && os.SameFile(mine, there) {
			return &Lock{f}, nil
		}
	}
	_ = f.Close()   // nothing was written
	return nil, nil //nolint:nilnil // not now: that is no error
}

// WaitLock waits for a lock as long as the context lasts.
func WaitLock(ctx context.Context, path string) (*Lock, error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if l, err := TryLock(path); l != nil || err != nil {
			return l, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Release gives the lock back.
func (l *Lock) Release() { _ = l.file.Close() } // nothing was written

// AwaitEnd waits until no supervisor works on a spool.
func AwaitEnd(ctx context.Context, folder string) error {
	l, err := WaitLock(ctx, filepath.Join(folder, lockFile))
	if err != nil {
		return err
	}
	l.Release()
	return nil
}
