package main

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"brenner/store/postgres/postgrestest"
)

// A database on a full disk refuses writes with a hint. Once there is space, the same command works.
func TestTeamDiskFull(t *testing.T) {
	m := newTeam(t)
	fill := smallDisk(m)
	h := m.homes[0]
	text := make([]byte, 1<<20)
	_, _ = rand.Read(text) // never an error
	if err := os.WriteFile(filepath.Join(h.dir, "note.md"), []byte("# A note\n\n"+base64.StdEncoding.EncodeToString(text)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := m.run(0, "project", "init", "--question", "Why?"); code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	free := fill()
	put := []string{"store", "put", "note.md", "--type", "paper_note", "--module", "fate"}
	out, code := m.run(0, append(put, "--json")...)
	if code != 1 || !strings.Contains(out, "DISK_FULL") || !strings.Contains(out, "free some space there and run the command again") {
		t.Errorf("exit %d\n%s", code, out)
	}
	free()
	for _, args := range [][]string{put, {"verify"}} {
		if out, code := m.run(0, args...); code != 0 {
			t.Errorf("%v: exit %d\n%s", args, code, out)
		}
	}
	m.noPassword()
}

// smallDisk moves the database of the first machine to a small disk of its own, and returns what fills the disk. Where
// no disk can be mounted, the server only says that its disk is full.
func smallDisk(m *team) (fill func() (free func())) {
	t := m.t
	t.Helper()
	dir, err := os.MkdirTemp("", "brenner-disk-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(dir) })
	owner, err := user.Lookup("postgres")
	if err == nil {
		err = syscall.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=32m,mode=0700,uid=%s,gid=%s", owner.Uid, owner.Gid))
	}
	if err != nil {
		t.Logf("no disk can be mounted here: %v", err)
		return func() func() {
			postgrestest.Exec(t, m.address, "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$",
				"CREATE TRIGGER full_disk BEFORE INSERT ON brenner_cells.blobs EXECUTE FUNCTION full_disk()")
			return func() { postgrestest.Exec(t, m.address, "DROP TRIGGER full_disk ON brenner_cells.blobs") }
		}
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	postgrestest.Exec(t, m.address, "CREATE TABLESPACE small LOCATION '"+dir+"'", "CREATE DATABASE small TEMPLATE template0 ENCODING 'UTF8' TABLESPACE small")
	m.homes[0].env = append(m.homes[0].env, "BRENNER_STORE="+m.server.Address("small")+"&project=cells")
	return func() func() {
		filler := filepath.Join(dir, "filler")
		f, err := os.Create(filler)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(f, zeros{}); !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// zeros is an endless file.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
