package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// ask returns the rows of a query, as one use of the store.
func ask[T any](ctx context.Context, s *Store, op string, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	return Use(ctx, &s.file, op, func() ([]T, error) { return List(ctx, s.reader, scan, text, args...) })
}

// Blob implements store.Store.
func (s *Store) Blob(ctx context.Context, hash string) ([]byte, error) {
	op := "read the blob " + fault.Shown(hash)
	found, err := ask(ctx, s, op, scanBlob, "SELECT "+blobColumns+" FROM blobs WHERE hash = ?", blobKey(hash))
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, store.Missing(hash)
	}
	return s.read(hash, &found[0])
}

// changed returns the fault for content that is not what was written.
func (s *Store) changed(op, detail string) *fault.Error {
	return &fault.Error{Code: store.Damaged, Op: op, Place: s.file.Path, Detail: detail, Hint: damaged().hint}
}

// Entries implements store.Store.
func (s *Store) Entries(ctx context.Context, stream string, after int) ([]journal.Entry, error) {
	return Use(ctx, &s.file, "read the stream "+fault.Shown(stream), func() ([]journal.Entry, error) {
		entries, err := entries(ctx, s.reader, stream, after)
		if err == nil {
			err = s.checkNamed()
		}
		return entries, err
	})
}

func entries(ctx context.Context, from source, stream string, after int) ([]journal.Entry, error) {
	return List(ctx, from, func(rows *sql.Rows) (journal.Entry, error) {
		e := journal.Entry{Stream: stream}
		err := rows.Scan(&e.Seq, instant{&e.At}, &e.Kind, &e.Body, &e.Prev, &e.Hash)
		return e, err
	}, `SELECT e.seq, e.at, e.kind, e.body, e.prev, e.hash FROM streams AS s JOIN entries AS e ON e.stream = s.id
		WHERE s.name = ? AND e.seq > ? ORDER BY e.seq`, stream, after)
}

// Streams implements store.Store.
func (s *Store) Streams(ctx context.Context, prefix string) ([]store.Stream, error) {
	return Use(ctx, &s.file, "list the streams", func() ([]store.Stream, error) { return s.streams(ctx, prefix) })
}

func (s *Store) streams(ctx context.Context, prefix string) ([]store.Stream, error) {
	var where conditions
	where.prefix("name", prefix)
	return List(ctx, s.reader, func(rows *sql.Rows) (one store.Stream, err error) {
		err = rows.Scan(&one.Name, &one.Head.Seq, &one.Head.Hash, instant{&one.Began}, instant{&one.Last}, &one.Summary)
		return one, err
	}, "SELECT name, seq, hash, began, last, "+s.summary()+" FROM streams WHERE true"+where.text()+" ORDER BY name", where.args...)
}

// summary returns the column of summaries, which a copy of an older store does not have.
func (s *Store) summary() string {
	if len(s.file.Steps) < 4 {
		return "''"
	}
	return "summary"
}

// instant scans a time from its text: SQLite has no type for it.
type instant struct{ to *time.Time }

// Scan implements sql.Scanner.
func (i instant) Scan(value any) (err error) {
	text, ok := value.(string)
	if !ok {
		return errors.New("the time is not text")
	}
	*i.to, err = artifact.ParseInstant(text)
	return err
}

// conditions is the WHERE clause of a query, with its arguments.
type conditions struct {
	sql  strings.Builder
	args []any
}

func (q *conditions) text() string { return q.sql.String() }

func (q *conditions) and(condition string, args ...any) {
	q.sql.WriteString(" AND " + condition)
	q.args = append(q.args, args...)
}

// oneOf requires a column to have one of some values; none means any.
func (q *conditions) oneOf(column string, values []string) {
	if len(values) == 0 {
		return
	}
	if len(values) == 1 {
		q.and(column+" = ?", values[0]) // a sorting index helps with one value only
		return
	}
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	q.and(column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")", args...)
}

// prefix compares bytes: LIKE would treat % and _ as wildcards. The upper bound is the prefix with
// its last byte incremented, which cannot overflow: no UTF-8 byte is 0xFF.
func (q *conditions) prefix(column, text string) {
	if text == "" {
		return
	}
	behind := []byte(text)
	behind[len(behind)-1]++
	q.and(column+" >= ? AND "+column+" < ?", text, string(behind))
}

const recordColumns = `SELECT r.id, r.version, r.parent, r.type, coalesce(s.status, r.status), r.module, r.summary, r.summary_of, r.summary_by,
	r.content, r.change, r.creator, r.at, r.tags, r.links`

// Records implements store.Store.
func (s *Store) Records(ctx context.Context, q store.Query) ([]record.Record, error) {
	var where conditions
	from := " FROM records AS r"
	if q.Status != "" { // find the few matching versions first
		from = " FROM (SELECT id, version FROM statuses WHERE status = ? UNION ALL " +
			"SELECT b.id, b.version FROM records AS b WHERE b.status = ?" + rare(q.Status) +
			" AND NOT EXISTS (SELECT 1 FROM statuses AS o WHERE o.id = b.id AND o.version = b.version)) AS k" +
			" CROSS JOIN records AS r ON r.id = k.id AND r.version = k.version"
		where.args = append(where.args, q.Status, q.Status)
	}
	from += " LEFT JOIN statuses AS s ON s.id = r.id AND s.version = r.version WHERE true"
	if q.ID != "" {
		where.and("r.id = ?", q.ID)
	}
	if q.Version != 0 {
		where.and("r.version = ?", q.Version)
	}
	if q.Type != "" {
		where.and("r.type = ?", q.Type)
	}
	if q.Latest {
		where.and("r.version = (SELECT max(version) FROM records WHERE id = r.id)")
	}
	if q.Stale {
		where.and("r.summary_of <> r.content")
	}
	columns := recordColumns
	if q.Initial {
		columns = strings.Replace(columns, "coalesce(s.status, r.status)", "r.status", 1)
	}
	return ask(ctx, s, "read records", scanRecord, columns+from+where.text()+" ORDER BY r.id, r.version", where.args...)
}

// rare returns the condition that lets SQLite use the partial index of statuses other than draft.
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

// dependent lists the relations of record.Depends; a test compares them.
const dependent = " AND l.relation IN ('cites', 'derives_from', 'summarises', 'refutes')"

// Heads implements store.Catalogue.
func (s *Store) Heads(ctx context.Context, q store.HeadQuery) ([]record.Head, error) {
	var where conditions
	if q.ID != "" {
		where.and("h.id = ?", q.ID)
	}
	where.prefix("h.id", q.Prefix)
	if q.Newest && len(q.Modules) == 1 && len(q.Types) > 1 {
		where.oneOf("+h.type", q.Types) // the + keeps SQLite on the module's index, which is in order
	} else {
		where.oneOf("h.type", q.Types)
	}
	where.oneOf("h.module", q.Modules)
	for _, c := range []struct {
		when bool
		text string
		args []any
	}{
		{q.Tag != "", "h.id IN (SELECT id FROM tags WHERE tag = ?)", []any{q.Tag}},
		{q.Status != "", "h.status = ?", []any{q.Status}},
		{q.Live, "h.status <> 'deprecated'", nil},
		{q.Canonical, "h.canonical > 0", nil},
		{q.Forked, "h.tips > 1", nil},
		{!q.After.IsZero(), "h.at > ?", []any{sortable(q.After)}},
		{!q.Before.IsZero(), "h.at < ?", []any{sortable(q.Before)}},
		{q.Unreferenced, `NOT EXISTS (SELECT 1 FROM links AS l JOIN heads AS f ON f.id = l.id
			WHERE l.to_id = h.id AND l.id <> h.id AND f.status <> 'deprecated' AND f.type NOT IN ('roster', 'kickoff', 'reply', 'review') AND l.version = ` + standingOf("f") + ")", nil},
	} {
		if c.when {
			where.and(c.text, c.args...)
		}
	}
	for _, ref := range q.Besides {
		where.and("NOT EXISTS (SELECT 1 FROM links AS l WHERE l.id = ? AND l.version = ? AND l.to_id = h.id AND l.to_version = "+standingOf("h")+dependent+")", ref.ID, ref.Version)
	}
	text := "SELECT h.id, h.latest, h.canonical, h.type, h.module, h.status, h.summary, h.tips, (SELECT max(t.version) FROM tips AS t WHERE t.id = h.id), h.at FROM heads AS h WHERE true" + where.text()
	if q.Newest {
		text += " ORDER BY h.at DESC, h.id"
	} else {
		text += " ORDER BY h.id"
	}
	if q.Limit > 0 {
		text += " LIMIT " + strconv.Itoa(q.Limit) // with a bare ? SQLite would plan the query again each time
	}
	return ask(ctx, s, "list records", func(rows *sql.Rows) (h record.Head, err error) {
		err = rows.Scan(&h.ID, &h.Latest, &h.Canonical, &h.Type, &h.Module, &h.Status, &h.Summary, &h.Tips, &h.Tip, instant{&h.At})
		return h, err
	}, text, where.args...)
}

// standingOf returns the SQL for the standing version of a head.
func standingOf(head string) string {
	return "iif(" + head + ".canonical > 0, " + head + ".canonical, (SELECT max(t.version) FROM tips AS t WHERE t.id = " + head + ".id))"
}

// Census implements store.Catalogue.
func (s *Store) Census(ctx context.Context) ([]record.Count, error) {
	return ask(ctx, s, "count records", func(rows *sql.Rows) (c record.Count, err error) {
		err = rows.Scan(&c.Type, &c.Module, &c.Status, &c.Records)
		return c, err
	}, "SELECT type, module, status, count(*) FROM heads GROUP BY type, module, status ORDER BY type, module, status")
}

const maxRefs = 200

// Edges implements store.Catalogue.
func (s *Store) Edges(ctx context.Context, q store.EdgeQuery) ([]record.Edge, error) {
	return Use(ctx, &s.file, "read links", func() (all []record.Edge, err error) {
		for _, side := range []struct {
			refs        []record.Ref
			id, version string
		}{{q.From, "l.id", "l.version"}, {q.To, "l.to_id", "l.to_version"}} {
			for refs := range slices.Chunk(side.refs, maxRefs) {
				found, err := s.edges(ctx, refs, side.id, side.version)
				if err != nil {
					return nil, err
				}
				all = append(all, found...)
			}
		}
		slices.SortFunc(all, record.CompareEdges)
		return slices.Compact(all), nil
	})
}

func (s *Store) edges(ctx context.Context, refs []record.Ref, id, version string) ([]record.Edge, error) {
	args := make([]any, 0, 2*len(refs))
	for _, r := range refs {
		args = append(args, r.ID, r.Version)
	}
	return List(ctx, s.reader, func(rows *sql.Rows) (e record.Edge, err error) {
		err = rows.Scan(&e.From.ID, &e.From.Version, &e.To.ID, &e.To.Version, &e.Relation)
		return e, err
	}, "WITH wanted (id, version) AS (VALUES (?, ?)"+strings.Repeat(", (?, ?)", len(refs)-1)+
		") SELECT l.id, l.version, l.to_id, l.to_version, l.relation FROM wanted AS w CROSS JOIN links AS l WHERE "+
		id+" = w.id AND (w.version = 0 OR "+version+" = w.version)", args...)
}

// Marks implements store.Catalogue.
func (s *Store) Marks(ctx context.Context, id string) ([]record.Mark, error) {
	var where conditions
	if id != "" {
		where.and("id = ?", id)
	}
	return ask(ctx, s, "read marks", func(rows *sql.Rows) (m record.Mark, err error) {
		err = rows.Scan(&m.ID, &m.Version, &m.Status, &m.Was, &m.By, &m.Reason, instant{&m.At})
		return m, err
	}, "SELECT id, version, status, was, author, reason, at FROM marks WHERE true"+where.text()+" ORDER BY seq", where.args...)
}

// Tips implements store.Catalogue.
func (s *Store) Tips(ctx context.Context, id string) ([]int, error) {
	return ask(ctx, s, "read versions", One[int], "SELECT version FROM tips WHERE id = ? ORDER BY version", id)
}
