package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"brenner/artifact"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
	"brenner/store/storetest"
)

// future returns the options of a program with one more schema version.
func future(step string) Options { return Options{steps: append(migrations(), step)} }

// backupName is the name of the copy that such a program makes of a store.
func backupName() string { return fmt.Sprintf("%s.v%d-backup", FileName, len(migrations())) }

const goodStep = "ALTER TABLE records ADD COLUMN extra TEXT NOT NULL DEFAULT 'new'"

func backups(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*backup*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestNewStoreNeedsNoBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	openIn(t, dir, future(goodStep))
	if got := backups(t, dir); len(got) != 0 {
		t.Error(got)
	}
}

// Several processes upgrade concurrently: one makes a backup and migrates, and all can continue.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	dir := fill(t)
	_, err := Open(t.Context(), dir, Options{ReadOnly: true, steps: future(goodStep).steps})
	wantFault(t, err, store.Unsupported, fmt.Sprintf("the older version %d", len(migrations())))
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			o := future(goodStep)
			o.ReadOnly, o.Upgrade = i%2 == 0, true
			s, err := Open(t.Context(), dir, o)
			if err == nil {
				err = errors.Join(s.Verify(t.Context()), s.Close())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got := backups(t, dir)
	if len(got) != 1 || filepath.Base(got[0]) != backupName() {
		t.Fatal(got)
	}
	// The older program can use the backup.
	old := t.TempDir()
	if err := os.Rename(got[0], filepath.Join(old, FileName)); err != nil {
		t.Fatal(err)
	}
	s := openIn(t, old, Options{})
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if entries, err := s.Entries(t.Context(), "s", 0); err != nil || len(entries) != 40 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

func TestFailedUpgradeChangesNothing(t *testing.T) {
	t.Parallel()
	dir := fill(t)
	for range 2 {
		_, err := Open(t.Context(), dir, future("CREATE TABLE half (id INTEGER); CREATE TABLE blobs (id INTEGER)"))
		wantFault(t, err, store.Damaged, "blobs")
	}
	if got := backups(t, dir); len(got) != 2 || filepath.Base(got[1]) != backupName()+"-2" {
		t.Error(got)
	}
	s := openIn(t, dir, Options{})
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	var n int
	if err := s.writer.conn.QueryRowContext(t.Context(), "SELECT count(*) FROM sqlite_schema WHERE name = 'half'").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
}

func TestOlderProcessNoticesAnUpgrade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := openIn(t, dir, Options{})
	openIn(t, dir, future(goodStep))
	wantFault(t, old.Write(t.Context(), batch(t, 1, journal.Head{})), store.Unsupported, fmt.Sprintf("upgraded the store to version %d", len(migrations())+1))
}

// A store of schema version 1 keeps its records, and gets the same derived tables as if the
// records were put today.
func TestUpgradeOfRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	older(t, dir, 1, `INSERT INTO records VALUES ('a', 1, 0, 'research_artifact', 'draft', '', 's', 'h1', '', 'op', '2026-01-02T03:04:05Z', '["t"]', '[]'),
		('a', 2, 1, 'research_artifact', 'needs_rebase', '', 's', 'h2', '', 'op', '2026-01-02T03:04:05.12Z', '[]', '[{"relation":"cites","id":"b","version":1}]'),
		('a', 3, 1, 'research_artifact', 'draft', 'm', 's', 'h3', '', 'op', '2026-01-02T03:04:06.123456789Z', '[]', '[]')`)
	s := openIn(t, dir, Options{})
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	heads, err := s.Heads(t.Context(), store.HeadQuery{Forked: true, Tag: "t"})
	if err != nil || len(heads) != 1 || heads[0].Latest != 3 || heads[0].Tips != 2 || heads[0].Module != "m" || heads[0].At.Nanosecond() != 123456789 {
		t.Errorf("%+v, %v", heads, err)
	}
	edges, err := s.Edges(t.Context(), store.EdgeQuery{To: []record.Ref{{ID: "b", Version: 1}}})
	if err != nil || len(edges) != 1 || edges[0].From != (record.Ref{ID: "a", Version: 2}) {
		t.Errorf("%v, %v", edges, err)
	}
	all, err := s.Records(t.Context(), store.Query{Status: record.NeedsRebase})
	if err != nil || len(all) != 1 || all[0].SummaryOf != "h2" || all[0].Module != record.Project || all[0].Check() != nil {
		t.Errorf("%+v, %v", all, err)
	}
}

// older creates a store of an earlier schema version and runs a statement on it.
func older(t *testing.T, dir string, version int, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}()
	steps := slices.Concat(migrations()[:version], []string{statement, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, version)})
	for n, text := range steps {
		var with []any
		if n == version {
			with = args
		}
		if _, err := db.ExecContext(t.Context(), text, with...); err != nil {
			t.Fatal(err)
		}
	}
}

// olderBlobs creates a store of version 2 with n blobs, the last of which is empty.
func olderBlobs(t *testing.T, dir string, n int) {
	t.Helper()
	var rows []string
	var args []any
	for i := range n {
		blob := []byte(olderBlob(i, n))
		rows, args = append(rows, "(?, ?, ?)"), append(args, store.Hash(blob), len(blob), blob)
	}
	older(t, dir, 2, "INSERT INTO blobs (hash, size, data) VALUES "+strings.Join(rows, ", "), args...)
}

func olderBlob(i, n int) string { return strings.Repeat(fmt.Sprintf("blob %d;", i), n-1-i) }

func checkOlderBlobs(t *testing.T, s *Store, n int) {
	t.Helper()
	for i := range n {
		want := olderBlob(i, n)
		if got, err := s.Blob(t.Context(), store.Hash([]byte(want))); err != nil || string(got) != want {
			t.Errorf("blob %d: %d bytes, %v; want %d", i, len(got), err, len(want))
		}
	}
}

// An upgrade compresses the blobs of an older store and makes the file smaller; its copy keeps them as
// they were.
func TestUpgradePacksBlobs(t *testing.T) {
	t.Parallel()
	const n = 300
	dir := t.TempDir()
	olderBlobs(t, dir, n)
	s := openIn(t, dir, Options{})
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	checkOlderBlobs(t, s, n)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(filepath.Join(dir, FileName+".v2-backup"))
	if err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(s.file.Path); err != nil || after.Size() > before.Size()/2 {
		t.Errorf("%d bytes, %d before: %v", after.Size(), before.Size(), err)
	}
}

// A damaged store is not upgraded: not a byte of it changes, and no copy remains.
func TestDamagedStoreIsNotUpgraded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	older(t, dir, 2, "INSERT INTO blobs (hash, size, data) VALUES (?, 1, x'79'), (?, 1, x'7a')", store.Hash([]byte("x")), store.Hash([]byte("z")))
	before, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err = Open(t.Context(), dir, Options{})
		wantFault(t, err, store.Damaged, "it is damaged (1 fault found, the first: verify the blob "+store.Hash([]byte("x")))
	}
	after, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil || !bytes.Equal(before[100:], after[100:]) { // the header now says that there is a WAL
		t.Errorf("the file has changed: %v", err)
	}
	if got := backups(t, dir); len(got) > 0 {
		t.Error(got)
	}
}

// An upgrade summarises the streams of a store from before summaries.
func TestUpgradeAddsSummaries(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	chain := storetest.Chain(t, "s", journal.Head{}, 1)
	at := artifact.FormatInstant(chain[0].At)
	older(t, dir, 2, `INSERT INTO streams (id, name, seq, hash, began, last) VALUES (1, 's', 1, ?1, ?2, ?2);
		INSERT INTO entries (stream, seq, at, kind, body, prev, hash) VALUES (1, 1, ?2, 'tested', ?3, '', ?1)`, chain[0].Hash, at, string(chain[0].Body))
	s := openIn(t, dir, Options{Summarise: func(stream string, entries []journal.Entry) string { return stream + entries[0].Hash }})
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if got, err := store.StreamOf(t.Context(), s, "s"); err != nil || got.Summary != "s"+chain[0].Hash {
		t.Errorf("%+v, %v", got, err)
	}
}
