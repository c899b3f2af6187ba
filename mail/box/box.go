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
	"cmp"
	"context"
	"errors"
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
	file sqlite.File
	now  func() time.Time

	read   *sqlite.Reader
	search *sqlite.Reader
	rows   sync.Map // agents' rows, by project and name
	owners sync.Map // who they are, by row
	shelf  shelf
	tokens sync.Map // the rows of tokens that were good a moment ago, by hash
	writer *writer
	bells  bells
	ended  chan struct{} // closed with the box, for whoever waits
}

var _ mail.Box = (*Box)(nil)

// Open opens the mailbox in a folder, and makes both where they are not there. Only
// its owner can read the file: mail is not for everybody on the machine.
func Open(ctx context.Context, dir string, o Options) (*Box, error) {
	const op = "open the mailbox"
	b := &Box{now: o.Now, ended: make(chan struct{}), file: sqlite.File{
		Format: sqlite.Format{Name: "mailbox", ID: applicationID, Steps: []string{schema}},
		Path:   filepath.Join(dir, FileName), Wait: cmp.Or(o.Wait, defaultWait),
	}}
	if b.now == nil {
		b.now = time.Now
	}
	if err := sqlite.CheckLocal(dir, nil); err != nil {
		return nil, err
	}
	if err := b.makeFile(dir); err != nil {
		return nil, &fault.Error{
			Code: store.Unwritable, Op: op, Place: b.file.Path, Cause: err,
			Hint: "choose a folder that you may write to, on a disk that is not mounted read-only",
		}
	}
	if err := b.connect(ctx); err != nil {
		_ = b.disconnect() // the first error is the one that matters
		return nil, b.file.Fault(op, err)
	}
	return b, nil
}

func (b *Box) makeFile(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(b.file.Path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func (b *Box) connect(ctx context.Context) (err error) {
	b.bells.rung, b.bells.box = make(map[int64]chan struct{}), b
	if b.writer, err = openWriter(ctx, b); err != nil {
		return err
	}
	if b.read, err = sqlite.OpenReader(&b.file, readers); err != nil {
		return err
	}
	b.search, err = sqlite.OpenReader(&b.file, searchers)
	return err
}

func (b *Box) disconnect() error {
	err := errors.Join(b.read.Close(), b.search.Close())
	if b.writer != nil {
		err = errors.Join(err, b.writer.Close())
	}
	return err
}

// Close ends the box, after what is under way; whoever waits for mail waits no more.
func (b *Box) Close() error {
	if !b.file.Shut() {
		return nil
	}
	close(b.ended)
	b.bells.stop()
	return b.file.Fault("close the mailbox", b.disconnect())
}
