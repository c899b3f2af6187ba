package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
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

// question is a query that is put together from conditions.
type question struct {
	where strings.Builder
	args  []any
}

func (q *question) and(condition string, args ...any) {
	q.where.WriteString(" AND " + condition)
	q.args = append(q.args, args...)
}

// oneOf wants a column to be one of some values; none means any.
func (q *question) oneOf(column string, values []string) {
	if len(values) == 0 {
		return
	}
	if len(values) == 1 {
		q.and(column+" = ?", values[0]) // an index that sorts helps with one value only
		return
	}
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	q.and(column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")", args...)
}

// prefix compares bytes: LIKE would take % and _ for wildcards. The first text
// behind all that begin so ends the search: no byte of UTF-8 is the last there is.
func (q *question) prefix(column, text string) {
	if text == "" {
		return
	}
	behind := []byte(text)
	behind[len(behind)-1]++
	q.and(column+" >= ? AND "+column+" < ?", text, string(behind))
}

const recordColumns = `SELECT r.id, r.version, r.parent, r.type, coalesce(s.status, r.status), r.module, r.summary, r.summary_of, r.summary_by,
	r.content, r.change, r.creator, r.at, r.tags, r.links`

// Records gives the records that a query asks for, by id and version.
func (s *Store) Records(ctx context.Context, q store.Query) ([]record.Record, error) {
	const op = "read records"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	var ask question
	from := " FROM records AS r"
	if q.Status != "" { // those few first, and then their rows
		from = " FROM (SELECT id, version FROM statuses WHERE status = ? UNION ALL " +
			"SELECT b.id, b.version FROM records AS b WHERE b.status = ?" + rare(q.Status) +
			" AND NOT EXISTS (SELECT 1 FROM statuses AS o WHERE o.id = b.id AND o.version = b.version)) AS k" +
			" CROSS JOIN records AS r ON r.id = k.id AND r.version = k.version"
		ask.args = append(ask.args, q.Status, q.Status)
	}
	from += " LEFT JOIN statuses AS s ON s.id = r.id AND s.version = r.version WHERE true"
	if q.ID != "" {
		ask.and("r.id = ?", q.ID)
	}
	if q.Version != 0 {
		ask.and("r.version = ?", q.Version)
	}
	if q.Type != "" {
		ask.and("r.type = ?", q.Type)
	}
	if q.Latest {
		ask.and("r.version = (SELECT max(version) FROM records WHERE id = r.id)")
	}
	if q.Stale {
		ask.and("r.summary_of <> r.content")
	}
	records, err := list(ctx, s.reader, scanRecord, recordColumns+from+ask.where.String()+" ORDER BY r.id, r.version", ask.args...)
	return records, s.fault(op, err)
}

// rare lets the index of statuses that few versions are put with be used.
func rare(status string) string {
	if status == record.Draft {
		return ""
	}
	return " AND b.status <> 'draft'"
}

func scanRecord(rows *sql.Rows) (r record.Record, err error) {
	var tags, links []byte
	err = rows.Scan(&r.ID, &r.Version, &r.Parent, &r.Type, &r.Status, &r.Module, &r.Summary, &r.SummaryOf, &r.SummaryBy, &r.Content,
		&r.Change, &r.Creator, instant{&r.At}, &tags, &links)
	if err == nil {
		err = json.Unmarshal(tags, &r.Tags)
	}
	if err == nil {
		err = json.Unmarshal(links, &r.Links)
	}
	if len(r.Tags) == 0 {
		r.Tags = nil
	}
	if len(r.Links) == 0 {
		r.Links = nil
	}
	return r, err
}

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
