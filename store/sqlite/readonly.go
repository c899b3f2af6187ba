package sqlite

import (
	"context"
	"errors"
	"os"

	lib "modernc.org/sqlite/lib"

	"brenner/internal/fault"
	"brenner/store"
)

// connectAnyway connects to read a store after why: that of a process killed while it created the
// store, and one in a directory that cannot be written, where SQLite cannot create its files.
func (s *Store) connectAnyway(ctx context.Context, o Options, why error) error {
	code := extended(why)
	if p := code & 0xff; p != lib.SQLITE_READONLY && p != lib.SQLITE_CANTOPEN {
		return why
	}
	if writable(s.dir) != nil {
		if err := s.file.readImmutable(); err != nil {
			return err
		}
	} else if code != lib.SQLITE_READONLY_ROLLBACK || rollBack(ctx, s.file.Path) != nil {
		return why
	}
	_ = s.disconnect() // the new attempt matters
	return s.connect(ctx, o)
}

// rollBack undoes an unfinished transaction from before WAL mode, which a read-only connection
// cannot: the first read of a writing one does.
func rollBack(ctx context.Context, path string) error {
	db, err := pool(path, modeRecover, 1)
	if err != nil {
		return err
	}
	_, err = readIdentity(ctx, db)
	return errors.Join(err, db.Close())
}

// readImmutable makes later readers use the file without any other file. That is right only if no
// other file has a part of its content.
func (f *File) readImmutable() error {
	for _, suffix := range []string{"-wal", "-journal"} {
		if info, err := os.Stat(f.Path + suffix); err == nil && info.Size() > 0 {
			return &fault.Error{
				Code: store.Unwritable, Op: "open the " + f.Name, Place: f.Path,
				Detail: "its directory cannot be written, and " + f.Path + suffix + " has changes that are not in the file yet",
				Hint:   "copy the project to a place that can be written, and run the command there",
			}
		}
	}
	var err error
	f.immutable, err = os.Stat(f.Path)
	return err
}

// checkUnchanged returns an error if a file that was read as immutable has changed since: what was
// read may be wrong.
func (f *File) checkUnchanged() error {
	if f.immutable == nil {
		return nil
	}
	now, err := os.Stat(f.Path)
	if err != nil || now.Size() == f.immutable.Size() && now.ModTime().Equal(f.immutable.ModTime()) {
		return nil
	}
	return &fault.Error{
		Code: store.Busy, Op: "read the " + f.Name, Place: f.Path, Detail: "another process changed it meanwhile", Hint: "run the command again",
	}
}
