package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/store"
	"brenner/store/journal"
)

// applicationID marks a file as a store: "Bren" in ASCII.
const applicationID = 0x4272656e

// migrations returns the steps from an empty file to the newest schema; step n leads to version
// n+1. Never edit a released step.
//
// Blobs have a rowid: WITHOUT ROWID would put large data into the searched index. SQLite compares
// texts as bytes, so names sort as in Go.
func migrations() []string {
	return []string{`
CREATE TABLE blobs (
	hash TEXT NOT NULL PRIMARY KEY,
	size INTEGER NOT NULL CHECK (size = length(data)),
	data BLOB NOT NULL
) STRICT;

CREATE TABLE streams (
	id    INTEGER PRIMARY KEY,
	name  TEXT NOT NULL UNIQUE,
	seq   INTEGER NOT NULL CHECK (seq > 0),
	hash  TEXT NOT NULL,
	began TEXT NOT NULL,
	last  TEXT NOT NULL
) STRICT;

CREATE TABLE entries (
	stream INTEGER NOT NULL REFERENCES streams (id),
	seq    INTEGER NOT NULL CHECK (seq > 0),
	at     TEXT NOT NULL,
	kind   TEXT NOT NULL,
	body   TEXT NOT NULL,
	prev   TEXT NOT NULL,
	hash   TEXT NOT NULL,
	PRIMARY KEY (stream, seq)
) STRICT;

CREATE TABLE records (
	id      TEXT NOT NULL,
	version INTEGER NOT NULL CHECK (version > 0),
	parent  INTEGER NOT NULL CHECK (parent >= 0 AND parent < version),
	type    TEXT NOT NULL,
	status  TEXT NOT NULL,
	module  TEXT NOT NULL,
	summary TEXT NOT NULL,
	content TEXT NOT NULL,
	change  TEXT NOT NULL,
	creator TEXT NOT NULL,
	at      TEXT NOT NULL,
	tags    TEXT NOT NULL,
	links   TEXT NOT NULL,
	PRIMARY KEY (id, version)
) STRICT;

CREATE INDEX records_by_type ON records (type, id, version);
`, governed, coded, summarised}
}

func format(steps []string, summarise func(string, []journal.Entry) string) Format {
	return Format{Name: "store", ID: applicationID, Steps: steps, Fill: func(ctx context.Context, conn *sql.Conn, version int) error {
		switch {
		case version == 3:
			return packBlobs(ctx, conn)
		case version == 4 && summarise != nil:
			return addSummaries(ctx, conn, summarise)
		}
		return nil
	}}
}

// summarised adds the summaries of streams, for lists; addSummaries fills it.
const summarised = `ALTER TABLE streams ADD COLUMN summary TEXT NOT NULL DEFAULT ''`

// addSummaries summarises the streams of an older store, one at a time.
func addSummaries(ctx context.Context, conn *sql.Conn, summarise func(string, []journal.Entry) string) error {
	names, err := List(ctx, single{conn}, One[string], "SELECT name FROM streams")
	for _, name := range names {
		var all []journal.Entry
		if all, err = entries(ctx, single{conn}, name, 0); err != nil {
			return err
		}
		if _, err = conn.ExecContext(ctx, "UPDATE streams SET summary = ? WHERE name = ?", summarise(name, all), name); err != nil {
			return err
		}
	}
	return err
}

// coded makes room for compressed blobs and for hashes of half the length; packBlobs fills it.
const coded = `
ALTER TABLE blobs RENAME TO plain;
CREATE TABLE blobs (
	hash   BLOB NOT NULL PRIMARY KEY,
	size   INTEGER NOT NULL, -- of the blob itself; the hash covers it, too
	coding INTEGER NOT NULL, -- 0: data is the blob; 1: zstd with dictionary 1
	data   BLOB NOT NULL,
	CHECK (length(hash) = 32 AND (coding > 0 OR size = length(data)))
) STRICT;
`

// governed adds what queries of the governed store need: stale summaries, links, canonical
// versions, and one row per record, so that a query for a few records does not scan all. Marks are
// only added; statuses, heads, tips and tags derive from records and marks.
const governed = `
ALTER TABLE records ADD COLUMN summary_of TEXT NOT NULL DEFAULT '';
ALTER TABLE records ADD COLUMN summary_by TEXT NOT NULL DEFAULT 'extracted';
UPDATE records SET summary_of = content, module = iif(module = '', 'project', module);
CREATE INDEX records_stale ON records (id, version) WHERE summary_of <> content;
CREATE INDEX records_by_status ON records (status, id, version) WHERE status <> 'draft';

CREATE TABLE links (
	id         TEXT NOT NULL,
	version    INTEGER NOT NULL,
	to_id      TEXT NOT NULL,
	to_version INTEGER NOT NULL,
	relation   TEXT NOT NULL,
	PRIMARY KEY (id, version, to_id, to_version, relation)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_to ON links (to_id, to_version);
INSERT OR IGNORE INTO links SELECT r.id, r.version, l.value ->> 'id', l.value ->> 'version', l.value ->> 'relation'
	FROM records AS r, json_each(r.links) AS l;

CREATE TABLE tags (tag TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (tag, id)) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO tags SELECT t.value, r.id FROM records AS r, json_each(r.tags) AS t;

CREATE TABLE marks (
	seq     INTEGER PRIMARY KEY,
	id      TEXT NOT NULL,
	version INTEGER NOT NULL,
	status  TEXT NOT NULL,
	was     INTEGER NOT NULL,
	author  TEXT NOT NULL,
	reason  TEXT NOT NULL,
	at      TEXT NOT NULL
) STRICT;
CREATE INDEX marks_of ON marks (id, seq);

CREATE TABLE statuses (id TEXT NOT NULL, version INTEGER NOT NULL, status TEXT NOT NULL, PRIMARY KEY (id, version)) STRICT, WITHOUT ROWID;
CREATE INDEX statuses_by_status ON statuses (status, id, version);

CREATE TABLE tips (id TEXT NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (id, version)) STRICT, WITHOUT ROWID;
INSERT INTO tips SELECT id, version FROM records AS r WHERE NOT EXISTS (SELECT 1 FROM records AS c WHERE c.id = r.id AND c.parent = r.version);

CREATE TABLE heads (
	id        TEXT NOT NULL PRIMARY KEY,
	latest    INTEGER NOT NULL,
	canonical INTEGER NOT NULL,
	type      TEXT NOT NULL,
	module    TEXT NOT NULL,
	status    TEXT NOT NULL,
	summary   TEXT NOT NULL,
	tips      INTEGER NOT NULL,
	at        TEXT NOT NULL -- with nine digits of a second, so that it sorts
) STRICT;
CREATE INDEX heads_newest ON heads (type, module, at DESC, id);
CREATE INDEX heads_of_module ON heads (module, at DESC, id);
CREATE INDEX heads_of_type ON heads (type, at DESC, id);
CREATE INDEX heads_forked ON heads (id) WHERE tips > 1;
CREATE INDEX heads_census ON heads (type, module, status);
INSERT INTO heads SELECT id, version, 0, type, module, status, summary, (SELECT count(*) FROM tips WHERE tips.id = r.id),
	substr(at, 1, 19) || '.' || substr(rtrim(substr(at, 21), 'Z') || '000000000', 1, 9) || 'Z'
	FROM records AS r WHERE version = (SELECT max(version) FROM records WHERE id = r.id);
`

// upgradeLock is held by the process that changes the schema. No user's lock begins with a dot.
const upgradeLock = ".upgrade"

// migrate upgrades the store to the newest schema, after a backup of an existing one. The lock
// keeps two processes from doing so concurrently; the second finds nothing to do.
func (s *Store) migrate(ctx context.Context, conn *sql.Conn) error {
	held, err := s.locks.take(upgradeLock, store.Holder{PID: os.Getpid(), Since: time.Now(), Doing: "upgrade the store"})
	if fault.CodeOf(err) == store.Held {
		return errBusy
	}
	if err != nil {
		return err
	}
	i, err := readIdentity(ctx, conn)
	old := err == nil && i.version > 0 && i.version < len(s.file.Steps)
	if old {
		err = s.backup(ctx, conn, i.version)
	}
	if err == nil {
		err = s.file.upgrade(ctx, conn)
	}
	if err == nil && old {
		_, _ = conn.ExecContext(ctx, "VACUUM") // without it, later sessions use the space that became free
	}
	if e := held.Release(); err == nil {
		err = e
	}
	return err
}

// backup copies the store beside itself, completely or not at all, and verifies the copy.
func (s *Store) backup(ctx context.Context, conn *sql.Conn, version int) error {
	name := freeName(fmt.Sprintf("%s.v%d-backup", s.file.Path, version))
	err := copyTo(ctx, conn, name, func(copied string) error { return s.verifyCopy(ctx, copied, version) })
	var told *fault.Error
	if err == nil || extended(err) != 0 || errors.As(err, &told) {
		return err
	}
	return &fault.Error{
		Code: store.Unwritable, Op: "copy the store before its upgrade", Place: name, Cause: err,
		Hint: "check the disk; the store was not changed",
	}
}

// verifyCopy verifies a copy of a store of an earlier version.
func (s *Store) verifyCopy(ctx context.Context, name string, version int) error {
	old := Store{dir: s.dir, file: File{Format: s.file.Format, Path: name, Wait: s.file.Wait}}
	old.file.Steps = old.file.Steps[:version]
	err := old.file.readImmutable()
	if err == nil {
		old.reader, err = OpenReader(&old.file, 1)
	}
	if err != nil {
		return err
	}
	wrong := fault.All(old.Verify(ctx))
	if err := old.reader.Close(); err != nil || len(wrong) == 0 {
		return err
	}
	return &fault.Error{
		Code: store.Damaged, Op: "upgrade the store", Place: s.file.Path,
		Detail: fmt.Sprintf("it is damaged (%s found, the first: %s: %s)", text.Count(len(wrong), "fault"), wrong[0].Op, wrong[0].Detail),
		Hint:   "nothing was changed: restore the store from a backup, or save what is intact with the brenner that wrote it: `brenner verify`, then `brenner session export`",
	}
}

// freeName returns a file name, with a number if it is taken.
func freeName(name string) string {
	free := name
	for n := 2; exists(free); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// copyTo copies the file of a connection to a new file, completely or not at all. It does not
// keep a copy that check, if not nil, refuses.
func copyTo(ctx context.Context, conn *sql.Conn, name string, check func(copied string) error) error {
	partial := name + ".partial"
	err := os.RemoveAll(partial) // from an interrupted copy
	if err == nil {
		err = makeOwn(partial)
	}
	if err == nil {
		_, err = conn.ExecContext(ctx, "VACUUM INTO ?", partial)
	}
	if err == nil {
		err = syncFile(partial)
	}
	if err == nil && check != nil {
		if err = check(partial); err != nil {
			_ = os.Remove(partial) // the next copy would
		}
	}
	if err == nil {
		err = os.Rename(partial, name)
	}
	if err == nil {
		err = syncDir(filepath.Dir(name))
	}
	return err
}

// makeOwn creates an empty file that only its owner can read. SQLite would create a world-readable
// one, but keeps the mode of an empty file.
func makeOwn(name string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = f.Sync()
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
