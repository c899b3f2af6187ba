package box

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"brenner/mail"
)

// pool is some connections that read, with their statements.
type pool struct {
	db    *sql.DB
	texts sync.Map // prepared statements, by their text
}

func (p *pool) close() error {
	var err error
	p.texts.Range(func(_, statement any) bool {
		err = errors.Join(err, statement.(*sql.Stmt).Close())
		return true
	})
	if p.db != nil {
		err = errors.Join(err, p.db.Close())
	}
	return err
}

// statement gives a query prepared: reading a page takes less time than parsing
// what asks for it.
func (p *pool) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	if s, ok := p.texts.Load(text); ok {
		return s.(*sql.Stmt), nil
	}
	s, err := p.db.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	if earlier, ok := p.texts.LoadOrStore(text, s); ok {
		return earlier.(*sql.Stmt), s.Close()
	}
	return s, nil
}

// each gives the rows of an answer to a function, until it has enough.
func (p *pool) each(ctx context.Context, text string, args []any, row func(*sql.Rows) (more bool, err error)) error {
	statement, err := p.statement(ctx, text)
	if err != nil {
		return err
	}
	rows, err := statement.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // Err says what went wrong
	for rows.Next() {
		if more, err := row(rows); err != nil || !more {
			return err
		}
	}
	return rows.Err()
}

// list reads a whole answer, row by row, and waits where the file is busy.
func list[T any](ctx context.Context, b *Box, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	return listFrom(ctx, b, &b.read, scan, text, args...)
}

func listFrom[T any](ctx context.Context, b *Box, p *pool, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	var all []T
	err := b.waiting(ctx, func() error {
		all = nil
		return p.each(ctx, text, args, func(rows *sql.Rows) (bool, error) {
			one, err := scan(rows)
			all = append(all, one)
			return true, err
		})
	})
	if err != nil {
		return nil, ended(ctx, err)
	}
	return all, nil
}

// fitting reads messages as long as they fit into one answer; cut says that there
// are more.
func fitting(ctx context.Context, b *Box, reader, text string, args ...any) (all []mail.Message, cut bool, err error) {
	scan := scanMessage(reader)
	err = b.waiting(ctx, func() error {
		var r room
		all, cut = nil, false
		return b.read.each(ctx, text, args, func(rows *sql.Rows) (bool, error) {
			m, err := scan(rows)
			if cut = err == nil && !r.fits(&m); cut || err != nil {
				return false, err
			}
			all = append(all, m)
			return true, nil
		})
	})
	if err != nil {
		return nil, false, ended(ctx, err)
	}
	return all, cut, nil
}

// room is what an answer still has room for. What does not fit is not read from the
// file: a page of a thousand letters may have gigabytes.
type room struct{ taken int }

// fits takes a message in; the first one always has room.
func (r *room) fits(m *mail.Message) bool {
	first := r.taken == 0
	r.taken += len(m.Body) + messageBytes
	return first || r.taken <= mail.MaxAnswer
}

// ended gives the context's error where it was what stopped SQLite: an interrupt is
// no fault of the file.
func ended(ctx context.Context, err error) error {
	if stopped := ctx.Err(); stopped != nil {
		return stopped
	}
	return err
}
