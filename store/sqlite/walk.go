package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"brenner/fault"
	"brenner/journal"
	"brenner/store"
)

// page is how many entries are read under one lock of the readers: between two pages
// the WAL can be moved into the file, however long the stream is.
const page = 10_000

// Walk gives a stream's entries behind number after, one by one.
func (s *Store) Walk(ctx context.Context, stream string, after int, visit func(*journal.Line) error) error {
	op := "read the stream " + fault.Shown(stream)
	leave, err := s.enter(ctx, op)
	if err != nil {
		return err
	}
	defer leave()
	for {
		read, err := s.walkPage(ctx, stream, &after, visit)
		var stopped *visitError
		switch {
		case errors.As(err, &stopped):
			return stopped.err
		case err != nil:
			return s.fault(op, err)
		case read < page:
			return nil
		}
	}
}

// visitError is an error of whoever looks at the rows, not of the store.
type visitError struct{ err error }

func (v *visitError) Error() string { return v.err.Error() }

// walkPage reads the next entries. One that was visited is not visited again when the
// store was busy in between: after has moved on.
func (s *Store) walkPage(ctx context.Context, stream string, after *int, visit func(*journal.Line) error) (read int, err error) {
	const query = `SELECT e.seq, e.at, e.kind, e.body, e.prev, e.hash FROM streams AS s JOIN entries AS e ON e.stream = s.id
		WHERE s.name = ? AND e.seq > ? ORDER BY e.seq LIMIT ?`
	var l journal.Line
	err = waiting(ctx, s.reader.wait, func() (err error) {
		rows, err := s.reader.db.QueryContext(ctx, query, stream, *after, page-read)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var at, kind, body, prev, hash sql.RawBytes
			if err := rows.Scan(&l.Seq, &at, &kind, &body, &prev, &hash); err != nil {
				return err
			}
			l.At, l.Kind, l.Body, l.Prev, l.Hash = at, kind, body, prev, hash
			read, *after = read+1, l.Seq
			if err := visit(&l); err != nil {
				return &visitError{err}
			}
		}
		return rows.Err()
	})
	return read, err
}

// some is how many blobs are asked for at once.
const some = 500

// Blobs gives the bytes with each hash, in their order.
func (s *Store) Blobs(ctx context.Context, hashes []string, visit func(n int, data []byte) error) error {
	const op = "read blobs"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return err
	}
	defer leave()
	for first := 0; first < len(hashes); first += some {
		part := hashes[first:min(first+some, len(hashes))]
		found, err := s.blobs(ctx, part)
		if err != nil {
			return s.fault(op, err)
		}
		for n, hash := range part {
			data, ok := found[hash]
			switch {
			case !ok:
				return store.Missing(hash)
			case store.Hash(data) != hash:
				return s.changed("read the blob "+fault.Shown(hash), "its bytes do not give its hash")
			}
			if err := visit(first+n, data); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) blobs(ctx context.Context, hashes []string) (map[string][]byte, error) {
	args := make([]any, len(hashes))
	for i, h := range hashes {
		args[i] = h
	}
	found := make(map[string][]byte, len(hashes))
	err := s.reader.query(ctx, func() { clear(found) }, func(rows *sql.Rows) error {
		var hash string
		var data []byte
		err := rows.Scan(&hash, &data)
		found[hash] = data
		return err
	}, "SELECT hash, data FROM blobs WHERE hash IN (?"+strings.Repeat(", ?", len(hashes)-1)+")", args...)
	return found, err
}
