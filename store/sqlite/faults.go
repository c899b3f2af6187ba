package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	driversqlite "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"brenner/internal/fault"
	"brenner/store"
)

// errBusy is for locks that are not SQLite's.
var errBusy = errors.New("another process is at work on the store")

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

// verdict is the meaning of an SQLite error to a user.
type verdict struct {
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
	v := judge(err, wait)
	return &fault.Error{Code: v.code, Op: op, Place: file, Detail: v.detail, Hint: v.hint, Cause: err}
}

func judge(err error, wait time.Duration) verdict {
	if isBusy(err) {
		return verdict{
			store.Busy, fmt.Sprintf("other processes kept it busy for %s", wait),
			"run the command again when they are done",
		}
	}
	switch primary(err) {
	case lib.SQLITE_FULL:
		return full()
	case lib.SQLITE_IOERR:
		return judgeIO(extended(err))
	case lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM, lib.SQLITE_AUTH:
		return verdict{
			store.Unwritable, "the file or its folder cannot be opened for writing",
			"look at the rights of the folder and of the files in it, and whether the disk is mounted read-only; even reading needs a folder that can be written to",
		}
	case lib.SQLITE_TOOBIG:
		return verdict{store.Unsupported, "a single value is larger than 1 GB", "give the text in smaller parts"}
	case lib.SQLITE_NOMEM:
		return verdict{store.Unsupported, "there is not enough memory", "end other programs, and run the command again"}
	}
	return damaged()
}

// judgeIO distinguishes I/O errors of reading from those of writing.
func judgeIO(code int) verdict {
	switch code {
	case lib.SQLITE_IOERR_READ, lib.SQLITE_IOERR_SHORT_READ, lib.SQLITE_IOERR_CORRUPTFS, lib.SQLITE_IOERR_IN_PAGE:
		return damaged()
	case lib.SQLITE_IOERR_SHMSIZE:
		return full() // extending a file usually fails only for lack of space
	}
	return verdict{store.Unwritable, "the disk answered with an error", "look at the disk; what was stored before is untouched"}
}

func full() verdict {
	return verdict{store.Full, "no space is left on the disk", "free some space and run the command again; nothing was written, and nothing was lost"}
}

func damaged() verdict {
	return verdict{
		store.Damaged, "the file is damaged, or is no store",
		"run `brenner verify` to see how much of it is whole; the file was not changed. Keep a copy before anything else",
	}
}
