package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"github.com/go-json-experiment/json"

	"brenner/store"
	"brenner/store/record"
)

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
