package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	lib "modernc.org/sqlite/lib"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/storetest"
)

// exec runs a statement directly on the write connection.
func (s *Store) exec(t *testing.T, text string, args ...any) {
	t.Helper()
	if _, err := s.writer.conn.ExecContext(t.Context(), text, args...); err != nil {
		t.Fatal(err)
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := openIn(t, t.TempDir(), Options{})
	first := batch(t, 1, journal.Head{})
	if err := s.Write(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	s.exec(t, "PRAGMA max_page_count = 1") // no more pages than now
	big := batch(t, 2, journal.HeadOf(first.Appends[0].Entries))
	noise := make([]byte, 1<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise) // it cannot be compressed
	big.Blobs = append(big.Blobs, noise)
	wantFault(t, s.Write(t.Context(), big), store.Full, "no space left")
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	s.exec(t, "PRAGMA max_page_count = 1000000")
	if err := s.Write(t.Context(), big); err != nil {
		t.Errorf("with space again: %v", err)
	}
}

func TestUnwritable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), filepath.Join(file, ".brenner"), Options{})
	wantFault(t, err, store.Unwritable, "open the store")
	if err := os.MkdirAll(filepath.Join(dir, "taken", FileName), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), filepath.Join(dir, "taken"), Options{})
	wantFault(t, err, store.Damaged, "not a regular file")

	s := openIn(t, filepath.Join(dir, "good"), Options{})
	if err := os.RemoveAll(s.locks.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.locks.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = s.Hold("a", store.Holder{})
	wantFault(t, err, store.Unwritable, "lock a")
}

// Hints name what is really in the way, with a command to copy.
func TestHintsOfUnopenedStores(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil        func(dir, file string) error
		detail, hint string
	}{
		"empty":        {func(_, file string) error { return os.Truncate(file, 0) }, "missing or empty", "start over: `mv DIR DIR.old`"},
		"truncated":    {func(_, file string) error { return os.Truncate(file, 5000) }, "damaged", "restore it from a backup; to start over: `mv DIR DIR.old`"},
		"text":         {func(_, file string) error { return os.WriteFile(file, []byte("Some text."), 0o600) }, "not a store", "restore it from a backup"},
		"directory":    {func(_, file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o700)) }, "not a regular file", "`mv DIR/brenner.db DIR/brenner.db.old`"},
		"no directory": {func(dir, _ string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)) }, "DIR: not a directory", "`mv DIR DIR.old`"},
	} {
		dir := filepath.Join(t.TempDir(), "state")
		s := openIn(t, dir, Options{})
		_, err := s.Hold("a", store.Holder{})
		if err := errors.Join(err, s.Close(), c.spoil(dir, s.file.Path)); err != nil {
			t.Fatal(name, err)
		}
		for _, o := range []Options{{}, {ReadOnly: true}} {
			_, err := Open(t.Context(), dir, o)
			place := func(text string) string { return strings.ReplaceAll(text, "DIR", dir) }
			if err == nil || !strings.Contains(err.Error(), place(c.detail)) || !strings.Contains(fault.HintOf(err), place(c.hint)) {
				t.Errorf("%s: %v; hint: %s", name, err, fault.HintOf(err))
			}
		}
	}
}

func TestDirectoryWithoutPermission(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openIn(t, dir, Options{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 || runtime.GOOS == "windows" { // permissions do not apply
		if err := os.Chmod(s.file.Path, 0o444); err != nil {
			t.Fatal(err)
		}
		if err := openIn(t, dir, Options{}).Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	defer os.Chmod(dir, 0o755) //nolint:errcheck // so that the directory can be removed
	if err := os.Chmod(s.file.Path, 0); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), dir, Options{ReadOnly: true})
	wantFault(t, err, store.Unwritable, s.file.Path+": permission denied")
	for _, name := range []string{s.file.Path, dir} {
		if err := os.Chmod(name, 0o555); err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), dir, Options{})
		wantFault(t, err, store.Unwritable, s.file.Path+": permission denied")
		if hint := fault.HintOf(err); !strings.Contains(hint, "`chmod u+rwX "+s.file.Path+"`") {
			t.Error(hint)
		}
	}
	if err := os.Chmod(s.file.Path, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), dir, Options{})
	wantFault(t, err, store.Unwritable, "cannot be opened for writing")
	_, err = Open(t.Context(), filepath.Join(dir, "sub"), Options{})
	wantFault(t, err, store.Unwritable, "open the store")
}

func TestReadOnlyFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openIn(t, dir, Options{})
	// A read-only connection fails as on a read-only disk.
	_, err := s.reader.DB.ExecContext(t.Context(), "DELETE FROM blobs")
	wantFault(t, s.file.Fault("write", err), store.Unwritable, "cannot be opened for writing")
}

// TestClassifyIO uses SQLite's codes for errors that a test cannot provoke.
func TestClassifyIO(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]fault.Code{
		lib.SQLITE_IOERR_READ:       store.Damaged,
		lib.SQLITE_IOERR_SHORT_READ: store.Damaged,
		lib.SQLITE_IOERR_SHMSIZE:    store.Full,
		lib.SQLITE_IOERR_WRITE:      store.Unwritable,
		lib.SQLITE_IOERR_FSYNC:      store.Unwritable,
	} {
		if got := classifyIO(code); got.code != want || got.hint == "" {
			t.Errorf("%d: %v", code, got)
		}
	}
}

func TestNetworkFileSystem(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "sub", ".brenner")
	for _, readOnly := range []bool{false, true} {
		_, err := Open(t.Context(), dir, Options{ReadOnly: readOnly, Network: func(string) (string, error) { return "nfs", nil }})
		wantFault(t, err, store.Unsupported, "nfs")
		_, err = Open(t.Context(), dir, Options{ReadOnly: readOnly, Network: func(string) (string, error) { return "", os.ErrPermission }})
		wantFault(t, err, store.Unwritable, "file system")
	}
	if _, err := os.Stat(filepath.Dir(dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory was created: %v", err)
	}
	if kind, err := networkFileSystem(t.TempDir()); kind != "" || err != nil {
		t.Errorf("the tests run on %q: %v", kind, err)
	}
}

func TestWALUnavailable(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("sqlite", ":memory:") // has no WAL
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	f := &File{Format: format(migrations(), nil), Path: "memory"}
	_, err = f.prepare(t.Context(), conn)
	wantFault(t, err, store.Unsupported, "WAL mode does not work here")
}

// fill returns the directory of a closed store with some batches.
func fill(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	s := openIn(t, dir, Options{})
	var head journal.Head
	for n := 1; n <= 20; n++ {
		b := batch(t, n, head)
		b.Blobs = append(b.Blobs, bytes.Repeat([]byte{byte(n)}, 20_000))
		if err := s.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		head = journal.HeadOf(b.Appends[0].Entries)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDamagedFile(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func([]byte) []byte{
		"no database": func([]byte) []byte { return []byte(strings.Repeat("not a database\n", 1000)) },
		"header":      func(b []byte) []byte { copy(b, "XXXXXXXXXXXXXXXX"); return b },
		"cut":         func(b []byte) []byte { return b[:len(b)/2+100] },
		"torn pages": func(b []byte) []byte {
			for at := 4096; at < len(b); at += 4096 {
				clear(b[at : at+2048])
			}
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := fill(t)
			file := filepath.Join(dir, FileName)
			intact, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			damaged := damage(intact)
			if err := os.WriteFile(file, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			err = openAndVerify(t, dir)
			wantFault(t, err, store.Damaged, "")
			if !strings.HasSuffix(fault.HintOf(err), "; the file was not changed") {
				t.Errorf("the hint is %s", fault.HintOf(err))
			}
			if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, damaged) {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

func openAndVerify(t *testing.T, dir string) error {
	t.Helper()
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Verify(t.Context())
}

func TestVerifyDetectsChangedContent(t *testing.T) {
	t.Parallel()
	hash := store.Hash([]byte("x"))
	for name, test := range map[string]struct {
		change, want string
		code         fault.Code
	}{
		"blob":  {"UPDATE blobs SET data = x'79' WHERE size = 1", "verify the blob " + hash, store.Damaged},
		"entry": {"UPDATE entries SET kind = 'other' WHERE seq = 3", "s, entry 3", journal.BrokenChain},
		"tail":  {"DELETE FROM entries WHERE seq > 39", "it has 39 entries, but its head is number 40", store.Damaged},
		"all":   {"DELETE FROM entries", "it has 0 entries", store.Damaged},
		"time":  {"UPDATE entries SET at = 'today' WHERE seq = 3", "not an RFC 3339", store.Damaged},
		"head":  {"PRAGMA ignore_check_constraints = 1; UPDATE streams SET seq = 0", "its head is number 0", store.Damaged},
		"under": {"PRAGMA ignore_check_constraints = 1; UPDATE streams SET seq = -7", "its head is number -7", store.Damaged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openIn(t, fill(t), Options{})
			s.exec(t, test.change)
			wantFault(t, s.Verify(t.Context()), test.code, test.want)
		})
	}
}

func TestBlobDetectsChangedData(t *testing.T) {
	t.Parallel()
	s := openIn(t, fill(t), Options{})
	s.exec(t, "UPDATE blobs SET data = x'79' WHERE size = 1")
	_, err := s.Blob(t.Context(), store.Hash([]byte("x")))
	wantFault(t, err, store.Damaged, "do not match its hash")
}

func TestFilesOfOtherAndNewerPrograms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, statement, want string }{
		{"other program", "PRAGMA application_id = 7", "another program"},
		{"other program, without an id", "PRAGMA application_id = 0", "another program"},
		{"newer", "PRAGMA user_version = 999", fmt.Sprintf("the store has version 999, but this program supports versions up to %d", len(migrations()))},
	} {
		for _, readOnly := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, read only %t", test.name, readOnly), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				s := openIn(t, dir, Options{})
				s.exec(t, test.statement)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				before, _ := os.ReadFile(s.file.Path)
				_, err := Open(t.Context(), dir, Options{ReadOnly: readOnly})
				wantFault(t, err, store.Unsupported, test.want)
				if after, err := os.ReadFile(s.file.Path); err != nil || !bytes.Equal(before, after) {
					t.Errorf("the file was changed: %v", err)
				}
			})
		}
	}
}

func TestBusyStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := openIn(t, dir, Options{})
	hasty := openIn(t, dir, Options{Wait: time.Millisecond})
	patient := openIn(t, dir, Options{})
	other.exec(t, "BEGIN IMMEDIATE")
	wantFault(t, hasty.Write(t.Context(), batch(t, 1, journal.Head{})), store.Busy, "kept it busy for 1ms")
	if _, err := hasty.Streams(t.Context(), ""); err != nil {
		t.Errorf("reading does not wait for writers: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := patient.Write(ctx, batch(t, 1, journal.Head{})); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	other.exec(t, "ROLLBACK")
	if err := patient.Write(t.Context(), batch(t, 1, journal.Head{})); err != nil {
		t.Error(err)
	}
}

func TestCancelWhileWaitingForTheTurn(t *testing.T) {
	t.Parallel()
	s := openIn(t, t.TempDir(), Options{})
	s.writer.group.turn <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	if err := s.Write(ctx, batch(t, 1, journal.Head{})); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	<-s.writer.group.turn
}

func TestConcurrentOpenOfANewStore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), ".brenner")
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			s, err := Open(t.Context(), dir, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			stream := fmt.Sprint("stream ", n)
			err = s.Write(t.Context(), store.Batch{Appends: []store.Append{{Stream: stream, Entries: storetest.Chain(t, stream, journal.Head{}, 1)}}})
			if err := errors.Join(err, s.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, err := openIn(t, dir, Options{}).Streams(t.Context(), "stream "); err != nil || len(got) != 8 {
		t.Errorf("%v, %v", got, err)
	}
}

// A store whose file is missing is not created again if sessions were run in its directory.
func TestMissingStoreIsNotRecreated(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "[1]") // not a pattern
	s := openIn(t, dir, Options{})
	lease, err := s.Hold("RS-20260101-ab", store.Holder{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(lease.Release(), s.Close()); err != nil {
		t.Fatal(err)
	}
	for _, spoil := range []func() error{
		func() error { return os.Truncate(s.file.Path, 1) },
		func() error { return os.Truncate(s.file.Path, 0) },
		func() error { return os.Remove(s.file.Path) },
		func() error { // no session was run: the WAL alone
			return errors.Join(os.RemoveAll(s.locks.dir), os.WriteFile(s.file.Path+"-wal", []byte("changes"), 0o600))
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{}, {ReadOnly: true}} {
			_, err := Open(t.Context(), dir, o)
			wantFault(t, err, store.Damaged, "missing or empty")
		}
	}
}

func TestVerifyDetectsSchemaChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openIn(t, dir, Options{})
	for statement, want := range map[string]string{
		"CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM blobs; END": "unexpected trigger t",
		"DROP INDEX records_by_type": "missing index records_by_type",
	} {
		if _, err := s.writer.conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		if err := s.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// An entry of another program that continues the chain after the stored head is not mistaken for
// one that another process has just added.
func TestVerifyDetectsEntriesAfterTheHead(t *testing.T) {
	t.Parallel()
	s := openIn(t, t.TempDir(), Options{})
	chain := storetest.Chain(t, "s", journal.Head{}, 3)
	if err := s.Write(t.Context(), store.Batch{Appends: []store.Append{{Stream: "s", Entries: chain[:2]}}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := &chain[2]
	s.exec(t, "INSERT INTO entries (stream, seq, at, kind, body, prev, hash) VALUES (1, ?, ?, ?, ?, ?, ?)", e.Seq, artifact.FormatInstant(e.At), e.Kind, string(e.Body), e.Prev, e.Hash)
	if err := s.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), "it has 3 entries, but its head is number 2") {
		t.Errorf("%v", err)
	}
}
