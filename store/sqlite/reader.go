package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"time"
)

// reader is the connections that read. Each sees the last commit that was done
// when its query began, and holds up nobody.
type reader struct {
	wait time.Duration
	db   *sql.DB

	mu       sync.Mutex
	prepared map[string]*sql.Stmt // by their text: the questions are few, and preparing one takes longer than most answers
}

// mostPrepared is how many questions are kept ready.
const mostPrepared = 100

func openReader(file string, wait time.Duration) (*reader, error) {
	db, err := Pool(file, "ro", readers)
	if err != nil {
		return nil, err
	}
	return &reader{wait: wait, db: db, prepared: make(map[string]*sql.Stmt)}, nil
}

// close ends the statements before the connections, as the writer does.
func (r *reader) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, statement := range r.prepared {
		errs = append(errs, statement.Close())
	}
	return errors.Join(append(errs, r.db.Close())...)
}

// ask puts a question, with a statement that is kept ready where there is room.
func (r *reader) ask(ctx context.Context, text string, args []any) (*sql.Rows, error) {
	r.mu.Lock()
	statement, ok := r.prepared[text]
	room := len(r.prepared) < mostPrepared
	r.mu.Unlock()
	if !ok {
		if !room || strings.HasPrefix(text, "PRAGMA") {
			return r.db.QueryContext(ctx, text, args...)
		}
		fresh, err := r.db.PrepareContext(ctx, text)
		if err != nil {
			return nil, err
		}
		if statement, err = r.keep(text, fresh); err != nil {
			return nil, err
		}
	}
	return statement.QueryContext(ctx, args...)
}

// keep keeps a statement, unless somebody else was faster.
func (r *reader) keep(text string, fresh *sql.Stmt) (*sql.Stmt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first, ok := r.prepared[text]; ok {
		return first, fresh.Close()
	}
	r.prepared[text] = fresh
	return fresh, nil
}

// query gives each row of an answer to take, and waits where the store is busy.
// A repeated attempt begins with fresh, so that no row is taken twice.
func (r *reader) query(ctx context.Context, fresh func(), take func(*sql.Rows) error, text string, args ...any) error {
	return Waiting(ctx, r.wait, func() (err error) {
		fresh()
		rows, err := r.ask(ctx, text, args)
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
