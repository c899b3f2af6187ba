package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"

	"brenner/store"
	"brenner/store/record"
)

// dependent are the relations of record.Depends; a test of all stores compares them.
const dependent = " AND l.relation IN ('cites', 'derives_from', 'summarises', 'refutes')"

// Heads gives the records that a query asks for, one for all versions.
func (s *Store) Heads(ctx context.Context, q store.HeadQuery) ([]record.Head, error) {
	const op = "list records"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	var ask question
	if q.ID != "" {
		ask.and("h.id = ?", q.ID)
	}
	ask.prefix("h.id", q.Prefix)
	if q.Newest && len(q.Modules) == 1 && len(q.Types) > 1 {
		ask.oneOf("+h.type", q.Types) // the module's index has them in order: no other is to be used
	} else {
		ask.oneOf("h.type", q.Types)
	}
	ask.oneOf("h.module", q.Modules)
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
			WHERE l.to_id = h.id AND l.id <> h.id AND f.status <> 'deprecated' AND f.type NOT IN ('roster', 'kickoff', 'reply') AND l.version = ` + standingOf("f") + ")", nil},
	} {
		if c.when {
			ask.and(c.text, c.args...)
		}
	}
	for _, ref := range q.Besides {
		ask.and("NOT EXISTS (SELECT 1 FROM links AS l WHERE l.id = ? AND l.version = ? AND l.to_id = h.id AND l.to_version = "+standingOf("h")+dependent+")", ref.ID, ref.Version)
	}
	text := "SELECT h.id, h.latest, h.canonical, h.type, h.module, h.status, h.summary, h.tips, (SELECT max(t.version) FROM tips AS t WHERE t.id = h.id), h.at FROM heads AS h WHERE true" + ask.where.String()
	if q.Newest {
		text += " ORDER BY h.at DESC, h.id"
	} else {
		text += " ORDER BY h.id"
	}
	if q.Limit > 0 {
		text += " LIMIT " + strconv.Itoa(q.Limit) // with a bare ? SQLite would plan it anew each time
	}
	heads, err := list(ctx, s.reader, func(rows *sql.Rows) (h record.Head, err error) {
		err = rows.Scan(&h.ID, &h.Latest, &h.Canonical, &h.Type, &h.Module, &h.Status, &h.Summary, &h.Tips, &h.Tip, instant{&h.At})
		return h, err
	}, text, ask.args...)
	return heads, s.fault(op, err)
}

// standingOf is the version that stands of a head.
func standingOf(head string) string {
	return "iif(" + head + ".canonical > 0, " + head + ".canonical, (SELECT max(t.version) FROM tips AS t WHERE t.id = " + head + ".id))"
}

// Census counts all records by type, module and status.
func (s *Store) Census(ctx context.Context) ([]record.Count, error) {
	const op = "count records"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	counts, err := list(ctx, s.reader, func(rows *sql.Rows) (c record.Count, err error) {
		err = rows.Scan(&c.Type, &c.Module, &c.Status, &c.Records)
		return c, err
	}, "SELECT type, module, status, count(*) FROM heads GROUP BY type, module, status ORDER BY type, module, status")
	return counts, s.fault(op, err)
}

// mostRefs is how many versions are asked for at once.
const mostRefs = 200

// Edges gives the links that versions have, or that point at them.
func (s *Store) Edges(ctx context.Context, q store.EdgeQuery) ([]record.Edge, error) {
	const op = "read links"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	var all []record.Edge
	for _, side := range []struct {
		refs        []record.Ref
		id, version string
	}{{q.From, "l.id", "l.version"}, {q.To, "l.to_id", "l.to_version"}} {
		for refs := range slices.Chunk(side.refs, mostRefs) {
			found, err := s.edges(ctx, refs, side.id, side.version)
			if err != nil {
				return nil, s.fault(op, err)
			}
			all = append(all, found...)
		}
	}
	slices.SortFunc(all, record.CompareEdges)
	return slices.Compact(all), nil
}

func (s *Store) edges(ctx context.Context, refs []record.Ref, id, version string) ([]record.Edge, error) {
	args := make([]any, 0, 2*len(refs))
	for _, r := range refs {
		args = append(args, r.ID, r.Version)
	}
	return list(ctx, s.reader, func(rows *sql.Rows) (e record.Edge, err error) {
		err = rows.Scan(&e.From.ID, &e.From.Version, &e.To.ID, &e.To.Version, &e.Relation)
		return e, err
	}, "WITH wanted (id, version) AS (VALUES (?, ?)"+strings.Repeat(", (?, ?)", len(refs)-1)+
		") SELECT l.id, l.version, l.to_id, l.to_version, l.relation FROM wanted AS w CROSS JOIN links AS l WHERE "+
		id+" = w.id AND (w.version = 0 OR "+version+" = w.version)", args...)
}

// Marks gives the marks of a record's versions, the oldest first.
func (s *Store) Marks(ctx context.Context, id string) ([]record.Mark, error) {
	const op = "read marks"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	marks, err := list(ctx, s.reader, func(rows *sql.Rows) (m record.Mark, err error) {
		err = rows.Scan(&m.ID, &m.Version, &m.Status, &m.Was, &m.By, &m.Reason, instant{&m.At})
		return m, err
	}, "SELECT id, version, status, was, author, reason, at FROM marks WHERE id = ? ORDER BY seq", id)
	return marks, s.fault(op, err)
}

// Tips gives the versions of a record that nobody has gone on from.
func (s *Store) Tips(ctx context.Context, id string) ([]int, error) {
	const op = "read versions"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	tips, err := list(ctx, s.reader, func(rows *sql.Rows) (n int, err error) {
		err = rows.Scan(&n)
		return n, err
	}, "SELECT version FROM tips WHERE id = ? ORDER BY version", id)
	return tips, s.fault(op, err)
}
