package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	driversqlite "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"brenner/internal/fault"
	"brenner/store"
)

// errBusy is for locks that are not SQLite's.
var errBusy = errors.New("another process is using the store")

func isBusy(err error) bool {
	if errors.Is(err, errBusy) {
		return true
	}
	switch primary(err) {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL:
		return true
	}
	return false
}

// extended returns the SQLite result code in an error's chain, or 0.
func extended(err error) int {
	var e *driversqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

func primary(err error) int { return extended(err) & 0xff }

// diagnosis explains an SQLite error to a user.
type diagnosis struct {
	code         fault.Code
	detail, hint string
}

// faultOf adds code, place and hint to an SQLite error about a file. Faults are returned unchanged.
// wait is how long the caller has waited for other processes.
func faultOf(op, file string, wait time.Duration, err error) error {
	var f *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &fault.Error{Op: op, Cause: err}
	case errors.Is(err, sql.ErrConnDone):
		return &fault.Error{Code: store.Closed, Op: op, Place: file, Cause: err}
	}
	v := classify(err, wait)
	return &fault.Error{Code: v.code, Op: op, Place: file, Detail: v.detail, Hint: v.hint, Cause: err}
}

func classify(err error, wait time.Duration) diagnosis {
	if isBusy(err) {
		return diagnosis{
			store.Busy, fmt.Sprintf("other processes kept it busy for %s", wait),
			"run the command again later",
		}
	}
	switch primary(err) {
	case lib.SQLITE_FULL:
		return full()
	case lib.SQLITE_IOERR:
		return classifyIO(extended(err))
	case lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM, lib.SQLITE_AUTH:
		return diagnosis{
			store.Unwritable, "the file or its directory cannot be opened for writing",
			"check the permissions of the directory and its files, and whether the disk is mounted read-only",
		}
	case lib.SQLITE_TOOBIG:
		return diagnosis{store.Unsupported, "a single value is larger than 1 GB", "split the text into smaller parts"}
	case lib.SQLITE_NOMEM:
		return diagnosis{store.Unsupported, "out of memory", "close other programs, and run the command again"}
	}
	return damaged()
}

// classifyIO distinguishes I/O errors of reading from those of writing.
func classifyIO(code int) diagnosis {
	switch code {
	case lib.SQLITE_IOERR_READ, lib.SQLITE_IOERR_SHORT_READ, lib.SQLITE_IOERR_CORRUPTFS, lib.SQLITE_IOERR_IN_PAGE:
		return damaged()
	case lib.SQLITE_IOERR_SHMSIZE:
		return full() // extending a file usually fails only for lack of space
	}
	return diagnosis{store.Unwritable, "disk I/O error", "check the disk; earlier data is unchanged"}
}

func full() diagnosis {
	return diagnosis{store.Full, "no space left on the disk", "free some space and run the command again; nothing was written or lost"}
}

func damaged() diagnosis {
	return diagnosis{
		store.Damaged, "the file is damaged, or not a store",
		"make a copy first, then run `brenner verify` to see how much of it is intact; the file was not changed",
	}
}

// forbidden adds code, place and hint to an error of the operating system about a file or its directory.
func (f *File) forbidden(path string, err error) error {
	if err == nil {
		return nil
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err // the place is known
	}
	e := &fault.Error{
		Code: store.Unwritable, Op: "open the " + f.Name, Place: path, Cause: err,
		Hint: "choose a directory that you may write to, on a disk that is not mounted read-only",
	}
	switch info, missing := os.Stat(path); {
	case missing != nil:
	case path != f.Path && !info.IsDir():
		e.Detail, e.Cause, e.Hint = "not a directory", nil, MoveAway(path)+" moves it away"
	case errors.Is(err, fs.ErrPermission):
		e.Hint = "if it is yours: `chmod u+rwX " + word(path) + "`; else run the command as its owner, or on a copy of the project"
	}
	return e
}

// unopened adds code, place and hint to the error of opening the store. Verify could not open it, either.
func (s *Store) unopened(err error) error {
	out := s.file.Fault("open the store", err)
	var f *fault.Error
	if errors.As(out, &f) && f.Code == store.Damaged && extended(err) != 0 {
		f.Hint = "restore it from a backup; to start over: " + MoveAway(s.dir) + "; the file was not changed"
	}
	return out
}

// MoveAway returns a command that renames something.
func MoveAway(path string) string {
	return "`mv " + word(path) + " " + word(freeName(path+".old")) + "`"
}
