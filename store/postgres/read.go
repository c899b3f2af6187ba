package postgres

import (
	"bytes"
	"context"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// ask returns the rows of a query, as one use of the store.
func ask[T any](ctx context.Context, s *Store, op string, scan func(pgx.CollectableRow) (T, error), text string, args ...any) ([]T, error) {
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	return list(ctx, s, op, scan, text, args...)
}

// list is ask within a use. It returns nothing if an argument is a text that no database could store.
func list[T any](ctx context.Context, s *Store, op string, scan func(pgx.CollectableRow) (T, error), text string, args ...any) (all []T, err error) {
	for _, arg := range args {
		if name, ok := arg.(string); ok && !storable(name) {
			return nil, nil
		}
	}
	err = s.patiently(ctx, op, s.wait, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, s.sql(text), args...)
		if err == nil {
			all, err = pgx.CollectRows(rows, scan)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// storable reports whether a database can store a text.
func storable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// keepStorable returns the texts that may be stored.
func keepStorable(texts []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !storable(text) })
}

// blobKey returns the key of a hash, or nil if the text is no hash.
func blobKey(hash string) []byte {
	key, err := hex.DecodeString(hash)
	if err != nil || len(key) != 32 || hex.EncodeToString(key) != hash {
		return nil
	}
	return key
}

// Blob implements store.Store.
func (s *Store) Blob(ctx context.Context, hash string) ([]byte, error) {
	op := "read the blob " + fault.Shown(hash)
	found, err := ask(ctx, s, op, pgx.RowTo[[]byte], "SELECT data FROM ~.blobs WHERE hash = $1::bytea", blobKey(hash))
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, store.Missing(hash)
	}
	return found[0], s.checkBlob(hash, found[0])
}

func (s *Store) checkBlob(hash string, data []byte) error {
	if store.Hash(data) == hash {
		return nil
	}
	return s.changed("read the blob "+fault.Shown(hash), "its bytes do not match its hash")
}

const entryColumns = "SELECT e.seq, e.at, e.kind, e.body, e.prev, e.hash FROM ~.streams AS s JOIN ~.entries AS e ON e.stream = s.id WHERE s.name = $1 AND e.seq > $2 ORDER BY e.seq"

// Entries implements store.Store.
func (s *Store) Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error) {
	op := "read the stream " + fault.Shown(stream)
	return ask(ctx, s, op, func(row pgx.CollectableRow) (journal.Entry, error) {
		e := journal.Entry{Stream: stream}
		var at, body string
		err := row.Scan(&e.Seq, &at, &e.Kind, &body, &e.Prev, &e.Hash)
		if err == nil {
			e.At, err = s.instant(op, at)
		}
		e.Body = []byte(body)
		return e, err
	}, entryColumns, stream, after)
}

// instant reads a time from its text.
func (s *Store) instant(op, text string) (time.Time, error) {
	at, err := artifact.ParseInstant(text)
	if err != nil {
		return at, s.changed(op, "the time "+fault.Shown(text)+" is not valid")
	}
	return at, nil
}

// Streams implements store.Store.
func (s *Store) Streams(ctx context.Context, prefix string) ([]store.Stream, error) {
	const op = "list the streams"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.streams(ctx, op, prefix)
}

func (s *Store) streams(ctx context.Context, op, prefix string) ([]store.Stream, error) {
	var where conditions
	whole := validPart(prefix) // the prefix may end inside a character
	where.prefix("name", whole)
	all, err := list(ctx, s, op, func(row pgx.CollectableRow) (one store.Stream, err error) {
		var began, last string
		err = row.Scan(&one.Name, &one.Head.Seq, &one.Head.Hash, &began, &last, &one.Summary)
		if err == nil {
			one.Began, err = s.instant(op, began)
		}
		if err == nil {
			one.Last, err = s.instant(op, last)
		}
		return one, err
	}, "SELECT name, seq, hash, began, last, summary FROM ~.streams WHERE true"+where.text()+" ORDER BY name", where.args...)
	if whole != prefix {
		all = slices.DeleteFunc(all, func(one store.Stream) bool { return !strings.HasPrefix(one.Name, prefix) })
	}
	return all, err
}

// validPart returns the longest beginning of a text that is valid UTF-8.
func validPart(text string) string {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			return text[:i]
		}
		i += size
	}
	return text
}

// conditions is the WHERE clause of a query, with its arguments.
type conditions struct {
	sql  strings.Builder
	args []any
}

func (q *conditions) text() string { return q.sql.String() }

// and adds a condition. Each ? of it becomes the number of an argument.
func (q *conditions) and(condition string, args ...any) {
	q.sql.WriteString(" AND ")
	for _, arg := range args {
		before, after, _ := strings.Cut(condition, "?")
		q.args = append(q.args, arg)
		q.sql.WriteString(before + "$" + strconv.Itoa(len(q.args)))
		condition = after
	}
	q.sql.WriteString(condition)
}

// oneOf requires a column to have one of some values; none means any.
func (q *conditions) oneOf(column string, values []string) {
	switch len(values) {
	case 0:
	case 1:
		q.and(column+" = ?", values[0])
	default:
		q.and(column+" = ANY(?::text[])", keepStorable(values))
	}
}

// prefix compares bytes: LIKE would treat % and _ as wildcards.
func (q *conditions) prefix(column, text string) {
	if text == "" {
		return
	}
	q.and(column+" >= ?", text)
	if behind := behind(text); behind != "" {
		q.and(column+" < ?", behind)
	}
}

// behind returns the first text after all texts with a prefix, or "" if there is none. UTF-8 sorts as its characters do.
func behind(prefix string) string {
	all := []rune(prefix)
	for n := len(all); n > 0; n-- {
		switch r := all[n-1]; r {
		case utf8.MaxRune:
			continue
		case 0xd7ff:
			return string(all[:n-1]) + "\ue000" // between them are no characters
		default:
			return string(all[:n-1]) + string(r+1)
		}
	}
	return ""
}

// page is the number of entries, or of blobs, read in one query.
const (
	page         = 2000
	blobsPerPage = 64
)

// Walk implements store.Walker. It reads page by page, so that visit may use the store.
func (s *Store) Walk(ctx context.Context, stream string, after int, visit func(*journal.Line) error) error {
	op := "read the stream " + fault.Shown(stream)
	leave, err := s.enter(ctx, op)
	if err != nil {
		return err
	}
	defer leave()
	return s.walk(ctx, op, stream, after, visit)
}

func (s *Store) walk(ctx context.Context, op, stream string, after int, visit func(*journal.Line) error) error {
	for {
		lines, err := list(ctx, s, op, func(row pgx.CollectableRow) (journal.Line, error) {
			var l journal.Line
			var body, at, kind, prev, hash string
			err := row.Scan(&l.Seq, &at, &kind, &body, &prev, &hash)
			l.At, l.Kind, l.Body, l.Prev, l.Hash = []byte(at), []byte(kind), []byte(body), []byte(prev), []byte(hash)
			return l, err
		}, entryColumns+" LIMIT "+strconv.Itoa(page), stream, after)
		if err != nil {
			return err
		}
		for i := range lines {
			if err := visit(&lines[i]); err != nil {
				return err
			}
			after = lines[i].Seq
		}
		if len(lines) < page {
			return nil
		}
	}
}

// blobRow is a row of the table blobs.
type blobRow struct{ hash, data []byte }

func scanBlob(row pgx.CollectableRow) (b blobRow, err error) {
	err = row.Scan(&b.hash, &b.data)
	return b, err
}

// Blobs implements store.Walker.
func (s *Store) Blobs(ctx context.Context, hashes []string, visit func(n int, data []byte) error) error {
	const op = "read blobs"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return err
	}
	defer leave()
	done := 0
	for part := range slices.Chunk(hashes, blobsPerPage) {
		var keys [][]byte
		for _, hash := range part {
			if key := blobKey(hash); key != nil {
				keys = append(keys, key)
			}
		}
		rows, err := list(ctx, s, op, scanBlob, "SELECT hash, data FROM ~.blobs WHERE hash = ANY($1::bytea[])", keys)
		if err != nil {
			return err
		}
		found := make(map[string][]byte, len(rows))
		for _, row := range rows {
			found[hex.EncodeToString(row.hash)] = row.data
		}
		for n, hash := range part {
			data, ok := found[hash]
			if !ok {
				return store.Missing(hash)
			}
			err := s.checkBlob(hash, data)
			if err == nil {
				err = visit(done+n, bytes.Clone(data)) // the same hash may be asked for twice
			}
			if err != nil {
				return err
			}
		}
		done += len(part)
	}
	return nil
}

// Tips implements store.Catalogue.
func (s *Store) Tips(ctx context.Context, id string) ([]int, error) {
	return ask(ctx, s, "read versions", pgx.RowTo[int], "SELECT version FROM ~.tips WHERE id = $1 ORDER BY version", id)
}

// Marks implements store.Catalogue.
func (s *Store) Marks(ctx context.Context, id string) ([]record.Mark, error) {
	const op = "read marks"
	var where conditions
	if id != "" {
		where.and("id = ?", id)
	}
	return ask(ctx, s, op, func(row pgx.CollectableRow) (m record.Mark, err error) {
		var at string
		if err = row.Scan(&m.ID, &m.Version, &m.Status, &m.Was, &m.By, &m.Reason, &at); err == nil {
			m.At, err = s.instant(op, at)
		}
		return m, err
	}, "SELECT id, version, status, was, author, reason, at FROM ~.marks WHERE true"+where.text()+" ORDER BY seq", where.args...)
}
