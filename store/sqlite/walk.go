package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"strings"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
)

// page is the number of entries read in one query. Between pages the WAL can be checkpointed,
// however long the stream is.
const page = 10_000

// Walk implements store.Walker.
func (s *Store) Walk(ctx context.Context, stream string, after int, visit func(*journal.Line) error) error {
	op := "read the stream " + fault.Shown(stream)
	leave, err := s.file.Enter(ctx, op)
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
			return s.file.Fault(op, err)
		case read < page:
			return nil
		}
	}
}

// visitError is an error of the visit function, not of the store.
type visitError struct{ err error }

func (v *visitError) Error() string { return v.err.Error() }

// walkPage reads the next entries. It advances after, so that a retry visits no entry twice.
func (s *Store) walkPage(ctx context.Context, stream string, after *int, visit func(*journal.Line) error) (read int, err error) {
	// One column scans much faster than five.
	const query = `SELECT e.seq, e.hash || char(10) || e.prev || char(10) || e.at || char(10) || e.kind || char(10) || e.body
		FROM streams AS s JOIN entries AS e ON e.stream = s.id WHERE s.name = ? AND e.seq > ? ORDER BY e.seq LIMIT ?`
	var l journal.Line
	err = waiting(ctx, s.reader.wait, func() (err error) {
		rows, err := s.reader.DB.QueryContext(ctx, query, stream, *after, page-read)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var row sql.RawBytes
			if err := rows.Scan(&l.Seq, &row); err != nil {
				return err
			}
			split(row, &l)
			read, *after = read+1, l.Seq
			if err := visit(&l); err != nil {
				return &visitError{err}
			}
		}
		return rows.Err()
	})
	return read, err
}

// split takes a row apart. A kind may contain any character, and a body has no newline. A newline
// in a hash or time means damage, and the parts then fail their checks.
func split(row []byte, l *journal.Line) {
	l.Hash, row, _ = bytes.Cut(row, []byte{'\n'})
	l.Prev, row, _ = bytes.Cut(row, []byte{'\n'})
	l.At, row, _ = bytes.Cut(row, []byte{'\n'})
	end := bytes.LastIndexByte(row, '\n')
	l.Kind, l.Body = row[:max(0, end)], row[end+1:]
}

const blobsPerQuery = 500

// Blobs implements store.Walker.
func (s *Store) Blobs(ctx context.Context, hashes []string, visit func(n int, data []byte) error) error {
	const op = "read blobs"
	leave, err := s.file.Enter(ctx, op)
	if err != nil {
		return err
	}
	defer leave()
	for first := 0; first < len(hashes); first += blobsPerQuery {
		part := hashes[first:min(first+blobsPerQuery, len(hashes))]
		found, err := s.blobs(ctx, part)
		if err != nil {
			return s.file.Fault(op, err)
		}
		for n, hash := range part {
			row, ok := found[string(blobKey(hash))]
			if !ok {
				return store.Missing(hash)
			}
			data, err := s.read(hash, &row)
			if err == nil {
				err = visit(first+n, data)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) blobs(ctx context.Context, hashes []string) (map[string]codedBlob, error) {
	var list []string // one statement serves any number of them
	for _, h := range hashes {
		if blobKey(h) != nil {
			list = append(list, h)
		}
	}
	found := make(map[string]codedBlob, len(hashes)) // by key
	err := s.reader.Each(ctx, func() { clear(found) }, func(rows *sql.Rows) (bool, error) {
		row, err := scanBlob(rows)
		found[string(row.key)] = row
		return true, err
	}, "SELECT "+blobColumns+" FROM blobs WHERE hash IN (SELECT unhex(value) FROM json_each(?))", `["`+strings.Join(list, `","`)+`"]`)
	return found, err
}
