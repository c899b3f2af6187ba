package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// reader is the connections that read. Each sees the last commit that was done
// when its query began, and holds up nobody.
type reader struct {
	wait time.Duration
	db   *sql.DB
}

func openReader(file string, wait time.Duration) (*reader, error) {
	db, err := openPool(file, "ro", readers)
	if err != nil {
		return nil, err
	}
	return &reader{wait: wait, db: db}, nil
}

func (r *reader) close() error { return r.db.Close() }

// query gives each row of an answer to take, and waits where the store is busy.
// A repeated attempt begins with fresh, so that no row is taken twice.
func (r *reader) query(ctx context.Context, fresh func(), take func(*sql.Rows) error, text string, args ...any) error {
	return waiting(ctx, r.wait, func() (err error) {
		fresh()
		rows, err := r.db.QueryContext(ctx, text, args...)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			if err := take(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// list reads a whole answer, row by row.
func list[T any](ctx context.Context, r *reader, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	var all []T
	err := r.query(ctx, func() { all = nil }, func(rows *sql.Rows) error {
		one, err := scan(rows)
		all = append(all, one)
		return err
	}, text, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}
