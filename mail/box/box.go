// Package box stores mail in its own SQLite file beside the project's store, in WAL mode, shared by
// any number of processes. A separate file keeps a busy mail server and a committing session from
// blocking each other.
//
// It promises what mail.Box does. Concurrent sends of one process share a commit, reading a
// page costs the same anywhere in a thread, and waiting readers wake immediately for mail of this
// process and within milliseconds for mail of others. It must not know permissions or what messages
// say.
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

// FileName is the name of the mailbox's file in its directory.
const FileName = "mail.db"

const (
	defaultWait = 10 * time.Second
	readers     = 8
	searchers   = 2 // separate, so that searches do not block readers
)

// Options configure Open; the zero value works.
type Options struct {
	Wait time.Duration    // for other writing processes; 0 means 10 s
	Now  func() time.Time // the clock; nil means the system's
}

// Box is a mail.Box in a file.
type Box struct {
	file sqlite.File
	now  func() time.Time

	read     *sqlite.Reader
	search   *sqlite.Reader
	rows     sync.Map // agents' rows by project and name
	owners   sync.Map // owners by row
	cache    messageCache
	tokens   sync.Map // rows of recently verified tokens by hash
	writer   *writer
	notifier notifier
	ended    chan struct{} // closed with the box, to end waits
}

var _ mail.Box = (*Box)(nil)

// Open opens the mailbox in a directory and creates both if missing, readable only by its owner.
func Open(ctx context.Context, dir string, o Options) (*Box, error) {
	const op = "open the mailbox"
	b := &Box{now: o.Now, ended: make(chan struct{}), file: sqlite.File{
		Format: sqlite.Format{Name: "mailbox", ID: applicationID, Steps: []string{schema, attachmentsAndContacts}},
		Path:   filepath.Join(dir, FileName), Wait: cmp.Or(o.Wait, defaultWait),
	}}
	if b.now == nil {
		b.now = time.Now
	}
	if err := sqlite.CheckLocal(dir, nil); err != nil {
		return nil, err
	}
	if _, err := b.file.Target(); err != nil {
		return nil, err
	}
	if err := b.makeFile(dir); err != nil {
		return nil, &fault.Error{
			Code: store.Unwritable, Op: op, Place: b.file.Path, Cause: err,
			Hint: "choose a writable directory",
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
	b.notifier.waiters, b.notifier.box = make(map[int64]chan struct{}), b
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

// Close ends all waits for mail, and closes the box when calls in flight are done.
func (b *Box) Close() error {
	if !b.file.Shut() {
		return nil
	}
	close(b.ended)
	b.notifier.stop()
	return b.file.Fault("close the mailbox", b.disconnect())
}
