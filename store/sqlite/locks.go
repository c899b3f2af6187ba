package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/store"
)

// locks are files locked by the operating system, which ends a lock with its process. The content
// of a file only names the holder. A release removes the file, since a long-lived store would
// otherwise keep one per session; so a lock counts only while its file still has its name.
type locks struct {
	dir string

	mu   sync.Mutex
	held map[*os.File]bool // keeps a locked file from being collected and closed
}

// attempts and between bound how long a busy lock is retried. A query for the holder has the lock
// for a moment, and a new holder's file is empty for a moment: neither must count as a holder.
const (
	attempts = 20
	between  = 5 * time.Millisecond
)

// Hold implements store.Locks.
func (s *Store) Hold(name string, who store.Holder) (store.Lease, error) {
	if err := store.CheckLockName(name); err != nil {
		return nil, err
	}
	l, err := s.locks.take(name, who)
	if err != nil {
		return nil, err // a nil *lease would not be a nil Lease
	}
	return l, nil
}

// HolderOf implements store.Locks.
func (s *Store) HolderOf(name string) (store.Holder, bool, error) {
	if err := store.CheckLockName(name); err != nil {
		return store.Holder{}, false, err
	}
	for {
		f, err := os.Open(s.locks.file(name))
		if errors.Is(err, os.ErrNotExist) {
			return store.Holder{}, false, nil
		}
		if err != nil {
			return store.Holder{}, false, s.locks.fault(name, err)
		}
		who, free, err := tryLock(f, false)
		named := err == nil && s.locks.names(name, f)
		_ = f.Close() // nothing was written to it
		switch {
		case err != nil:
			return store.Holder{}, false, s.locks.fault(name, err)
		case named:
			return who, !free, nil
		}
	}
}

// Holders returns the locks that processes hold, by name.
func (s *Store) Holders(context.Context) ([]store.Holding, error) {
	found, err := os.ReadDir(s.locks.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, s.locks.fault("", err)
	}
	var all []store.Holding
	for _, entry := range found {
		name, ok := strings.CutSuffix(entry.Name(), lockSuffix)
		if !ok || store.CheckLockName(name) != nil {
			continue
		}
		who, held, err := s.HolderOf(name)
		if err != nil {
			return nil, err
		}
		if held {
			all = append(all, store.Holding{Name: name, By: who})
		}
	}
	return all, nil
}

const lockSuffix = ".lock"

func (l *locks) file(name string) string { return filepath.Join(l.dir, name+lockSuffix) }

func (l *locks) fault(name string, err error) error {
	return &fault.Error{
		Code: store.Unwritable, Op: "lock " + fault.Shown(name), Place: l.file(name), Cause: err,
		Hint: "check the permissions of the directory, and the free space on its disk",
	}
}

func (l *locks) take(name string, who store.Holder) (*lease, error) {
	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		return nil, l.fault(name, err)
	}
	for {
		f, err := os.OpenFile(l.file(name), os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, l.fault(name, err)
		}
		holder, free, err := tryLock(f, true)
		switch {
		case err == nil && !l.names(name, f): // released meanwhile
			_ = f.Close() // nothing was written to it
			continue
		case err == nil && !free:
			err = store.HeldError(name, holder)
		case err == nil:
			err = write(f, who)
		}
		if err != nil {
			_ = f.Close() // its content is incomplete and does not count
			if fault.CodeOf(err) != store.Held {
				err = l.fault(name, err)
			}
			return nil, err
		}
		return l.keep(name, f), nil
	}
}

// names reports whether a file still has its name.
func (l *locks) names(name string, f *os.File) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(l.file(name))
	return err == nil && os.SameFile(mine, named)
}

// keep returns the lease of a locked file.
func (l *locks) keep(name string, f *os.File) *lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[*os.File]bool{}
	}
	l.held[f] = true
	return &lease{l, name, f}
}

// lease is a locked file.
type lease struct {
	locks *locks
	name  string
	file  *os.File
}

// Release implements store.Lease.
func (l *lease) Release() error {
	l.locks.mu.Lock()
	defer l.locks.mu.Unlock()
	if !l.locks.held[l.file] {
		return nil
	}
	delete(l.locks.held, l.file)
	err := l.file.Truncate(0)
	_ = os.Remove(l.file.Name()) // where open files cannot be removed, an empty one stays
	if err = errors.Join(err, l.file.Close()); err != nil {
		return l.locks.fault(l.name, err)
	}
	return nil
}

// Lost implements store.Lease: the operating system ends a lock only with its process.
func (l *lease) Lost() <-chan struct{} { return nil }

// tryLock takes the lock of an open file, or returns its holder as far as known.
func tryLock(f *os.File, exclusive bool) (who store.Holder, free bool, err error) {
	for n := range attempts {
		if n > 0 {
			time.Sleep(between)
		}
		if free, err = files.TryLock(f, exclusive); free || err != nil {
			return store.Holder{}, free, err
		}
		holder, err := read(f)
		if err != nil {
			return store.Holder{}, false, err
		}
		who = holder
		if !exclusive && who != (store.Holder{}) {
			break // a query for the holder needs no lock
		}
	}
	return who, false, nil
}

// read returns the holder in a lock file, or the zero value if the content is incomplete.
func read(f *os.File) (who store.Holder, err error) {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<16))
	if err != nil || json.Unmarshal(text, &who) != nil {
		return store.Holder{}, err
	}
	return who, nil
}

func write(f *os.File, who store.Holder) error {
	text, err := json.Marshal(who)
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(append(text, '\n'), 0)
	}
	return err
}
