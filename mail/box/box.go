// Package box keeps mail in one SQLite file of its own, beside the project's store,
// in WAL mode, with any number of processes at work on it at once.
//
// It promises what mail.Box does. Sends of one process that come at one time are
// committed together, so that fifty writers do not wait for fifty syncs of the disk;
// a page of a thread costs the same at its end as at its beginning; whoever waits
// for mail is woken by this process at once, and by others within milliseconds.
//
// The file is not the store's: a server that takes mail all day must not hold up a
// session that commits, nor the other way round.
//
// It must not know who may do what, or what messages say.
package box

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/store"
	"brenner/store/sqlite"
)

// FileName is the name of the mailbox's file in its folder.
const FileName = "mail.db"

const (
	defaultWait = 10 * time.Second
	readers     = 8
	searchers   = 2 // of their own, so that whoever searches keeps nobody from reading
)

// Options say how a box is opened; the zero value works.
type Options struct {
	Wait time.Duration    // for other processes that write; 0 is 10 s
	Now  func() time.Time // the clock; nil is the system's
}

// Box is a mail.Box in a file.
type Box struct {
	file string
	wait time.Duration
	now  func() time.Time

	read   pool
	search pool
	rows   sync.Map // agents' rows, by project and name
	owners sync.Map // who they are, by row
	shelf  shelf
	tokens sync.Map // the rows of tokens that were good a moment ago, by hash
	writer *writer
	bells  bells

	use    sync.RWMutex // read-locked by each method, locked by Close
	closed bool
	ended  chan struct{} // closed with the box, for whoever waits
}

var _ mail.Box = (*Box)(nil)

// Open opens the mailbox in a folder, and makes both where they are not there. Only
// its owner can read the file: mail is not for everybody on the machine.
func Open(ctx context.Context, dir string, o Options) (*Box, error) {
	const op = "open the mailbox"
	b := &Box{file: filepath.Join(dir, FileName), wait: o.Wait, now: o.Now, ended: make(chan struct{})}
	if b.wait == 0 {
		b.wait = defaultWait
	}
	if b.now == nil {
		b.now = time.Now
	}
	if err := sqlite.CheckLocal(dir, nil); err != nil {
		return nil, err
	}
	if err := b.makeFile(dir); err != nil {
		return nil, &fault.Error{
			Code: store.Unwritable, Op: op, Place: b.file, Cause: err,
			Hint: "choose a folder that you may write to, on a disk that is not mounted read-only",
		}
	}
	if err := b.connect(ctx); err != nil {
		_ = b.disconnect() // the first error is the one that matters
		return nil, b.fault(op, err)
	}
	return b, nil
}

func (b *Box) makeFile(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(b.file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func (b *Box) connect(ctx context.Context) error {
	w, err := openWriter(ctx, b)
	if err != nil {
		return err
	}
	b.writer = w
	b.bells.rung, b.bells.box = make(map[int64]chan struct{}), b
	if b.read.db, err = sqlite.Pool(b.file, "ro", readers); err != nil {
		return err
	}
	b.search.db, err = sqlite.Pool(b.file, "ro", searchers)
	return err
}

func (b *Box) disconnect() error {
	err := errors.Join(b.read.close(), b.search.close())
	if b.writer != nil {
		err = errors.Join(err, b.writer.close())
	}
	return err
}

// Close ends the box, after what is under way; whoever waits for mail waits no more.
func (b *Box) Close() error {
	b.use.Lock()
	if b.closed {
		b.use.Unlock()
		return nil
	}
	b.closed = true
	close(b.ended)
	b.use.Unlock()
	b.bells.stop()
	return b.fault("close the mailbox", b.disconnect())
}

// enter begins a use of the box, which ends with leave.
func (b *Box) enter(ctx context.Context, op string) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, &fault.Error{Op: op, Cause: err}
	}
	b.use.RLock()
	if b.closed {
		b.use.RUnlock()
		return nil, b.closedFault(op)
	}
	return b.use.RUnlock, nil
}

func (b *Box) closedFault(op string) error {
	return &fault.Error{Code: store.Closed, Op: op, Place: b.file, Detail: "the mailbox was closed before"}
}

func (b *Box) fault(op string, err error) error { return sqlite.Fault(op, b.file, b.wait, err) }

// ready makes the file a mailbox, or refuses one that is none of ours.
func (b *Box) ready(ctx context.Context, conn *sql.Conn) error {
	var application, is, objects int
	err := conn.QueryRowContext(ctx, `SELECT
		(SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&application, &is, &objects)
	if err != nil {
		return err
	}
	empty := application == 0 && is == 0 && objects == 0
	switch {
	case !empty && application != applicationID:
		return b.unsupported("this is an SQLite file of another program", "move it elsewhere; it was not changed")
	case is > version:
		return b.unsupported(fmt.Sprintf("the mailbox has version %d, and this program knows versions up to %d", is, version), "use the newer brenner that made it; the file was not changed")
	}
	var mode string
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return b.unsupported("SQLite's WAL mode does not work here; it stays in the mode "+mode, "move the project to a local disk")
	}
	if !empty {
		return nil
	}
	return sqlite.Transaction(ctx, conn, b.wait, func(ctx context.Context) error {
		var made int
		if err := conn.QueryRowContext(ctx, "SELECT user_version FROM pragma_user_version").Scan(&made); err != nil || made == version {
			return err // another process was faster
		}
		_, err := conn.ExecContext(ctx, fmt.Sprintf("%s;\nPRAGMA application_id = %d; PRAGMA user_version = %d", schema, applicationID, version))
		return err
	})
}

func (b *Box) unsupported(detail, hint string) error {
	return &fault.Error{Code: store.Unsupported, Op: "open the mailbox", Place: b.file, Detail: detail, Hint: hint}
}
