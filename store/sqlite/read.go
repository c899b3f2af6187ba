package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
)

// Blob gives the bytes with a hash, and has checked that they have it.
func (s *Store) Blob(ctx context.Context, hash string) ([]byte, error) {
	op := "read the blob " + fault.Shown(hash)
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	found, err := list(ctx, s.reader, func(rows *sql.Rows) (data []byte, err error) {
		err = rows.Scan(&data)
		return data, err
	}, "SELECT data FROM blobs WHERE hash = ?", hash)
	switch {
	case err != nil:
		return nil, s.fault(op, err)
	case len(found) == 0:
		return nil, store.Missing(hash)
	case store.Hash(found[0]) != hash:
		return nil, s.changed(op, "its bytes do not give its hash")
	}
	return found[0], nil
}

// changed is the fault for content that is not what was written.
func (s *Store) changed(op, detail string) *fault.Error {
	return &fault.Error{Code: store.Damaged, Op: op, Place: s.file, Detail: detail, Hint: damaged().hint}
}

// Entries gives a stream's entries behind number after, in order.
func (s *Store) Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error) {
	op := "read the stream " + fault.Shown(stream)
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	entries, err := s.entries(ctx, stream, after)
	return entries, s.fault(op, err)
}

func (s *Store) entries(ctx context.Context, stream string, after int) ([]journal.Entry, error) {
	return list(ctx, s.reader, func(rows *sql.Rows) (journal.Entry, error) {
		e := journal.Entry{Stream: stream}
		err := rows.Scan(&e.Seq, instant{&e.At}, &e.Kind, &e.Body, &e.Prev, &e.Hash)
		return e, err
	}, `SELECT e.seq, e.at, e.kind, e.body, e.prev, e.hash FROM streams AS s JOIN entries AS e ON e.stream = s.id
		WHERE s.name = ? AND e.seq > ? ORDER BY e.seq`, stream, after)
}

// Streams lists the streams whose name begins with prefix, by name.
func (s *Store) Streams(ctx context.Context, prefix string) ([]store.Stream, error) {
	const op = "list the streams"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	streams, err := s.streams(ctx, prefix)
	return streams, s.fault(op, err)
}

func (s *Store) streams(ctx context.Context, prefix string) ([]store.Stream, error) {
	var ask question
	ask.prefix("name", prefix)
	return list(ctx, s.reader, func(rows *sql.Rows) (one store.Stream, err error) {
		err = rows.Scan(&one.Name, &one.Head.Seq, &one.Head.Hash, instant{&one.Began}, instant{&one.Last})
		return one, err
	}, "SELECT name, seq, hash, began, last FROM streams WHERE true"+ask.where.String()+" ORDER BY name", ask.args...)
}

// instant scans a time as it was written: SQLite has no type for it.
type instant struct{ to *time.Time }

// Scan implements sql.Scanner.
func (i instant) Scan(value any) (err error) {
	text, ok := value.(string)
	if !ok {
		return errors.New("a time is no text")
	}
	*i.to, err = artifact.ParseInstant(text)
	return err
}
