package sqlite

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/store"
)

// locks are files that the operating system locks for a process. It ends the
// lock when the process ends, however that happens. The file's content only says
// who has the lock. Whoever lets go of one removes its file: a store of many nights
// would have a file for each of its sessions. So a lock only counts while its file
// has its name.
type locks struct {
	dir string

	mu   sync.Mutex
	held map[*os.File]bool // a file that nobody refers to would be closed
}

// attempts and between bound how long a lock is looked at again. Whoever asks
// for a holder has the lock for a moment, and a new holder's file is empty for a
// moment: neither must look like somebody who holds it.
const (
	attempts = 20
	between  = 5 * time.Millisecond
)

// Hold takes a name, or says with code Held who has it.
func (s *Store) Hold(name string, who store.Holder) (release func() error, err error) {
	if err := store.CheckLockName(name); err != nil {
		return nil, err
	}
	return s.locks.take(name, who)
}

// HolderOf says who holds a name now.
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
		who, free, err := try(f, false)
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

func (l *locks) file(name string) string { return filepath.Join(l.dir, name+".lock") }

func (l *locks) fault(name string, err error) error {
	return &fault.Error{
		Code: store.Unwritable, Op: "lock " + fault.Shown(name), Place: l.file(name), Cause: err,
		Hint: "look at the folder: its rights, and the room on its disk",
	}
}

func (l *locks) take(name string, who store.Holder) (release func() error, err error) {
	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		return nil, l.fault(name, err)
	}
	for {
		f, err := os.OpenFile(l.file(name), os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, l.fault(name, err)
		}
		holder, free, err := try(f, true)
		switch {
		case err == nil && !l.names(name, f): // somebody has let go of it meanwhile
			_ = f.Close() // nothing was written to it
			continue
		case err == nil && !free:
			err = store.Taken(name, holder)
		case err == nil:
			err = write(f, who)
		}
		if err != nil {
			_ = f.Close() // it has no content of ours, or a broken one
			if fault.CodeOf(err) != store.Held {
				err = l.fault(name, err)
			}
			return nil, err
		}
		return l.keep(name, f), nil
	}
}

// names tells whether a file still has its name.
func (l *locks) names(name string, f *os.File) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(l.file(name))
	return err == nil && os.SameFile(mine, named)
}

// keep gives the release of a lock that was taken; a second call does nothing.
func (l *locks) keep(name string, f *os.File) (release func() error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[*os.File]bool{}
	}
	l.held[f] = true
	return func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !l.held[f] {
			return nil
		}
		delete(l.held, f)
		err := f.Truncate(0)
		_ = os.Remove(f.Name()) // where open files cannot be removed, an empty one stays
		if err = errors.Join(err, f.Close()); err != nil {
			return l.fault(name, err)
		}
		return nil
	}
}

// try takes the lock of an open file, or says who has it, as far as it is known.
func try(f *os.File, exclusive bool) (who store.Holder, free bool, err error) {
	for n := range attempts {
		if n > 0 {
			time.Sleep(between)
		}
		if free, err = files.TryLock(f, exclusive); free || err != nil {
			return store.Holder{}, free, err
		}
		said, err := read(f)
		if err != nil {
			return store.Holder{}, false, err
		}
		who = said
		if !exclusive && who != (store.Holder{}) {
			break // whoever wants to know needs no lock
		}
	}
	return who, false, nil
}

// read gives the holder in a lock's file; the zero value where it says nothing
// yet, or half of it.
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
