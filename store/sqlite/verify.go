package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
)

// Verify reads the whole store and returns all faults joined: damaged pages, blobs that do not
// match their hash, broken or wrongly ended streams, and lists that disagree with the records.
func (s *Store) Verify(ctx context.Context) error {
	const op = "verify the store"
	leave, err := s.file.Enter(ctx, op)
	if err != nil {
		return err
	}
	defer leave()
	var found fault.List
	looks := []func(context.Context) (fault.List, error){s.verifyPages, s.verifySchema, s.verifyBlobs, s.verifyStreams, s.verifyLists}
	if len(s.file.Steps) == 1 { // a copy of a store from before the lists
		looks = looks[:4]
	}
	for _, look := range looks {
		wrong, err := look(ctx)
		found = append(found, wrong...)
		if err != nil && ctx.Err() == nil {
			// An unreadable page ends one check, not the others.
			found = append(found, &fault.Error{Code: classify(err, s.file.Wait).code, Op: op, Place: s.file.Path, Hint: classify(err, s.file.Wait).hint, Cause: err})
		}
	}
	if err := ctx.Err(); err != nil {
		return &fault.Error{Op: op, Cause: err}
	}
	return found.Err()
}

// QuickCheck returns the first damaged page. Unlike Verify it checks no hashes and no chains.
func (s *Store) QuickCheck(ctx context.Context) error {
	const op = "check the pages"
	found, err := ask(ctx, s, op, One[string], "PRAGMA quick_check(1)")
	if err == nil && len(found) > 0 && found[0] != "ok" {
		return s.changed(op, found[0])
	}
	return err
}

func (s *Store) verifyPages(ctx context.Context) (fault.List, error) {
	return List(ctx, s.reader, func(rows *sql.Rows) (*fault.Error, error) {
		var text string
		err := rows.Scan(&text)
		return s.changed("verify the pages", text), err
	}, "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'")
}

// verifySchema compares tables, indexes and triggers with those of the migrations: a trigger could
// undo a write. It also finds entries without a stream.
func (s *Store) verifySchema(ctx context.Context) (fault.List, error) {
	const query = "SELECT type || ' ' || name || ': ' || coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
	have, err := List(ctx, s.reader, One[string], query)
	if err != nil {
		return nil, err
	}
	ours, err := freshSchema(ctx, &s.file.Format, query)
	if err != nil {
		return nil, err
	}
	var found fault.List
	for _, object := range have {
		if !slices.Contains(ours, object) {
			found = append(found, s.changed("verify the schema", "unexpected "+fault.Shown(object)))
		}
	}
	for _, object := range ours {
		if !slices.Contains(have, object) {
			found = append(found, s.changed("verify the schema", "missing "+fault.Shown(object)))
		}
	}
	stray, err := List(ctx, s.reader, One[string], "SELECT count(*) || iif(count(*) = 1, ' entry belongs', ' entries belong') FROM entries WHERE stream NOT IN (SELECT id FROM streams) HAVING count(*) > 0")
	if err == nil && len(stray) > 0 {
		found = append(found, s.changed("verify the entries", stray[0]+" to no stream"))
	}
	return found, err
}

func freshSchema(ctx context.Context, f *Format, query string) (objects []string, err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx) // another connection would have a memory of its own
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	for n := range f.Steps {
		if err := f.step(ctx, conn, n+1); err != nil {
			return nil, err
		}
	}
	rows, err := conn.QueryContext(ctx, query)
	err = each(rows, err, func(rows *sql.Rows) (bool, error) {
		object, err := One[string](rows)
		objects = append(objects, object)
		return true, err
	})
	return objects, err
}

// verifyBlobs keeps one blob in memory at a time.
func (s *Store) verifyBlobs(ctx context.Context) (found fault.List, err error) {
	columns := "lower(hex(hash)), size, coding, data"
	if len(s.file.Steps) < 3 { // a copy of a store from before codings
		columns = "hash, size, 0, data"
	}
	err = s.reader.Each(ctx, func() { found = nil }, func(rows *sql.Rows) (bool, error) {
		var hash string
		var row codedBlob
		if err := rows.Scan(&hash, &row.size, &row.coding, (*sql.RawBytes)(&row.data)); err != nil {
			return false, err
		}
		blob, err := s.coder.blob(&row)
		if is := store.Hash(blob); err == nil && is != hash {
			err = errors.New("its bytes have the hash " + is)
		}
		if err != nil {
			found = append(found, s.changed("verify the blob "+fault.Shown(hash), err.Error()))
		}
		return true, nil
	}, "SELECT "+columns+" FROM blobs ORDER BY rowid")
	return found, err
}

func (s *Store) verifyStreams(ctx context.Context) (found fault.List, err error) {
	streams, err := s.streams(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, stream := range streams {
		entries, err := entries(ctx, s.reader, stream.Name, 0)
		if err != nil {
			return found, err
		}
		if err := journal.Check(stream.Name, journal.Head{}, entries); err != nil {
			found = append(found, fault.All(err)...)
			continue
		}
		ends, err := s.endsAt(ctx, &stream, entries)
		if err != nil {
			return found, err
		}
		op := "verify the stream " + fault.Shown(stream.Name)
		switch {
		case !ends:
			found = append(found, s.changed(op, fmt.Sprintf("it has %d entries, but its head is number %d, %s", len(entries), stream.Head.Seq, fault.Shown(stream.Head.Hash))))
		case !stream.Began.Equal(entries[0].At):
			found = append(found, s.changed(op, "the time of its first entry is wrong in the table streams"))
		case !stream.Last.Equal(entries[stream.Head.Seq-1].At):
			found = append(found, s.changed(op, "the time of its last entry is wrong in the table streams"))
		}
	}
	return found, nil
}

// endsAt reports whether entries end at their stream's head. The stream may have grown since it was
// listed; its head has then moved as well.
func (s *Store) endsAt(ctx context.Context, stream *store.Stream, entries []journal.Entry) (bool, error) {
	n := stream.Head.Seq
	if n < 1 || n > len(entries) || entries[n-1].Hash != stream.Head.Hash {
		return false, nil
	}
	if n == len(entries) {
		return true, nil
	}
	now, err := s.streams(ctx, stream.Name)
	return err == nil && len(now) > 0 && now[0].Head.Seq >= len(entries), err
}

// verifyLists compares the lists with records and marks in both directions. What depends on the
// order of writes, such as which tips were closed, is verified from the journal instead.
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
		{links, linked, "the table links has a link that the record does not have"},
		{linked, links, "a link of the record is missing in the table links"},
		{tags, tagged, "the table tags has a tag that the record does not have"},
		{tagged, tags, "a tag of the record is missing in the table tags"},
		{statuses, marked, "the table statuses has a status without a mark"},
		{marked, statuses, "the status of its last mark is missing in the table statuses"},
		{heads, records, "it is in the table heads, but there is no such record"},
		{records, heads, "it is missing in the table heads"},
		{"SELECT id, version FROM marks", versions, "it is marked, but there is no such version"},
		{tips, versions, "it is in the table tips, but there is no such version"},
		{"SELECT id, seq FROM marks", "SELECT id, row_number() OVER (ORDER BY seq) FROM marks", "its mark has another number than it was written with"},
		{ends, counted, "its number of branches is wrong in the table heads"},
		{counted, ends, "its number of branches is wrong in the table heads"},
	} {
		wrong, err := List(ctx, s.reader, func(rows *sql.Rows) (*fault.Error, error) {
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
