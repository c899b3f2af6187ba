// Package sqlite keeps a project's store in one SQLite file in WAL mode, shared by any number of
// processes.
//
// It promises: a batch is on disk when Write returns without an error; each process writes with one
// connection and reads with others; data read by hash has that hash; faults of the disk, the file
// and the file system have codes of their own. It does not touch files that are damaged or belong
// to another application or a newer program. It must not know what blobs, events and records mean.
//
// While a store is open, its process must not open and close the file by other means: closing any
// descriptor of a file ends the POSIX locks that SQLite has on it.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"time"

	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/store"
	"brenner/store/journal"
)

// FileName is the name of the store's file in its directory.
const FileName = "brenner.db"

const defaultWait = 10 * time.Second

const readers = 4

// Options configure Open; the zero value works.
type Options struct {
	// ReadOnly creates and changes nothing. Without a store, Open fails with NoStore.
	ReadOnly bool
	// Upgrade allows a read-only Open to upgrade an older store, keeping a backup.
	Upgrade bool
	// Wait is how long to wait for other writing processes; 0 means 10 s.
	Wait time.Duration
	// Before is called before a store is created in a directory that can be written; nil does nothing.
	Before func()
	// Published says that the store was elsewhere until now: published sessions are no sign that the file was lost.
	Published bool
	// Summarise returns the summary of a stream for an upgrade of a store without summaries, or "". Nil leaves them out.
	Summarise func(stream string, entries []journal.Entry) string
	// Network returns a directory's network file system, or "". Nil asks the operating system.
	Network func(dir string) (string, error)

	// steps replaces the migrations in tests.
	steps []string
}

// Store is a store.Store and store.Locks in a directory.
type Store struct {
	dir    string
	file   File
	opened os.FileInfo // nil if not read-only
	writer *writer     // nil if read-only
	reader *Reader
	locks  locks
	coder  coder
}

// Open opens the store in a directory and creates both if missing.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	s, err := open(ctx, dir, o)
	if err == nil || !o.ReadOnly || !o.Upgrade || !errors.Is(err, errOlder) {
		return s, err
	}
	writing := o
	writing.ReadOnly = false
	up, err := open(ctx, dir, writing)
	if err == nil {
		err = up.Close()
	}
	if err != nil {
		return nil, err
	}
	return open(ctx, dir, o)
}

func open(ctx context.Context, dir string, o Options) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, &fault.Error{Code: store.Unwritable, Op: "open the store", Cause: err}
	}
	s := &Store{dir: dir, file: File{Path: filepath.Join(dir, FileName), Wait: cmp.Or(o.Wait, defaultWait)}}
	if o.steps == nil {
		o.steps = migrations()
	}
	s.file.Format = format(o.steps, o.Summarise)
	if err := s.followLink(); err != nil {
		return nil, err
	}
	s.locks.dir = filepath.Join(s.dir, "locks")
	if err := s.prepareDir(ctx, o); err != nil {
		return nil, err
	}
	err = s.connect(ctx, o)
	if err != nil && o.ReadOnly {
		err = s.connectAnyway(ctx, o, err)
	}
	if err != nil {
		_ = s.disconnect() // the first error is the one that matters
		return nil, s.unopened(err)
	}
	return s, nil
}

// followLink resolves a symbolic link to the store's file, as SQLite does. The files beside it,
// above all the locks, must be the same for every process.
func (s *Store) followLink() error {
	file, err := s.file.Target()
	if err == nil && file != s.file.Path {
		s.dir, s.file.Path = filepath.Dir(file), file
	}
	return err
}

// Target returns the path of the file behind symbolic links. A dangling link is refused: SQLite would
// create its target.
func (f *File) Target() (string, error) {
	info, err := os.Lstat(f.Path)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		return f.Path, nil // other faults show up later
	}
	file, err := filepath.EvalSymlinks(f.Path)
	if err != nil {
		return "", &fault.Error{
			Code: store.Damaged, Op: "open the " + f.Name, Place: f.Path, Detail: "dangling symbolic link", Cause: err,
			Hint: "mount the disk that it points to, or remove the link to start over",
		}
	}
	return file, nil
}

// prepareDir checks the directory before SQLite uses it, and creates it if allowed.
func (s *Store) prepareDir(ctx context.Context, o Options) error {
	if err := CheckLocal(s.dir, o.Network); err != nil {
		return err
	}
	if err := s.checkFile(o); err != nil {
		return err
	}
	if o.ReadOnly {
		return s.mustExist()
	}
	err := s.makeDir()
	if err == nil {
		err = s.makeFile(ctx, o)
	}
	if err != nil {
		return s.file.forbidden(s.dir, err)
	}
	return s.CheckWritable() // SQLite would open it anyway, and fail later
}

// CheckWritable returns why the store's file cannot be written, if it cannot.
func (s *Store) CheckWritable() error {
	if !exists(s.file.Path) {
		return nil
	}
	return s.file.forbidden(s.file.Path, writable(s.file.Path))
}

// checkFile refuses what SQLite would wait on or silently create again: something other than a regular
// file, and a missing file whose companion files are still there.
func (s *Store) checkFile(o Options) error {
	info, err := os.Stat(s.file.Path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return &fault.Error{
			Code: store.Damaged, Op: "open the store", Place: s.file.Path, Detail: "not a regular file",
			Hint: MoveAway(s.file.Path) + " moves it away; the store is an SQLite file",
		}
	case err == nil && info.Size() > 1: // to SQLite, a file of one byte is empty
		return nil
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return s.file.forbidden(s.dir, err)
	}
	if found := s.traces(o); found != "" {
		return &fault.Error{
			Code: store.Damaged, Op: "open the store", Place: s.file.Path, Detail: "the store's file is missing or empty, but " + found,
			Hint: "restore the file, with its -wal if there is one; if the store is a database, name it with BRENNER_STORE; to start over: " + MoveAway(s.dir),
		}
	}
	return nil
}

// traces returns what says that there was a store, or "".
func (s *Store) traces(o Options) string {
	if published, _ := os.ReadDir(filepath.Join(s.dir, "sessions")); len(published) > 0 && !o.Published || exists(s.locks.dir) {
		return "sessions were run here"
	}
	if wal, err := os.Stat(s.file.Path + "-wal"); err == nil && wal.Size() > 0 {
		return "its WAL is there"
	}
	return ""
}

func (s *Store) makeDir() error {
	if exists(s.dir) {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	return syncDir(filepath.Dir(s.dir))
}

// makeFile creates a missing store. Then it removes what killed processes left of theirs, or slower
// ones, which use this store.
func (s *Store) makeFile(ctx context.Context, o Options) error {
	if !exists(s.file.Path) {
		if err := s.makeNew(ctx, o); err != nil {
			return err
		}
	}
	for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
		_ = files.RemoveTemp(s.dir, buildPrefix, suffix) // what cannot be removed does no harm
	}
	return nil
}

// makeNew creates a store: only its owner can read it, as its WAL then is, since it holds
// the agents' texts. The store is complete before it gets its name, so that a kill leaves no
// half-made one, and closed, since closing it would end SQLite's locks on it. If that fails, the
// store is created in place.
func (s *Store) makeNew(ctx context.Context, o Options) error {
	tmp, err := os.CreateTemp(s.dir, buildPrefix) // with mode 0600
	if err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if o.Before != nil {
		o.Before()
	}
	built := build(ctx, &File{Format: s.file.Format, Path: tmp.Name(), Wait: s.file.Wait})
	if built == nil {
		_ = os.Link(tmp.Name(), s.file.Path) // another process may have been faster, and not every file system has links
	}
	if !exists(s.file.Path) {
		_ = makeOwn(s.file.Path)
	}
	return syncDir(s.dir)
}

// buildPrefix begins the name of a store that is not complete yet; a number follows.
const buildPrefix = "." + FileName + "."

// build creates the schema in a file and closes it. One sync at the end is enough.
func build(ctx context.Context, f *File) error {
	w, err := OpenWriter(ctx, f, func(ctx context.Context, conn *sql.Conn) error {
		if _, err := conn.ExecContext(ctx, "PRAGMA synchronous = OFF"); err != nil {
			return err
		}
		return f.upgrade(ctx, conn)
	})
	if err != nil {
		return err
	}
	err = errors.Join(w.Close(), syncFile(f.Path))
	if err == nil && exists(f.Path+"-wal") { // SQLite does not report that the disk was full
		err = errors.New("the WAL is not in the file")
	}
	return err
}

func (s *Store) mustExist() error {
	_, err := os.Stat(s.file.Path)
	switch {
	case err == nil:
		err = readable(s.file.Path)
	case errors.Is(err, os.ErrNotExist):
		return s.noStore()
	}
	return s.file.forbidden(s.file.Path, err)
}

func (s *Store) noStore() error {
	return &fault.Error{
		Code: store.NoStore, Op: "open the store", Place: s.file.Path, Detail: "no store yet",
		Hint: "run the command in the project's directory; the first session creates the store, as does `brenner store put`",
	}
}

// connect opens the connections and creates or upgrades the schema.
func (s *Store) connect(ctx context.Context, o Options) (err error) {
	if !o.ReadOnly {
		if s.writer, err = openWriter(ctx, s); err != nil {
			return err
		}
	}
	if s.reader, err = OpenReader(&s.file, readers); err != nil {
		return err
	}
	if !o.ReadOnly {
		return nil
	}
	if s.opened, err = os.Stat(s.file.Path); err != nil {
		return err
	}
	return s.checkReadable(ctx)
}

// disconnect closes the writer last: the last to close checkpoints the WAL, and a reader cannot.
func (s *Store) disconnect() error {
	err := s.reader.Close()
	if s.writer != nil {
		err = errors.Join(err, s.writer.Close())
	}
	return err
}

// Close closes the store after uses in flight. Locks stay held.
func (s *Store) Close() error {
	if !s.file.Shut() {
		return nil
	}
	return s.file.Fault("close the store", errors.Join(s.disconnect(), s.file.checkUnchanged()))
}
