package postgres

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/record"
)

const recordColumns = `SELECT r.id, r.version, r.parent, r.type, coalesce(s.status, r.status), r.module, r.summary, r.summary_of, r.summary_by,
	r.content, r.change, r.creator, r.at, r.tags, r.links`

// Records implements store.Store.
func (s *Store) Records(ctx context.Context, q store.Query) ([]record.Record, error) {
	const op = "read records"
	var where conditions
	from := " FROM ~.records AS r LEFT JOIN ~.statuses AS s ON s.id = r.id AND s.version = r.version WHERE true"
	for _, c := range []struct {
		when bool
		text string
		args []any
	}{
		{q.Status != "", "(r.id, r.version) IN (SELECT id, version FROM ~.statuses WHERE status = ? UNION ALL SELECT b.id, b.version FROM ~.records AS b WHERE b.status = ?" +
			rare(q.Status) + " AND NOT EXISTS (SELECT FROM ~.statuses AS o WHERE o.id = b.id AND o.version = b.version))", []any{q.Status, q.Status}},
		{q.ID != "", "r.id = ?", []any{q.ID}},
		{q.Version != 0, "r.version = ?", []any{q.Version}},
		{q.Type != "", "r.type = ?", []any{q.Type}},
		{q.Latest, "r.version = (SELECT h.latest FROM ~.heads AS h WHERE h.id = r.id)", nil},
		{q.Stale, "r.summary_of <> r.content", nil},
	} {
		if c.when {
			where.and(c.text, c.args...)
		}
	}
	columns := recordColumns
	if q.Initial {
		columns = strings.Replace(columns, "coalesce(s.status, r.status)", "r.status", 1)
	}
	return ask(ctx, s, op, s.scanRecord, columns+from+where.text()+" ORDER BY r.id, r.version", where.args...)
}

// rare returns the condition that lets the server use the partial index of statuses other than draft.
func rare(status string) string {
	if status == record.Draft {
		return ""
	}
	return " AND b.status <> 'draft'"
}

func (s *Store) scanRecord(row pgx.CollectableRow) (r record.Record, err error) {
	var at, tags, links string
	err = row.Scan(&r.ID, &r.Version, &r.Parent, &r.Type, &r.Status, &r.Module, &r.Summary, &r.SummaryOf, &r.SummaryBy, &r.Content,
		&r.Change, &r.Creator, &at, &tags, &links)
	if err != nil {
		return r, err
	}
	op := "read the record " + fault.Shown(r.ID)
	if r.At, err = s.instant(op, at); err != nil {
		return r, err
	}
	if json.Unmarshal([]byte(tags), &r.Tags) != nil || json.Unmarshal([]byte(links), &r.Links) != nil {
		return r, s.changed(op, "its tags or links are not valid")
	}
	if len(r.Tags) == 0 {
		r.Tags = nil
	}
	if len(r.Links) == 0 {
		r.Links = nil
	}
	return r, nil
}

// dependent lists the relations of record.Depends; a test compares them.
const dependent = " AND l.relation IN ('cites', 'derives_from', 'summarises', 'refutes')"

// Heads implements store.Catalogue.
func (s *Store) Heads(ctx context.Context, q store.HeadQuery) ([]record.Head, error) {
	const op = "list records"
	if !storable(q.Prefix) {
		return nil, s.check(ctx, op)
	}
	var where conditions
	where.prefix("h.id", q.Prefix)
	where.oneOf("h.type", q.Types)
	where.oneOf("h.module", q.Modules)
	for _, c := range []struct {
		when bool
		text string
		args []any
	}{
		{q.ID != "", "h.id = ?", []any{q.ID}},
		{q.Tag != "", "h.id IN (SELECT t.id FROM ~.tags AS t WHERE t.tag = ?)", []any{q.Tag}},
		{q.Status != "", "h.status = ?", []any{q.Status}},
		{q.Live, "h.status <> 'deprecated'", nil},
		{q.Canonical, "h.canonical > 0", nil},
		{q.Forked, "h.tips > 1", nil},
		{!q.After.IsZero(), "h.at > ?", []any{sortable(q.After)}},
		{!q.Before.IsZero(), "h.at < ?", []any{sortable(q.Before)}},
		{q.Unreferenced, `NOT EXISTS (SELECT FROM ~.links AS l JOIN ~.heads AS f ON f.id = l.id
			WHERE l.to_id = h.id AND l.id <> h.id AND f.status <> 'deprecated' AND f.type NOT IN ('roster', 'kickoff', 'reply', 'review') AND l.version = ` + standingOf("f") + ")", nil},
	} {
		if c.when {
			where.and(c.text, c.args...)
		}
	}
	for _, ref := range q.Besides {
		if storable(ref.ID) {
			where.and("NOT EXISTS (SELECT FROM ~.links AS l WHERE l.id = ? AND l.version = ? AND l.to_id = h.id AND l.to_version = "+standingOf("h")+dependent+")", ref.ID, ref.Version)
		}
	}
	text := "SELECT h.id, h.latest, h.canonical, h.type, h.module, h.status, h.summary, h.tips, (SELECT max(t.version) FROM ~.tips AS t WHERE t.id = h.id), h.at FROM ~.heads AS h WHERE true" + where.text()
	if q.Newest {
		text += " ORDER BY h.at DESC, h.id"
	} else {
		text += " ORDER BY h.id"
	}
	if q.Limit > 0 {
		text += " LIMIT " + strconv.Itoa(q.Limit)
	}
	return ask(ctx, s, op, func(row pgx.CollectableRow) (h record.Head, err error) {
		var at string
		if err = row.Scan(&h.ID, &h.Latest, &h.Canonical, &h.Type, &h.Module, &h.Status, &h.Summary, &h.Tips, &h.Tip, &at); err == nil {
			h.At, err = s.instant(op, at)
		}
		return h, err
	}, text, where.args...)
}

// check returns why the store cannot be used, if it cannot.
func (s *Store) check(ctx context.Context, op string) error {
	leave, err := s.enter(ctx, op)
	if err == nil {
		leave()
	}
	return err
}

// standingOf returns the SQL for the standing version of a head.
func standingOf(head string) string {
	return "CASE WHEN " + head + ".canonical > 0 THEN " + head + ".canonical ELSE (SELECT max(t.version) FROM ~.tips AS t WHERE t.id = " + head + ".id) END"
}

// Census implements store.Catalogue.
func (s *Store) Census(ctx context.Context) ([]record.Count, error) {
	return ask(ctx, s, "count records", func(row pgx.CollectableRow) (c record.Count, err error) {
		err = row.Scan(&c.Type, &c.Module, &c.Status, &c.Records)
		return c, err
	}, "SELECT type, module, status, count(*) FROM ~.heads GROUP BY type, module, status ORDER BY type, module, status")
}

// Edges implements store.Catalogue.
func (s *Store) Edges(ctx context.Context, q store.EdgeQuery) (all []record.Edge, err error) {
	const op = "read links"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer leave()
	for _, side := range []struct {
		refs        []record.Ref
		id, version string
	}{{q.From, "l.id", "l.version"}, {q.To, "l.to_id", "l.to_version"}} {
		var wanted table
		for _, ref := range side.refs {
			if storable(ref.ID) {
				wanted.add(ref.ID, ref.Version)
			}
		}
		if wanted.width == 0 {
			continue
		}
		// A lateral join, so that each reference is looked up in the index.
		found, err := list(ctx, s, op, func(row pgx.CollectableRow) (e record.Edge, err error) {
			err = row.Scan(&e.From.ID, &e.From.Version, &e.To.ID, &e.To.Version, &e.Relation)
			return e, err
		}, "SELECT e.id, e.version, e.to_id, e.to_version, e.relation FROM unnest($1::text[], $2::bigint[]) AS w (id, version) CROSS JOIN LATERAL (SELECT * FROM ~.links AS l WHERE "+
			side.id+" = w.id AND (w.version = 0 OR "+side.version+" = w.version)) AS e", wanted.args()...)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, record.CompareEdges)
	return slices.Compact(all), nil
}
