package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"brenner/internal/fault"
	"brenner/store"
)

// upgradeLock is held by the one process that changes the schema. No lock of a
// user begins with a dot.
const upgradeLock = ".upgrade"

// ready brings a writing connection's file to WAL mode and the newest version.
// Nothing is written before the file is known to be ours.
func (s *Store) ready(ctx context.Context, conn *sql.Conn, steps []string) error {
	i, err := readIdentity(ctx, conn)
	if err != nil {
		return err
	}
	if err := s.checkIdentity(i, len(steps)); err != nil {
		return err
	}
	var mode string
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return &fault.Error{
			Code: store.Unsupported, Op: "open the store", Place: s.file,
			Detail: "SQLite's WAL mode does not work here; it stays in the mode " + mode,
			Hint:   "move the project to a local disk",
		}
	}
	if i.version == len(steps) {
		return nil
	}
	return s.migrate(ctx, conn, steps)
}

// migrate goes the steps that are left, each in a transaction of its own. An
// existing store is copied before. The lock keeps two processes from copying
// and migrating at once; the second finds nothing left to do.
func (s *Store) migrate(ctx context.Context, conn *sql.Conn, steps []string) error {
	release, err := s.locks.take(upgradeLock, store.Holder{PID: os.Getpid(), Since: time.Now(), Doing: "upgrade the store"})
	if fault.CodeOf(err) == store.Held {
		return errBusy
	}
	if err != nil {
		return err
	}
	i, err := readIdentity(ctx, conn)
	if err == nil && i.version > 0 && i.version < len(steps) {
		err = s.backup(ctx, conn, i.version)
	}
	for v := i.version; err == nil && v < len(steps); v++ {
		err = Transaction(ctx, conn, s.wait, func(ctx context.Context) error {
			_, err := conn.ExecContext(ctx, fmt.Sprintf("%s;\nPRAGMA application_id = %d; PRAGMA user_version = %d", steps[v], applicationID, v+1))
			return err
		})
	}
	if e := release(); err == nil {
		err = e
	}
	return err
}

// backup copies the store beside itself, whole or not at all.
func (s *Store) backup(ctx context.Context, conn *sql.Conn, version int) error {
	name := fmt.Sprintf("%s.v%d-backup", s.file, version)
	for n := 2; exists(name); n++ {
		name = fmt.Sprintf("%s.v%d-backup-%d", s.file, version, n)
	}
	partial := name + ".partial"
	err := os.RemoveAll(partial) // from a copy that was interrupted
	if err == nil {
		err = makeOwn(partial)
	}
	if err == nil {
		_, err = conn.ExecContext(ctx, "VACUUM INTO ?", partial)
	}
	if err == nil {
		err = syncFile(partial)
	}
	if err == nil {
		err = os.Rename(partial, name)
	}
	if err == nil {
		err = syncFolder(filepath.Dir(name))
	}
	if err == nil || extended(err) != 0 {
		return err
	}
	return &fault.Error{
		Code: store.Unwritable, Op: "copy the store before its upgrade", Place: name, Cause: err,
		Hint: "look at the disk; the store was not changed",
	}
}

// makeOwn makes an empty file for its owner alone, as the store is: SQLite would make
// it for everybody to read, and fills an empty one as it is.
func makeOwn(name string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// syncFile has a file's content on the disk before it goes on.
func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = f.Sync()
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
