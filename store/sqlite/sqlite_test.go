package sqlite

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
	"brenner/store/record"
	"brenner/store/storetest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		child(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

func openIn(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func openNew(t *testing.T) store.Store { return openIn(t, t.TempDir(), Options{}) }

func TestConformance(t *testing.T) {
	t.Parallel()
	storetest.Run(t, openNew)
}

// TestAgreesWithMemoryStore needs many stores that need not survive a crash: they are copies of
// an empty one, without syncing.
func TestAgreesWithMemoryStore(t *testing.T) {
	t.Parallel()
	empty := openIn(t, t.TempDir(), Options{})
	if err := empty.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(empty.file.Path)
	if err != nil {
		t.Fatal(err)
	}
	storetest.Agree(t, func(*testing.T) store.Store { return memory.New() }, func(t *testing.T) store.Store {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FileName), file, 0o600); err != nil {
			t.Fatal(err)
		}
		s := openIn(t, dir, Options{})
		s.exec(t, "PRAGMA synchronous = OFF")
		return s
	})
}

func TestLocks(t *testing.T) {
	t.Parallel()
	storetest.Locks(t, func(t *testing.T) (one, other store.Locks) {
		dir := t.TempDir()
		return openIn(t, dir, Options{}), openIn(t, dir, Options{})
	})
}

// wantFault checks the code of an error, that its message contains a text, and that it has a hint.
func wantFault(t *testing.T, err error, code fault.Code, text string) {
	t.Helper()
	if fault.CodeOf(err) != code || fault.HintOf(err) == "" || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v (%s), want %s with %q and a hint", err, fault.CodeOf(err), code, text)
	}
}

// batch returns a batch with a part of each kind; number n follows number n-1.
func batch(t testing.TB, n int, after journal.Head) store.Batch {
	t.Helper()
	return store.Batch{
		Blobs:   [][]byte{[]byte(strings.Repeat("x", n))},
		Appends: []store.Append{{Stream: "s", After: after, Entries: storetest.Chain(t, "s", after, 2)}},
		Records: []record.Record{storetest.Record("r", n)},
	}
}

func TestStoreCanBeReopened(t *testing.T) {
	t.Parallel()
	// Characters that are special in a URI must work in a path.
	dir := filepath.Join(t.TempDir(), "a b", "c%20d?mode=ro#é", ".brenner")
	if runtime.GOOS == "windows" {
		dir = filepath.Join(t.TempDir(), "a b", "c%20d#é", ".brenner")
	}
	b := batch(t, 1, journal.Head{})
	for i := range 3 {
		s, err := Open(t.Context(), dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if err := s.Write(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
		// A read connection must not prevent the checkpoint of the WAL.
		if got, err := s.Blob(t.Context(), store.Hash(b.Blobs[0])); err != nil || string(got) != "x" {
			t.Errorf("%q, %v", got, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		// Everything is in one file, which can be copied.
		left, err := filepath.Glob(filepath.Join(dir, FileName+"*"))
		if err != nil || len(left) != 1 {
			t.Errorf("%v, %v", left, err)
		}
	}
}

func TestDurabilityIsSet(t *testing.T) {
	t.Parallel()
	s := openIn(t, t.TempDir(), Options{})
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "fullfsync": "1", "checkpoint_fullfsync": "1", "foreign_keys": "1", "trusted_schema": "0",
	} {
		var got string
		if err := s.writer.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, want %s: %v", pragma, got, want, err)
		}
	}
}

func TestReadOnlyCreatesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), ".brenner")
	_, err := Open(t.Context(), dir, Options{ReadOnly: true})
	wantFault(t, err, store.NoStore, "no store yet")
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory was created: %v", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), dir, Options{ReadOnly: true})
	wantFault(t, err, store.NoStore, "no store yet")
	// A process that was killed while creating the store leaves an empty file.
	if err := os.WriteFile(filepath.Join(dir, FileName), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), dir, Options{ReadOnly: true})
	wantFault(t, err, store.NoStore, "no store yet")
}

func TestReadOnlySeesWritesOfOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openIn(t, dir, Options{})
	watch := openIn(t, dir, Options{ReadOnly: true})
	var head journal.Head
	for n := 1; n <= 3; n++ {
		b := batch(t, n, head)
		if err := s.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		head = journal.HeadOf(b.Appends[0].Entries)
		got, err := watch.Streams(t.Context(), "")
		if err != nil || len(got) != 1 || got[0].Head != head {
			t.Errorf("%v, %v", got, err)
		}
	}
	wantFault(t, watch.Write(t.Context(), store.Batch{}), store.Unwritable, "for reading only")
	// The writer may close the store.
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := watch.Entries(t.Context(), "s", 0); err != nil || len(got) != 6 {
		t.Errorf("%v, %v", got, err)
	}
	if _, held, err := watch.HolderOf("x"); held || err != nil {
		t.Error(held, err)
	}
}

func TestReadOnlyDoesNotChangeTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openIn(t, dir, Options{})
	if err := s.Write(t.Context(), batch(t, 1, journal.Head{})); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	watch := openIn(t, dir, Options{ReadOnly: true})
	if err := watch.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if err := watch.Close(); err != nil {
		t.Error(err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, FileName)); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed: %v", err)
	}
}

func TestVerifyAcceptsIntactStore(t *testing.T) {
	t.Parallel()
	s := openIn(t, t.TempDir(), Options{})
	var head journal.Head
	for n := 1; n <= 5; n++ {
		b := batch(t, n, head)
		if err := s.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		head = journal.HeadOf(b.Appends[0].Entries)
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}
