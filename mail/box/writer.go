package box

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"brenner/internal/fault"
	"brenner/store/sqlite"
)

// most is how many changes are committed together.
const most = 256

// writer is the one connection that writes. Changes that wait at one time go into
// one transaction, each behind a savepoint of its own: one that is refused leaves
// no trace, and the others stand.
type writer struct {
	box  *Box
	db   *sql.DB
	conn *sql.Conn

	group *sqlite.Group[*change]

	// Only the caller whose turn it is uses these.
	prepared map[string]*sql.Stmt
	memory   memory
	last     time.Time // the newest instant that was given out
}

// change is something that one caller wants written.
type change struct {
	do    func(ctx context.Context, w *writer) error
	after func() // when it is committed
	// judged says that it is refused before it writes anything, if at all: there is
	// nothing to take back then.
	judged bool
	err    error
}

func openWriter(ctx context.Context, b *Box) (*writer, error) {
	db, err := sqlite.Pool(b.file, "rwc", 1)
	if err != nil {
		return nil, err
	}
	w := &writer{box: b, db: db, prepared: make(map[string]*sql.Stmt)}
	w.group = sqlite.NewGroup(most, 0, w.commit)
	err = sqlite.Waiting(ctx, b.wait, func() error {
		if w.conn == nil {
			conn, err := db.Conn(ctx)
			if err != nil {
				return err
			}
			w.conn = conn
		}
		return b.ready(ctx, w.conn)
	})
	if err != nil {
		if w.conn != nil {
			err = errors.Join(err, w.conn.Close())
		}
		return nil, errors.Join(err, db.Close())
	}
	return w, nil
}

// close ends the writer, after the last change.
func (w *writer) close() error {
	var errs []error
	for _, statement := range w.prepared {
		errs = append(errs, statement.Close())
	}
	return errors.Join(append(errs, w.conn.Close(), w.db.Close())...)
}

// write has a change committed. If the context ends before the change's turn, it
// is not made; after that its end is waited for.
func (w *writer) write(ctx context.Context, do func(ctx context.Context, w *writer) error, after func()) error {
	return w.submit(ctx, &change{do: do, after: after})
}

func (w *writer) submit(ctx context.Context, c *change) error { return w.group.Submit(ctx, c, 0) }

// commit makes all changes of a batch in one transaction, and answers each.
func (w *writer) commit(jobs []*sqlite.Job[*change]) (left []*sqlite.Job[*change]) {
	err := sqlite.Transaction(context.Background(), w.conn, w.box.wait, func(ctx context.Context) error {
		if err := w.recall(ctx); err != nil {
			return err
		}
		for _, j := range jobs {
			c := j.Change
			if c.err = w.attempt(ctx, c); c.err != nil && !ours(c.err) {
				return c.err
			}
		}
		return w.count(ctx)
	})
	if err != nil {
		w.forget() // what it has learned may not be so
	}
	for _, j := range jobs {
		c := j.Change
		if c.err == nil {
			c.err = err
		}
		if c.err == nil && c.after != nil {
			c.after()
		}
		j.Answer(c.err)
	}
	return nil
}

// attempt makes one change, or takes it back.
func (w *writer) attempt(ctx context.Context, c *change) error {
	if c.judged {
		return c.do(ctx, w)
	}
	if err := w.exec(ctx, "SAVEPOINT one"); err != nil {
		return err
	}
	err := c.do(ctx, w)
	if err == nil {
		return w.exec(ctx, "RELEASE one")
	}
	w.forget()
	_ = w.exec(ctx, "ROLLBACK TO one") // where this fails, the transaction is gone already
	_ = w.exec(ctx, "RELEASE one")
	return err
}

// ours tells a refusal of ours from an error of SQLite's, which may have given up
// the whole transaction, as it does when the disk is full.
func ours(err error) bool {
	var f *fault.Error
	return errors.As(err, &f)
}

// exec runs a statement, which is prepared at its first use.
func (w *writer) exec(ctx context.Context, text string, args ...any) error {
	s, err := w.statement(ctx, text)
	if err == nil {
		_, err = s.ExecContext(ctx, args...)
	}
	return err
}

// insert runs a statement and gives the id of the row that it made.
func (w *writer) insert(ctx context.Context, text string, args ...any) (int64, error) {
	s, err := w.statement(ctx, text)
	if err != nil {
		return 0, err
	}
	result, err := s.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// row runs a query for one row; false is none.
func (w *writer) row(ctx context.Context, into []any, text string, args ...any) (bool, error) {
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

func (w *writer) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	if s, ok := w.prepared[text]; ok {
		return s, nil
	}
	s, err := w.conn.PrepareContext(ctx, text)
	if err == nil {
		w.prepared[text] = s
	}
	return s, err
}
