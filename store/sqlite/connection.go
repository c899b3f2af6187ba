package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	driversqlite "modernc.org/sqlite"
)

// busyTimeout is how many milliseconds SQLite waits for a lock before the context is checked again.
const busyTimeout = "50"

// cacheOf returns the page cache size of a connection. The writer revisits the upper levels of its
// indexes all the time and gets 8 MB; other pages come from the system's cache. Readers are several,
// and each write empties their cache: 2 MB.
func cacheOf(mode string) string {
	if mode == modeWrite {
		return "-8192"
	}
	return "-2048"
}

// The modes of a connection. immutable reads a file that SQLite may create nothing beside.
const (
	modeRead      = "ro"
	modeImmutable = "immutable"
	modeRecover   = "rw"
	modeWrite     = "rwc"
)

// newConnector returns connections whose commits are durable: synchronous=FULL, and fullfsync on
// macOS, where fsync alone leaves data in the drive's cache.
func newConnector(file, mode string) (driver.Connector, error) {
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/… on Windows
	}
	q := url.Values{
		"mode":       {mode},
		"_dqs":       {"0"},
		"_defensive": {"1"},
		"_error_rc":  {"1"},
		"_pragma": {
			"busy_timeout(" + busyTimeout + ")",
			"synchronous(FULL)", "fullfsync(1)", "checkpoint_fullfsync(1)",
			"foreign_keys(1)", "trusted_schema(0)",
			"cache_size(" + cacheOf(mode) + ")",
			"wal_autocheckpoint(4000)",     // 16 MB: a checkpoint takes as long as several writes
			"journal_size_limit(16777216)", // a large blob must not leave a large WAL for good
		},
	}
	if mode == modeImmutable {
		q.Set("mode", modeRead)
		q.Set(modeImmutable, "1")
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}
	return driversqlite.NewConnector(name.String())
}

// pause is the delay between attempts at a busy operation that does not wait by itself.
const pause = 5 * time.Millisecond

// waiting repeats do while the file is busy, until the limit or the context ends. SQLite's own busy
// handler ignores the context.
func waiting(ctx context.Context, limit time.Duration, do func() error) error {
	end := time.Now().Add(limit)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		err := do()
		if !isBusy(err) || !time.Now().Before(end) {
			return err
		}
		timer.Reset(pause)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
	}
}

// pool returns connections to a file, opened in the given SQLite mode.
func pool(file, mode string, limit int) (*sql.DB, error) {
	connector, err := newConnector(file, mode)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(limit)
	db.SetMaxIdleConns(limit)
	return db, nil
}

// Reader is a set of read connections. A query sees the last commit before it and blocks no other.
type Reader struct {
	DB   *sql.DB
	wait time.Duration

	mu       sync.Mutex
	prepared map[string]*sql.Stmt // by query text; preparing one takes longer than most queries
}

const maxPrepared = 100

// OpenReader opens a reader with at most limit connections.
func OpenReader(f *File, limit int) (*Reader, error) {
	mode := modeRead
	if f.immutable != nil {
		mode = modeImmutable
	}
	db, err := pool(f.Path, mode, limit)
	if err != nil {
		return nil, err
	}
	return &Reader{DB: db, wait: f.Wait, prepared: make(map[string]*sql.Stmt)}, nil
}

// Close closes the connections. A nil reader is valid.
func (r *Reader) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(closeAll(r.prepared), r.DB.Close())
}

// closeAll closes statements. This must happen before their connection is closed: SQLite keeps a
// connection with open statements, and the WAL is then not checkpointed.
func closeAll(prepared map[string]*sql.Stmt) error {
	var err error
	for _, statement := range prepared {
		err = errors.Join(err, statement.Close())
	}
	return err
}

// ask runs a query, with a kept prepared statement if there is room.
func (r *Reader) ask(ctx context.Context, text string, args []any) (*sql.Rows, error) {
	r.mu.Lock()
	statement, ok := r.prepared[text]
	room := len(r.prepared) < maxPrepared
	r.mu.Unlock()
	if !ok {
		if !room || strings.HasPrefix(text, "PRAGMA") {
			return r.DB.QueryContext(ctx, text, args...)
		}
		fresh, err := r.DB.PrepareContext(ctx, text)
		if err != nil {
			return nil, err
		}
		if statement, err = r.keep(text, fresh); err != nil {
			return nil, err
		}
	}
	return statement.QueryContext(ctx, args...)
}

// keep stores a statement, unless another caller has stored the same query.
func (r *Reader) keep(text string, fresh *sql.Stmt) (*sql.Stmt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first, ok := r.prepared[text]; ok {
		return first, fresh.Close()
	}
	r.prepared[text] = fresh
	return fresh, nil
}

// Each passes rows to take until it returns false, and waits while the file is busy. Every attempt
// begins with fresh, so that no row counts twice.
func (r *Reader) Each(ctx context.Context, fresh func(), take func(*sql.Rows) (more bool, err error), text string, args ...any) error {
	err := waiting(ctx, r.wait, func() error {
		fresh()
		rows, err := r.ask(ctx, text, args)
		return each(rows, err, take)
	})
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // a cancelled context is not a fault of the file
	}
	return err
}

func each(rows *sql.Rows, err error, take func(*sql.Rows) (more bool, err error)) error {
	if err != nil {
		return err
	}
	for more := true; more && err == nil && rows.Next(); {
		more, err = take(rows)
	}
	return errors.Join(err, rows.Err(), rows.Close())
}

type source interface {
	Each(ctx context.Context, fresh func(), take func(*sql.Rows) (more bool, err error), text string, args ...any) error
}

// single is a connection as a source.
type single struct{ *sql.Conn }

// Each passes rows to take until it returns false.
func (c single) Each(ctx context.Context, _ func(), take func(*sql.Rows) (more bool, err error), text string, args ...any) error {
	rows, err := c.QueryContext(ctx, text, args...)
	return each(rows, err, take)
}

// List returns all rows of a query.
func List[T any](ctx context.Context, from source, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	var all []T
	err := from.Each(ctx, func() { all = nil }, func(rows *sql.Rows) (bool, error) {
		one, err := scan(rows)
		all = append(all, one)
		return true, err
	}, text, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// One scans a row of a single column.
func One[T any](rows *sql.Rows) (one T, err error) {
	err = rows.Scan(&one)
	return one, err
}

// Writer is the only write connection of a process. Statements are prepared at first use. Only the
// caller whose turn it is may use it.
type Writer struct {
	db       *sql.DB
	conn     *sql.Conn
	file     *File
	opened   map[string]os.FileInfo // the files by suffix, to notice that one was moved, deleted or replaced
	size     int64                  // of the file when last checked
	lost     error                  // set once it was
	prepared map[string]*sql.Stmt
}

// OpenWriter opens the connection and creates or upgrades the schema, with upgrade if not nil.
func OpenWriter(ctx context.Context, f *File, upgrade func(context.Context, *sql.Conn) error) (*Writer, error) {
	if upgrade == nil {
		upgrade = f.upgrade
	}
	db, err := pool(f.Path, modeWrite, 1)
	if err != nil {
		return nil, err
	}
	w := &Writer{db: db, file: f, prepared: make(map[string]*sql.Stmt)}
	err = waiting(ctx, f.Wait, func() (err error) {
		if w.conn == nil {
			if w.conn, err = db.Conn(ctx); err != nil {
				return err
			}
		}
		i, err := f.prepare(ctx, w.conn)
		if err != nil || i.version == len(f.Steps) {
			return err
		}
		return upgrade(ctx, w.conn)
	})
	if err == nil {
		err = w.remember()
	}
	if err != nil {
		_ = w.Close() // the first error is the one that matters
		return nil, err
	}
	return w, nil
}

// Close closes the connection.
func (w *Writer) Close() error {
	err := closeAll(w.prepared)
	if w.conn != nil {
		err = errors.Join(err, w.conn.Close())
	}
	return errors.Join(err, w.db.Close())
}

// Transaction runs do in a transaction; see transaction. It fails with Lost if the file no longer
// has its name afterwards: SQLite would write to a file that ends with the process.
func (w *Writer) Transaction(ctx context.Context, do func(ctx context.Context) error) error {
	if err := w.checkPresent(ctx); err != nil {
		return err
	}
	if err := transaction(ctx, w.conn, w.file.Wait, do); err != nil {
		return err
	}
	return w.checkPresent(ctx)
}

func (w *Writer) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	if s, ok := w.prepared[text]; ok {
		return s, nil
	}
	s, err := w.conn.PrepareContext(ctx, text)
	if err == nil {
		w.prepared[text] = s
	}
	return s, err
}

// Exec runs a statement.
func (w *Writer) Exec(ctx context.Context, text string, args ...any) error {
	_, err := w.run(ctx, text, args)
	return err
}

func (w *Writer) run(ctx context.Context, text string, args []any) (sql.Result, error) {
	s, err := w.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// Insert runs a statement and returns the id of the new row.
func (w *Writer) Insert(ctx context.Context, text string, args ...any) (int64, error) {
	result, err := w.run(ctx, text, args)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// change runs a statement and returns the number of rows changed.
func (w *Writer) change(ctx context.Context, text string, args ...any) (int, error) {
	result, err := w.run(ctx, text, args)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// Row scans the first row of a query and reports whether there is one.
func (w *Writer) Row(ctx context.Context, into []any, text string, args ...any) (bool, error) {
	s, err := w.statement(ctx, text)
	if err != nil {
		return false, err
	}
	err = s.QueryRowContext(ctx, args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// Each passes rows to take until it returns false.
func (w *Writer) Each(ctx context.Context, _ func(), take func(*sql.Rows) (more bool, err error), text string, args ...any) error {
	s, err := w.statement(ctx, text)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(ctx, args...)
	return each(rows, err, take)
}

// transaction waits for the file's write lock and runs do completely or not at all. The context ends the
// waiting; a transaction that has begun runs to its end, and is rolled back if the context has
// ended. So a cancelled write has certainly not happened.
func transaction(ctx context.Context, conn *sql.Conn, wait time.Duration, do func(ctx context.Context) error) error {
	uncancelled := context.WithoutCancel(ctx)
	run := func(statement string) error {
		_, err := conn.ExecContext(uncancelled, statement)
		return err
	}
	if err := waiting(ctx, wait, func() error { return run("BEGIN IMMEDIATE") }); err != nil {
		return err
	}
	err := do(uncancelled)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = run("COMMIT")
	}
	if err != nil {
		_ = run("ROLLBACK") // fails only if SQLite has already rolled back
	}
	return err
}
