package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

// future returns the options of a program with one more schema version.
func future(step string) Options { return Options{steps: append(migrations(), step)} }

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
	wantFault(t, err, store.Unsupported, "the older version 2")
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
	if len(got) != 1 || filepath.Base(got[0]) != "brenner.db.v2-backup" {
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
	if got := backups(t, dir); len(got) != 2 || filepath.Base(got[1]) != "brenner.db.v2-backup-2" {
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
	wantFault(t, old.Write(t.Context(), batch(t, 1, journal.Head{})), store.Unsupported, "upgraded the store to version 3")
}

// A store of schema version 1 keeps its records, and gets the same derived tables as if the
// records were put today.
func TestUpgradeOfRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		migrations()[0],
		`INSERT INTO records VALUES ('a', 1, 0, 'research_artifact', 'draft', '', 's', 'h1', '', 'op', '2026-01-02T03:04:05Z', '["t"]', '[]'),
			('a', 2, 1, 'research_artifact', 'needs_rebase', '', 's', 'h2', '', 'op', '2026-01-02T03:04:05.12Z', '[]', '[{"relation":"cites","id":"b","version":1}]'),
			('a', 3, 1, 'research_artifact', 'draft', 'm', 's', 'h3', '', 'op', '2026-01-02T03:04:06.123456789Z', '[]', '[]')`,
		fmt.Sprintf("PRAGMA application_id = %d", applicationID), "PRAGMA user_version = 1",
	} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
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
