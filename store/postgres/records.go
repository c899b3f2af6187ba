package postgres

import (
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"brenner/artifact"
	"brenner/store"
	"brenner/store/record"
)

// sortable formats an instant so that texts sort by time.
func sortable(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000000Z") }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// table collects rows as columns, which a statement takes with unnest.
type table struct {
	texts map[int][]string
	ints  map[int][]int64
	width int
}

func (t *table) add(row ...any) {
	if t.texts == nil {
		t.texts, t.ints = map[int][]string{}, map[int][]int64{}
	}
	t.width = len(row)
	for i, value := range row {
		switch v := value.(type) {
		case int:
			t.ints[i] = append(t.ints[i], int64(v))
		case string:
			t.texts[i] = append(t.texts[i], v)
		}
	}
}

func (t *table) args() []any {
	all := make([]any, t.width)
	for i := range all {
		if ints, ok := t.ints[i]; ok {
			all[i] = ints
		} else {
			all[i] = t.texts[i]
		}
	}
	return all
}

func (t *table) rows() int {
	if ints := len(t.ints[1]); ints > 0 {
		return ints
	}
	return len(t.texts[0])
}

// addRecords adds the statements for records and marks. A round has at most one version of each
// record, so that a few statements serve any number of records.
func (w *batch) addRecords(b *store.Batch) error {
	ids := make(map[string]bool)
	for i := range b.Records {
		ids[b.Records[i].ID] = true
	}
	for i := range b.Marks {
		ids[b.Marks[i].ID] = true
	}
	if len(ids) == 0 {
		return nil
	}
	if len(ids) > 1 {
		w.add(anyRows, "SELECT FROM ~.heads WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE", sortedKeys(ids))
	}
	for _, round := range rounds(b.Records, func(r *record.Record) string { return r.ID }) {
		w.addRound(round)
	}
	if err := w.addVersions(b.Records); err != nil {
		return err
	}
	for _, round := range rounds(b.Marks, func(m *record.Mark) string { return m.ID }) {
		w.markRound(round)
	}
	if len(b.Marks) > 0 { // numbered in the order of the batch, and of the locks
		var t table
		for i := range b.Marks {
			m := &b.Marks[i]
			t.add(m.ID, m.Version, m.Status, m.Was, m.By, m.Reason, artifact.FormatInstant(m.At))
		}
		w.add(len(b.Marks), `INSERT INTO ~.marks (id, version, status, was, author, reason, at)
			SELECT m.id, m.version, m.status, m.was, m.author, m.reason, m.at
			FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[]) WITH ORDINALITY
			AS m (id, version, status, was, author, reason, at, n) ORDER BY m.n`, t.args()...)
	}
	return nil
}

// rounds splits items so that each round has each id at most once, sorted by id.
func rounds[T any](items []T, id func(*T) string) [][]*T {
	var all [][]*T
	seen := make(map[string]int)
	for i := range items {
		n := seen[id(&items[i])]
		if seen[id(&items[i])] = n + 1; n == len(all) {
			all = append(all, nil)
		}
		all[n] = append(all[n], &items[i])
	}
	for _, round := range all {
		slices.SortFunc(round, func(a, b *T) int { return compare(id(a), id(b)) })
	}
	return all
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// addRound lists a round of records: their heads, and the tips of their branches.
func (w *batch) addRound(round []*record.Record) {
	var first, later, closed, tips table
	var ids []string
	for _, r := range round {
		tips.add(r.ID, r.Version)
		if r.Version == 1 {
			first.add(r.ID, r.Version, sortable(r.At), r.Type, r.Module, r.Status, r.Summary)
			continue
		}
		later.add(r.ID, r.Version, sortable(r.At), r.Type, r.Module, r.Status, r.Summary)
		ids = append(ids, r.ID)
		closed.add(r.ID, r.Parent)
		for _, l := range r.Links {
			if l.Relation == record.Supersedes && l.ID == r.ID {
				closed.add(r.ID, l.Version)
			}
		}
	}
	const rows = "unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) AS n (id, version, at, type, module, status, summary)"
	if n := first.rows(); n > 0 {
		w.add(n, `INSERT INTO ~.heads (id, latest, canonical, type, module, status, summary, tips, at)
			SELECT n.id, 1, 0, n.type, n.module, n.status, n.summary, 1, n.at FROM `+rows+` ON CONFLICT (id) DO NOTHING`, first.args()...)
	}
	if n := later.rows(); n > 0 {
		w.add(n, `UPDATE ~.heads AS h SET latest = n.version, at = n.at, type = CASE WHEN h.canonical = 0 THEN n.type ELSE h.type END,
			module = CASE WHEN h.canonical = 0 THEN n.module ELSE h.module END, status = CASE WHEN h.canonical = 0 THEN n.status ELSE h.status END,
			summary = CASE WHEN h.canonical = 0 THEN n.summary ELSE h.summary END FROM `+rows+` WHERE h.id = n.id AND h.latest = n.version - 1`, later.args()...)
		w.add(anyRows, "DELETE FROM ~.tips AS t USING unnest($1::text[], $2::bigint[]) AS c (id, version) WHERE t.id = c.id AND t.version = c.version", closed.args()...)
	}
	w.add(len(round), "INSERT INTO ~.tips (id, version) SELECT * FROM unnest($1::text[], $2::bigint[])", tips.args()...)
	if len(ids) > 0 {
		w.add(len(ids), "UPDATE ~.heads AS h SET tips = (SELECT count(*) FROM ~.tips AS t WHERE t.id = h.id) WHERE h.id = ANY($1::text[])", ids)
	}
}

// addVersions adds the records with their links and tags.
func (w *batch) addVersions(records []record.Record) error {
	if len(records) == 0 {
		return nil
	}
	var versions, links, tags table
	for i := range records {
		r := &records[i]
		tagsText, err := json.Marshal(r.Tags)
		if err != nil {
			return err
		}
		linksText, err := json.Marshal(r.Links)
		if err != nil {
			return err
		}
		versions.add(r.ID, r.Version, r.Parent, r.Type, r.Status, r.Module, r.Summary, r.SummaryOf, r.SummaryBy, r.Content, r.Change, r.Creator,
			artifact.FormatInstant(r.At), string(tagsText), string(linksText))
		for _, l := range r.Links {
			links.add(r.ID, r.Version, l.ID, l.Version, l.Relation)
		}
		for _, tag := range r.Tags {
			tags.add(tag, r.ID)
		}
	}
	w.add(len(records), `INSERT INTO ~.records (id, version, parent, type, status, module, summary, summary_of, summary_by, content, change, creator, at, tags, links)
		SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
			$11::text[], $12::text[], $13::text[], $14::text[], $15::text[])`, versions.args()...)
	if links.width > 0 {
		w.add(anyRows, `INSERT INTO ~.links (id, version, to_id, to_version, relation)
			SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[]) ON CONFLICT DO NOTHING`, links.args()...)
	}
	if tags.width > 0 {
		w.add(anyRows, "INSERT INTO ~.tags (tag, id) SELECT DISTINCT t, i FROM unnest($1::text[], $2::text[]) AS n (t, i) ORDER BY t, i ON CONFLICT DO NOTHING", tags.args()...)
	}
	return nil
}

// markRound applies a round of marks to the lists.
func (w *batch) markRound(round []*record.Mark) {
	var marks, statuses, deprecated table
	var ids []string
	for _, m := range round {
		keeps := 0
		if record.KeepsCanonical(m.Status) {
			keeps = 1
		}
		marks.add(m.ID, m.Version, m.Status, m.Was, keeps)
		statuses.add(m.ID, m.Version, m.Status)
		if m.Status == record.Deprecated {
			deprecated.add(m.ID, m.Version)
		}
		ids = append(ids, m.ID)
	}
	w.add(len(round), `UPDATE ~.heads AS h SET canonical = CASE WHEN m.status = 'canonical' THEN m.version
			WHEN h.canonical = m.version AND m.keeps = 0 THEN 0 ELSE h.canonical END
		FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[]) AS m (id, version, status, was, keeps)
		WHERE h.id = m.id AND m.version <= h.latest AND (m.status <> 'canonical' OR m.was = h.canonical)`, marks.args()...)
	w.add(len(round), `INSERT INTO ~.statuses (id, version, status) SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])
		ON CONFLICT (id, version) DO UPDATE SET status = excluded.status`, statuses.args()...)
	if deprecated.width > 0 { // a deprecated tip is no longer a branch, unless it is the only one
		w.add(anyRows, `DELETE FROM ~.tips AS t USING unnest($1::text[], $2::bigint[]) AS d (id, version)
			WHERE t.id = d.id AND t.version = d.version AND EXISTS (SELECT FROM ~.tips AS o WHERE o.id = t.id AND o.version <> t.version)`, deprecated.args()...)
	}
	w.add(len(ids), `UPDATE ~.heads AS h SET tips = (SELECT count(*) FROM ~.tips AS t WHERE t.id = h.id), (type, module, status, summary) = (
			SELECT r.type, r.module, coalesce(s.status, r.status), r.summary
			FROM ~.records AS r LEFT JOIN ~.statuses AS s ON s.id = r.id AND s.version = r.version
			WHERE r.id = h.id AND r.version = CASE WHEN h.canonical > 0 THEN h.canonical ELSE (SELECT max(t.version) FROM ~.tips AS t WHERE t.id = h.id) END)
		WHERE h.id = ANY($1::text[])`, ids)
}
