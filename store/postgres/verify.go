package postgres

import (
	"context"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/store"
	"brenner/store/journal"
)

// schemaObjects lists the tables, columns, indexes and constraints of the newest schema, as the
// server describes them. A test writes it.
//
//go:embed schema.txt
var schemaObjects string

// Verify implements store.Prover: blobs that do not match their hash, broken or wrongly ended
// streams, lists that disagree with the records, and a schema that was changed. The server is
// responsible for the pages of its files.
func (s *Store) Verify(ctx context.Context) error {
	const op = "verify the store"
	leave, err := s.enter(ctx, op)
	if err != nil {
		return err
	}
	defer leave()
	var found fault.List
	for _, look := range []func(context.Context) (fault.List, error){s.verifySchema, s.verifyBlobs, s.verifyStreams, s.verifyLists} {
		wrong, err := look(ctx)
		found = append(found, wrong...)
		if err != nil && ctx.Err() == nil { // unreadable data ends one check, not the others
			found = append(found, fault.All(s.fault(op, err))...)
		}
	}
	if err := ctx.Err(); err != nil {
		return &fault.Error{Op: op, Cause: err}
	}
	return found.Err()
}

// QuickCheck implements store.Prover. It compares the schema only.
func (s *Store) QuickCheck(ctx context.Context) error {
	leave, err := s.enter(ctx, "check the schema")
	if err != nil {
		return err
	}
	defer leave()
	found, err := s.verifySchema(ctx)
	if err == nil && len(found) > 0 {
		return found[0]
	}
	return err
}

// verifySchema compares the schema with the expected one: a trigger could undo a write.
func (s *Store) verifySchema(ctx context.Context) (found fault.List, err error) {
	have, err := s.objects(ctx)
	if err != nil {
		return nil, err
	}
	const op = "verify the schema"
	ours := strings.Split(strings.TrimSpace(schemaObjects), "\n")
	for _, object := range have {
		if !slices.Contains(ours, object) {
			found = append(found, s.changed(op, "unexpected "+fault.Shown(object)))
		}
	}
	for _, object := range ours {
		if !slices.Contains(have, object) {
			found = append(found, s.missing(op, object))
		}
	}
	return found, nil
}

// missing returns the fault for an object that the schema does not have. An index that only makes queries fast can be
// made again.
func (s *Store) missing(op, object string) *fault.Error {
	f := s.changed(op, "missing "+fault.Shown(object))
	if statement, ok := strings.CutPrefix(object, "index CREATE INDEX "); ok {
		f.Hint = "let the owner of the schema run `CREATE INDEX " + strings.Replace(statement, " ON ", " ON "+s.address.schemaName()+".", 1) + "` in the database"
	}
	return f
}

// objects describes the schema.
func (s *Store) objects(ctx context.Context) ([]string, error) {
	return list(ctx, s, "read the schema", pgx.RowTo[string], `WITH c AS (SELECT c.* FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1)
		SELECT replace(text, $2, '') FROM (
			SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || coalesce(' ' || o.collname, '') || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END AS text
				FROM c JOIN pg_attribute AS a ON a.attrelid = c.oid LEFT JOIN pg_collation AS o ON o.oid = a.attcollation
				WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped
			UNION ALL SELECT 'index ' || pg_get_indexdef(i.indexrelid) FROM c JOIN pg_index AS i ON i.indrelid = c.oid WHERE i.indisvalid
			UNION ALL SELECT 'constraint ' || c.relname || ' ' || pg_get_constraintdef(k.oid) FROM c JOIN pg_constraint AS k ON k.conrelid = c.oid WHERE k.contype IN ('c', 'p', 'u', 'f', 'x')
			UNION ALL SELECT 'trigger ' || c.relname || ' ' || t.tgname FROM c JOIN pg_trigger AS t ON t.tgrelid = c.oid WHERE NOT t.tgisinternal
			UNION ALL SELECT 'rule ' || c.relname || ' ' || r.rulename FROM c JOIN pg_rewrite AS r ON r.ev_class = c.oid
		) AS objects ORDER BY 1`, s.address.schemaName(), s.address.schemaName()+".")
}

// verifyBlobs reads the blobs in pages, by hash.
func (s *Store) verifyBlobs(ctx context.Context) (found fault.List, err error) {
	const op = "verify the blobs"
	for last := []byte{}; ; {
		rows, err := list(ctx, s, op, scanBlob, "SELECT hash, data FROM ~.blobs WHERE hash > $1::bytea ORDER BY hash LIMIT "+strconv.Itoa(blobsPerPage), last)
		if err != nil || len(rows) == 0 {
			return found, err
		}
		for _, row := range rows {
			hash := hex.EncodeToString(row.hash)
			if is := store.Hash(row.data); is != hash {
				found = append(found, s.changed("verify the blob "+fault.Shown(hash), "its bytes have the hash "+is))
			}
			last = row.hash
		}
	}
}

func (s *Store) verifyStreams(ctx context.Context) (found fault.List, err error) {
	streams, err := s.streams(ctx, "list the streams", "")
	if err != nil {
		return nil, err
	}
	for i := range streams {
		wrong, err := s.verifyStream(ctx, &streams[i])
		found = append(found, wrong...)
		if err != nil {
			return found, err
		}
	}
	stray, err := list(ctx, s, "verify the entries", pgx.RowTo[int], "SELECT count(*) FROM ~.entries WHERE stream NOT IN (SELECT id FROM ~.streams) HAVING count(*) > 0")
	if err == nil && len(stray) > 0 {
		found = append(found, s.changed("verify the entries", text.Plural(stray[0], "entry", "entries")+" without a stream"))
	}
	return found, err
}

// verifyStream follows the chain of a stream. It may have grown since it was listed.
func (s *Store) verifyStream(ctx context.Context, stream *store.Stream) (found fault.List, err error) {
	op := "verify the stream " + fault.Shown(stream.Name)
	var broken error
	var head journal.Head
	ends := false
	err = s.walk(ctx, op, stream.Name, 0, func(l *journal.Line) error {
		e, err := l.Entry(stream.Name)
		if err == nil {
			err = journal.Check(stream.Name, head, []journal.Entry{e})
		}
		if err != nil {
			broken = err
			return err
		}
		head = e.Head()
		if head.Seq == 1 && !e.At.Equal(stream.Began) {
			found = append(found, s.changed(op, "the time of its first entry is wrong in the table streams"))
		}
		if head == stream.Head {
			ends = true
			if !e.At.Equal(stream.Last) {
				found = append(found, s.changed(op, "the time of its last entry is wrong in the table streams"))
			}
		}
		return nil
	})
	switch {
	case broken != nil:
		return append(found, fault.All(broken)...), nil
	case err != nil:
		return found, err
	}
	if now, err := s.streams(ctx, op, stream.Name); err != nil {
		return found, err
	} else if ends && len(now) > 0 && now[0].Head.Seq < head.Seq {
		ends = false
	}
	if !ends {
		found = append(found, s.changed(op, fmt.Sprintf("it has %s, but its head is number %d, %s", text.Plural(head.Seq, "entry", "entries"), stream.Head.Seq, fault.Shown(stream.Head.Hash))))
	}
	return found, nil
}

// verifyLists compares the lists with records and marks in both directions, as store/sqlite does.
func (s *Store) verifyLists(ctx context.Context) (found fault.List, err error) {
	const (
		links    = "SELECT id, version, to_id, to_version, relation FROM ~.links"
		linked   = "SELECT r.id, r.version, l ->> 'id', (l ->> 'version')::bigint, l ->> 'relation' FROM ~.records AS r, json_array_elements(r.links::json) AS l"
		tags     = "SELECT id, tag FROM ~.tags"
		tagged   = "SELECT r.id, t FROM ~.records AS r, json_array_elements_text(r.tags::json) AS t"
		statuses = "SELECT id, version, status FROM ~.statuses"
		marked   = "SELECT id, version, status FROM ~.marks AS m WHERE NOT EXISTS (SELECT FROM ~.marks AS n WHERE n.id = m.id AND n.version = m.version AND n.seq > m.seq)"
		heads    = "SELECT id FROM ~.heads"
		records  = "SELECT id FROM ~.records"
		latest   = "SELECT id, latest FROM ~.heads"
		highest  = "SELECT id, max(version) FROM ~.records GROUP BY id"
		versions = "SELECT id, version FROM ~.records"
		tips     = "SELECT id, version FROM ~.tips"
		ends     = "SELECT id, count(*) FROM ~.tips GROUP BY id"
		counted  = "SELECT id, tips FROM ~.heads WHERE tips > 0"
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
		{latest, highest, "its latest version is wrong in the table heads"},
		{"SELECT id, version FROM ~.marks", versions, "it is marked, but there is no such version"},
		{tips, versions, "it is in the table tips, but there is no such version"},
		{ends, counted, "its number of branches is wrong in the table heads"},
		{counted, ends, "its number of branches is wrong in the table heads"},
	} {
		wrong, err := list(ctx, s, "verify the lists", pgx.RowTo[string], "SELECT DISTINCT id FROM ("+c.these+" EXCEPT "+c.others+") AS lost (id) ORDER BY id")
		for _, id := range wrong {
			found = append(found, s.changed("verify the record "+fault.Shown(id), c.detail))
		}
		var f *fault.Error
		if errors.As(err, &f) {
			found = append(found, f)
			continue
		}
	}
	return found, nil
}
