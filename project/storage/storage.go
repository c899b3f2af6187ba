// Package storage chooses the implementation of a project's store: a file in the project's state
// directory, or a database that a team shares. No other package above the stores names one.
package storage

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"brenner/internal/baseurl"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/session"
	"brenner/store"
	"brenner/store/postgres"
	"brenner/store/sqlite"
)

// Store is a store with its locks.
type Store interface {
	store.Store
	store.Locks
}

// Opened is a project's store.
type Opened interface {
	Store
	store.Lister
	// Verify returns all faults of the stored data, joined.
	Verify(ctx context.Context) error
	// Holders returns the locks that processes hold, by name.
	Holders(ctx context.Context) ([]store.Holding, error)
	// Health examines the store quickly. It proves nothing: Verify does.
	Health(ctx context.Context) (*Health, error)
}

// Health is the state of a store.
type Health struct {
	Size  int64 // in bytes
	Facts []string
	Notes []Note // what should be changed
	// Unwritable is why the store cannot be written to; nil if it can.
	Unwritable error
	// OnlyReads says that the reason is the rights of the user, who may be meant to read only.
	OnlyReads bool
}

// Note is something about a store that should be changed.
type Note struct{ What, Found, Fix string }

// Purpose is what a store is opened for.
type Purpose int

// The purposes.
const (
	ToWrite   Purpose = iota
	ToRead            // creates nothing
	Unchanged         // creates and upgrades nothing
	ToWork            // ToWrite, without files beside the store
)

// Place is where a store is.
type Place struct {
	// Address is that of a database, in the form of baseurl.ParseDatabase; empty for a file in the directory Dir.
	Address string
	Dir     string
	// Published says that the store was elsewhere until now; see sqlite.Options.
	Published bool
	Before    func() // called before a file is created; see sqlite.Options
}

// String returns the place as messages show it.
func (p *Place) String() string {
	if p.Address == "" {
		return filepath.Join(p.Dir, sqlite.FileName)
	}
	at, _ := baseurl.ParseDatabase(p.Address)
	return at.String()
}

// Shared reports whether several machines can use the store.
func (p *Place) Shared() bool { return p.Address != "" }

// Name returns the name of the project in a database; "" for a file.
func (p *Place) Name() string {
	at, err := postgres.ParseAddress(p.Address)
	if err != nil {
		return ""
	}
	return at.Project()
}

// Host returns the address of the database's host, as the rules for endpoints compare it; "" for a file.
func (p *Place) Host() string {
	at, ok := baseurl.ParseDatabase(p.Address)
	if !ok {
		return ""
	}
	return at.URL()
}

// MakeDir creates the directory that an argument names, within an existing one, and reports whether it did. An address
// needs none.
func MakeDir(arg string) (made bool, err error) {
	if IsAddress(arg) {
		return false, nil
	}
	err = os.Mkdir(arg, 0o755)
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) { // Find reports what is wrong
		return err == nil, nil
	}
	return false, &fault.Error{Code: files.Unreadable, Op: "create the directory", Place: arg, Cause: err, Hint: "choose another directory"}
}

// Find returns the store that an argument names: the address of a database, or the directory of a project, with its
// file in the state directory.
func Find(arg, stateDir string) (*Place, error) {
	if IsAddress(arg) {
		if problem := baseurl.DatabaseProblem(arg); problem != "" {
			return nil, &fault.Error{Code: fault.Usage, Detail: "not the address of a project in a PostgreSQL database: " + problem, Hint: baseurl.DatabaseHint}
		}
		return &Place{Address: arg}, nil
	}
	if info, err := os.Stat(arg); err != nil || !info.IsDir() {
		return nil, &fault.Error{Code: files.Unreadable, Op: "open the store", Place: arg, Detail: "not a directory", Hint: "pass the directory of a project, or the address of a database"}
	}
	return &Place{Dir: filepath.Join(arg, stateDir), Published: true}, nil
}

// Exists reports whether there is a store. Opening it reports what is wrong with a file.
func (p *Place) Exists(ctx context.Context) (bool, error) {
	if p.Address == "" {
		_, err := os.Lstat(p.String())
		return !errors.Is(err, fs.ErrNotExist), nil
	}
	st, err := p.Open(ctx, Unchanged)
	if err == nil {
		return true, st.Close()
	}
	if fault.CodeOf(err) == store.NoStore {
		return false, nil
	}
	return false, err
}

// Open opens the store.
func (p *Place) Open(ctx context.Context, what Purpose) (Opened, error) {
	if p.Address != "" {
		return p.openDatabase(ctx, what)
	}
	o := sqlite.Options{Summarise: session.Summarise}
	switch what {
	case ToWrite:
		o.Before, o.Published = p.Before, p.Published
	case ToRead:
		o.ReadOnly, o.Upgrade = true, true
	case Unchanged:
		o = sqlite.Options{ReadOnly: true}
	}
	st, err := sqlite.Open(ctx, p.Dir, o)
	if err != nil {
		return nil, err
	}
	return &file{st, p.String()}, nil
}

// file is the store of a project on one machine.
type file struct {
	*sqlite.Store
	path string
}

// Health implements Opened.
func (s *file) Health(ctx context.Context) (*Health, error) {
	if err := s.QuickCheck(ctx); err != nil {
		return nil, err
	}
	return &Health{Size: s.size(), Facts: []string{"on a local file system"}, Unwritable: s.CheckWritable()}, nil
}

// size returns the size of the store's files.
func (s *file) size() int64 {
	var sum int64
	for _, ending := range []string{"", "-wal"} {
		if info, err := os.Stat(s.path + ending); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// Poll returns how often to ask the store for what other processes have written.
func (p *Place) Poll() time.Duration {
	if p.Address == "" {
		return 200 * time.Millisecond
	}
	return 500 * time.Millisecond
}
