package sqlite

import (
	"context"
	"database/sql"

	"brenner/internal/fault"
)

// verifyLists finds what the lists of records say and records and marks do not, and
// the other way round. What follows from the order of writes, such as which ends of
// ways were closed, is proven by whoever knows the journal.
func (s *Store) verifyLists(ctx context.Context) (found fault.List, err error) {
	const (
		links    = "SELECT id, version, to_id, to_version, relation FROM links"
		linked   = "SELECT r.id AS id, r.version, l.value ->> 'id', l.value ->> 'version', l.value ->> 'relation' FROM records AS r, json_each(r.links) AS l"
		tags     = "SELECT id, tag FROM tags"
		tagged   = "SELECT r.id AS id, t.value FROM records AS r, json_each(r.tags) AS t"
		statuses = "SELECT id, version, status FROM statuses"
		marked   = "SELECT id, version, status FROM marks AS m WHERE NOT EXISTS (SELECT 1 FROM marks AS n WHERE n.id = m.id AND n.version = m.version AND n.seq > m.seq)"
		heads    = "SELECT id FROM heads"
		records  = "SELECT id FROM records"
		versions = "SELECT id, version FROM records"
		tips     = "SELECT id, version FROM tips"
		ends     = "SELECT id, count(*) FROM tips GROUP BY id"
		counted  = "SELECT id, tips FROM heads WHERE tips > 0"
	)
	for _, c := range []struct{ these, others, detail string }{
		{links, linked, "the list of links has one that the record has not"},
		{linked, links, "a link of it is not in the list of links"},
		{tags, tagged, "the list of tags has one that the record has not"},
		{tagged, tags, "a tag of it is not in the list of tags"},
		{statuses, marked, "the list of statuses has one that no mark gave"},
		{marked, statuses, "the status of its last mark is not in the list of statuses"},
		{heads, records, "it is in the list of records, and there is no such record"},
		{records, heads, "it is not in the list of records"},
		{"SELECT id, version FROM marks", versions, "it was marked, and there is no such version"},
		{tips, versions, "it is said to end a way, and there is no such version"},
		{ends, counted, "the list of records has another number of ways than there are"},
		{counted, ends, "the list of records has another number of ways than there are"},
	} {
		wrong, err := list(ctx, s.reader, func(rows *sql.Rows) (*fault.Error, error) {
			var place string
			err := rows.Scan(&place)
			return s.changed("verify the record "+fault.Shown(place), c.detail), err
		}, "WITH lost AS ("+c.these+" EXCEPT "+c.others+") SELECT DISTINCT id FROM lost ORDER BY id")
		found = append(found, wrong...)
		if err != nil {
			return found, err
		}
	}
	return found, nil
}
