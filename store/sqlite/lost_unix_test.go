//go:build unix

package sqlite

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
)

// Writes notice that the file was moved, deleted or replaced, and save its content. The command in
// the hint restores it.
func TestLostStore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lose, saved string }{
		"deleted":           {"rm .brenner/brenner.db", ".brenner/brenner.db.saved"},
		"all files deleted": {"rm .brenner/brenner.db*", ".brenner/brenner.db.saved"},
		"replaced":          {"echo another file > new && mv new .brenner/brenner.db", ".brenner/brenner.db.saved"},
		"moved":             {"mv .brenner/brenner.db old", ".brenner/brenner.db.saved"},
		"replaced with all": {"rm .brenner/brenner.db* && touch .brenner/brenner.db .brenner/brenner.db-wal .brenner/brenner.db-shm", ".brenner/brenner.db.saved"},
		"saved before":      {"mv .brenner/brenner.db .brenner/brenner.db.saved", ".brenner/brenner.db.saved-2"},
		"no directory":      {"rm -rf .brenner", "brenner.db.saved"},
		"directory moved":   {"mv .brenner elsewhere", "brenner.db.saved"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			project := filepath.Join(t.TempDir(), "it's a project")
			sh := func(command string) {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
				cmd.Dir = project
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v: %s", command, err, out)
				}
			}
			dir := filepath.Join(project, ".brenner")
			s := openIn(t, dir, Options{})
			first := batch(t, 1, journal.Head{})
			if err := s.Write(t.Context(), first); err != nil {
				t.Fatal(err)
			}
			sh(c.lose)
			next := batch(t, 2, journal.HeadOf(first.Appends[0].Entries))
			err := s.Write(t.Context(), next)
			wantFault(t, err, store.Lost, "everything that was in it is now in "+filepath.Join(project, c.saved))
			wantFault(t, s.Write(t.Context(), next), store.Lost, "") // saved once
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			sh(strings.Split(fault.HintOf(err), "`")[1])
			again := openIn(t, dir, Options{})
			if err := again.Verify(t.Context()); err != nil {
				t.Error(err)
			}
			if got, err := again.Entries(t.Context(), first.Appends[0].Stream, 0); err != nil || len(got) != len(first.Appends[0].Entries) {
				t.Errorf("%d entries saved, %v", len(got), err)
			}
			if left, _ := filepath.Glob(filepath.Join(project, "*.saved*")); len(left) > 0 {
				t.Errorf("%v remains", left)
			}
		})
	}
}

// A file that is no longer at its place is not said to be lost.
func TestLostProject(t *testing.T) {
	t.Parallel()
	project := filepath.Join(t.TempDir(), "project")
	s := openIn(t, filepath.Join(project, ".brenner"), Options{})
	if err := os.Rename(project, project+"-2"); err != nil {
		t.Fatal(err)
	}
	err := s.Write(t.Context(), batch(t, 1, journal.Head{}))
	wantFault(t, err, store.Lost, "could not be saved")
	if got := fault.HintOf(err); !strings.Contains(got, "move it back") {
		t.Error(got)
	}
}

// Writes notice that the file was truncated. Vacuuming is no damage.
func TestTruncatedStore(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{0, 100, 4096, 8192} {
		s := openIn(t, t.TempDir(), Options{})
		first := batch(t, 1, journal.Head{})
		if err := s.Write(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(s.file.Path, size); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			err := s.Write(t.Context(), batch(t, 2, journal.HeadOf(first.Appends[0].Entries)))
			wantFault(t, err, store.Damaged, "truncated while in use")
			if hint := fault.HintOf(err); !strings.HasPrefix(hint, "`mkdir "+s.dir+"/damaged && mv "+s.file.Path+"* "+s.dir+"/damaged`") {
				t.Error(hint)
			}
		}
	}
	s := openIn(t, t.TempDir(), Options{})
	ctx := t.Context()
	for _, statement := range []string{
		"CREATE TABLE waste AS SELECT randomblob(100000)", "PRAGMA wal_checkpoint(TRUNCATE)", "SELECT 1", "DROP TABLE waste", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)",
	} {
		if _, err := s.writer.conn.ExecContext(ctx, statement); err != nil {
			t.Fatal(statement, err)
		}
		if statement == "SELECT 1" {
			if err := s.writer.checkPresent(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	was := s.writer.size
	if err := s.Write(ctx, batch(t, 1, journal.Head{})); err != nil || s.writer.size >= was {
		t.Errorf("size %d, was %d: %v", s.writer.size, was, err)
	}
}

// A reader notices that nothing new will come.
func TestLostWhileReading(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := batch(t, 1, journal.Head{})
	if err := openIn(t, dir, Options{}).Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	stream := b.Appends[0].Stream
	r := openIn(t, dir, Options{ReadOnly: true})
	if got, err := r.Entries(t.Context(), stream, 0); err != nil || len(got) == 0 {
		t.Fatal(got, err)
	}
	if err := os.Rename(r.file.Path, r.file.Path+".moved"); err != nil {
		t.Fatal(err)
	}
	_, err := r.Entries(t.Context(), stream, 0)
	wantFault(t, err, store.Lost, "moved, deleted or replaced")
	if err := os.WriteFile(r.file.Path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = r.Entries(t.Context(), stream, 0)
	wantFault(t, err, store.Lost, "moved, deleted or replaced")
}
