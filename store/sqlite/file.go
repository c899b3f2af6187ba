package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"brenner/internal/fault"
	"brenner/store"
)

// Format identifies a kind of file and its schema.
type Format struct {
	Name string // in messages: "store"
	ID   int    // SQLite's application_id
	// Steps lead from an empty file to the newest schema; step n leads to version n+1.
	Steps []string
	// Fill, if not nil, follows the step to a version, in its transaction.
	Fill func(ctx context.Context, conn *sql.Conn, version int) error
}

// File is an open file.
type File struct {
	Format
	Path string
	Wait time.Duration // for other processes

	// immutable is the file as it was opened in a directory that cannot be written; else nil.
	immutable os.FileInfo

	use    sync.RWMutex // read-locked by each use, locked by Shut
	closed bool
}

// Enter begins a use of the file, which ends with leave.
func (f *File) Enter(ctx context.Context, op string) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, &fault.Error{Op: op, Cause: err}
	}
	f.use.RLock()
	if f.closed {
		f.use.RUnlock()
		return nil, f.Closed(op)
	}
	return f.use.RUnlock, nil
}

// Closed returns the fault for a use after Shut.
func (f *File) Closed(op string) error {
	return &fault.Error{Code: store.Closed, Op: op, Place: f.Path, Detail: "the " + f.Name + " is closed"}
}

// Shut waits for uses in flight and refuses all later ones. It reports whether the file was open.
func (f *File) Shut() bool {
	f.use.Lock()
	defer f.use.Unlock()
	was := f.closed
	f.closed = true
	return !was
}

// Fault returns an error about the file with its code, place and hint.
func (f *File) Fault(op string, err error) error { return faultOf(op, f.Path, f.Wait, err) }

// Use calls do as one use of the file.
func Use[T any](ctx context.Context, f *File, op string, do func() (T, error)) (T, error) {
	var none T
	leave, err := f.Enter(ctx, op)
	if err != nil {
		return none, err
	}
	defer leave()
	value, err := do()
	if err != nil {
		return none, f.Fault(op, err)
	}
	return value, nil
}

// identity is what a file's header and schema table say about it.
type identity struct {
	application int
	version     int
	objects     int // tables, indexes and the like
}

func (i identity) empty() bool { return i == identity{} }

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func readIdentity(ctx context.Context, q querier) (i identity, err error) {
	err = q.QueryRowContext(ctx, `SELECT
		(SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&i.application, &i.version, &i.objects)
	return i, err
}

func (f *File) unsupported(detail, hint string, cause error) error {
	return &fault.Error{Code: store.Unsupported, Op: "open the " + f.Name, Place: f.Path, Detail: detail, Hint: hint, Cause: cause}
}

// checkIdentity refuses files of another application and of a newer schema.
func (f *File) checkIdentity(i identity) error {
	switch {
	case i.empty():
		return nil
	case i.application != f.ID:
		return f.unsupported("it is an SQLite file of another program", "move it elsewhere; it was not changed", nil)
	case i.version > len(f.Steps):
		return f.unsupported(fmt.Sprintf("the %s has version %d, but this program supports versions up to %d", f.Name, i.version, len(f.Steps)),
			"use the newer brenner that created it; the file was not changed", nil)
	}
	return nil
}

// errOlder is the cause if a store with an older schema is opened read-only.
var errOlder = errors.New("created by an older version of the program")

// checkReadable returns why the store cannot be read, if it cannot.
func (s *Store) checkReadable(ctx context.Context) error {
	var i identity
	err := waiting(ctx, s.file.Wait, func() (err error) {
		i, err = readIdentity(ctx, s.reader.DB)
		return err
	})
	if err == nil {
		err = s.file.checkIdentity(i)
	}
	if err != nil {
		return err
	}
	switch newest := len(s.file.Steps); {
	case i.empty():
		return s.noStore()
	case i.version < newest:
		return s.file.unsupported(fmt.Sprintf("the store has the older version %d, but reading it requires version %d", i.version, newest),
			"`brenner session list` upgrades it and keeps a copy", errOlder)
	}
	return nil
}

// prepare sets WAL mode and returns the file's identity. It writes nothing before it has checked
// that the file belongs to this program.
func (f *File) prepare(ctx context.Context, conn *sql.Conn) (identity, error) {
	i, err := readIdentity(ctx, conn)
	if err == nil {
		err = f.checkIdentity(i)
	}
	if err != nil {
		return i, err
	}
	var mode string
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return i, err
	}
	if mode != "wal" {
		return i, f.unsupported("SQLite's WAL mode does not work here; the mode is "+mode, "move the project to a local disk", nil)
	}
	return i, nil
}

// upgrade runs the missing steps, one transaction each. Other processes may do so meanwhile.
func (f *File) upgrade(ctx context.Context, conn *sql.Conn) error {
	for done := false; !done; {
		err := transaction(ctx, conn, f.Wait, func(ctx context.Context) error {
			i, err := readIdentity(ctx, conn)
			if done = i.version >= len(f.Steps); err != nil || done {
				return err
			}
			return f.step(ctx, conn, i.version+1)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// step changes the schema to a version, from the one before.
func (f *Format) step(ctx context.Context, conn *sql.Conn, version int) error {
	_, err := conn.ExecContext(ctx, fmt.Sprintf("%s;\nPRAGMA application_id = %d; PRAGMA user_version = %d", f.Steps[version-1], f.ID, version))
	if err == nil && f.Fill != nil {
		err = f.Fill(ctx, conn, version)
	}
	return err
}
