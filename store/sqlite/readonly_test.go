package sqlite

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"brenner/store"
	"brenner/store/journal"
)

// halfMade returns a directory with the files of a process that was killed in a transaction before
// WAL mode.
func halfMade(t *testing.T) string {
	t.Helper()
	from, to := t.TempDir(), t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(from, FileName))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	// With a tiny cache, pages are written before the commit.
	for _, statement := range []string{"PRAGMA cache_size = 1", "BEGIN", "CREATE TABLE t (x)", "INSERT INTO t SELECT randomblob(9000) FROM json_each('[1,2,3,4,5,6,7,8,9]')"} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, suffix := range []string{"", "-journal"} {
		data, err := os.ReadFile(filepath.Join(from, FileName+suffix))
		if err != nil || len(data) == 0 {
			t.Fatal(len(data), err)
		}
		if err := os.WriteFile(filepath.Join(to, FileName+suffix), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return to
}

// For readers and writers, a half-made store does not exist.
func TestHalfMadeStore(t *testing.T) {
	t.Parallel()
	dir := halfMade(t)
	for range 2 {
		_, err := Open(t.Context(), dir, Options{ReadOnly: true})
		wantFault(t, err, store.NoStore, "no store yet")
	}
	s := openIn(t, dir, Options{})
	if err := s.Write(t.Context(), batch(t, 1, journal.Head{})); err != nil {
		t.Error(err)
	}
	openIn(t, halfMade(t), Options{})
}

// A store gets its name when it is complete. What killed processes left of theirs is removed by the one
// that creates the store, and by later ones. Other files are not.
func TestStoreIsCompleteWhenItAppears(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := filepath.Join(dir, ".brenner.db.swp")
	leave := func() {
		for _, name := range []string{kept, filepath.Join(dir, ".brenner.db.122"), filepath.Join(dir, ".brenner.db.123-journal")} {
			if err := os.WriteFile(name, []byte("left"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	check := func() {
		t.Helper()
		if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || !slices.Equal(left, []string{kept}) {
			t.Errorf("%v remains, %v", left, err)
		}
	}
	leave()
	s := &Store{dir: dir, file: File{Path: filepath.Join(dir, FileName), Wait: defaultWait, Format: format(migrations(), nil)}}
	before := 0
	o := Options{Before: func() {
		if before++; exists(s.file.Path) {
			t.Error("called too late")
		}
	}}
	if err := s.makeFile(t.Context(), o); err != nil || before != 1 {
		t.Fatal(before, err)
	}
	check()
	leave()
	r := openIn(t, dir, Options{ReadOnly: true})
	if err := r.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	openIn(t, dir, o)
	if check(); before != 1 {
		t.Error("called for a store that exists")
	}
}

// A file without companions can be read without creating any. A WAL or a journal with content cannot
// be ignored.
func TestImmutable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openIn(t, dir, Options{})
	b := batch(t, 1, journal.Head{})
	if err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	r := &Store{dir: dir, file: File{Format: s.file.Format, Path: s.file.Path, Wait: s.file.Wait}}
	f := &r.file
	wantFault(t, f.readImmutable(), store.Unwritable, "brenner.db-wal has changes that are not in the file yet")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.readImmutable(); err != nil {
		t.Fatal(err)
	}
	if err := r.connect(t.Context(), Options{ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	if err := r.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if got, err := r.Entries(t.Context(), b.Appends[0].Stream, 0); err != nil || len(got) == 0 {
		t.Error(got, err)
	}
	if names, err := filepath.Glob(f.Path + "-*"); err != nil || len(names) > 0 {
		t.Errorf("created %v, %v", names, err)
	}
	if err := os.Truncate(f.Path, 4096); err != nil { // as if another process had written
		t.Fatal(err)
	}
	wantFault(t, r.Close(), store.Busy, "another process changed it meanwhile")
}
