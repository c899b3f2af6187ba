package box_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/mail/box"
	"brenner/mail/boxtest"
	"brenner/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(tb testing.TB, dir string) *box.Box {
	tb.Helper()
	b, err := box.Open(context.Background(), dir, box.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := b.Close(); err != nil {
			tb.Error(err)
		}
	})
	return b
}

func TestConformance(t *testing.T) {
	boxtest.Run(t, func(t *testing.T) mail.Box { return open(t, t.TempDir()) })
}

// people creates the project and its agents.
func people(tb testing.TB, b mail.Box) {
	tb.Helper()
	if _, err := b.EnsureProject(context.Background(), boxtest.Project); err != nil {
		tb.Fatal(err)
	}
	for _, name := range []string{"Operator", "BlueLake"} {
		if _, err := b.Register(context.Background(), mail.Registration{Project: boxtest.Project, Name: name}); err != nil {
			tb.Fatal(err)
		}
	}
}

func note(n int) mail.Draft {
	return mail.Draft{Project: boxtest.Project, From: "Operator", To: []string{"BlueLake"}, Subject: fmt.Sprint("INFO: ", n), Body: fmt.Sprintf("This is message %d, with some words about cells.", n), Thread: "RS-20260101-long"}
}

func TestTwoBoxesOnOneFile(t *testing.T) {
	dir := t.TempDir()
	one, two := open(t, dir), open(t, dir) // like two processes
	people(t, one)
	woken := make(chan []mail.Message)
	go func() {
		all, err := one.Await(t.Context(), mail.InboxQuery{Project: boxtest.Project, Agent: "BlueLake", After: "0"})
		if err != nil {
			t.Error(err)
		}
		woken <- all
	}()
	var all sync.WaitGroup
	for w, b := range []*box.Box{one, two, one, two} {
		all.Go(func() {
			for n := range 25 {
				d := note(n)
				d.Key = fmt.Sprint(w%2, n) // each key from two writers
				if _, err := b.Send(context.Background(), d); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if got := <-woken; len(got) == 0 {
		t.Error("woken without mail")
	}
	all.Wait()
	page, err := two.Thread(t.Context(), mail.ThreadQuery{Project: boxtest.Project, Thread: "RS-20260101-long", Limit: 1000})
	if err != nil || len(page.Messages) != 50 {
		t.Errorf("%d messages, %v", len(page.Messages), err)
	}
}

func TestAwaitSeesOtherProcesses(t *testing.T) {
	dir := t.TempDir()
	one, two := open(t, dir), open(t, dir)
	people(t, one)
	for n := range 3 {
		ready := make(chan struct{})
		done := make(chan []mail.Message)
		go func() {
			close(ready)
			all, err := one.Await(t.Context(), mail.InboxQuery{Project: boxtest.Project, Agent: "BlueLake", Unread: true})
			if err != nil {
				t.Error(err)
			}
			done <- all
		}()
		<-ready
		m, err := two.Send(t.Context(), note(n))
		if err != nil {
			t.Fatal(err)
		}
		<-done
		if _, err := two.Mark(t.Context(), mail.Mark{Project: boxtest.Project, Agent: "BlueLake", Messages: []mail.ID{m.ID}}); err != nil {
			t.Fatal(err)
		}
	}
}

func untilWaiting(b *box.Box) {
	for b.Waiting() == 0 {
		runtime.Gosched()
	}
}

func TestCloseEndsWaiting(t *testing.T) {
	b := open(t, t.TempDir())
	people(t, b)
	end := make(chan error)
	go func() {
		_, err := b.Await(context.Background(), mail.InboxQuery{Project: boxtest.Project, Agent: "BlueLake"})
		end <- err
	}()
	untilWaiting(b)
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := <-end; fault.CodeOf(err) != store.Closed {
		t.Errorf("%v", err)
	}
}

func TestFileIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep")
	b := open(t, dir)
	people(t, b)
	for _, name := range []string{"mail.db", "mail.db-wal"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestDanglingLinkIsRefused(t *testing.T) {
	dir, target := t.TempDir(), filepath.Join(t.TempDir(), "made.db")
	if err := os.Symlink(target, filepath.Join(dir, box.FileName)); err != nil {
		t.Log("no symbolic links here:", err)
		return
	}
	b, err := box.Open(t.Context(), dir, box.Options{})
	if fault.CodeOf(err) != store.Damaged {
		t.Error(b, err)
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("the target was created")
	}
}

func TestOtherFilesAreNotChanged(t *testing.T) {
	dir := t.TempDir()
	text := []byte("not a mailbox, and longer than the header of an SQLite file, which has a hundred bytes: so it is not a database either.")
	if err := os.WriteFile(filepath.Join(dir, box.FileName), text, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := box.Open(t.Context(), dir, box.Options{})
	if code := fault.CodeOf(err); code != store.Damaged && code != store.Unsupported {
		t.Errorf("%v", err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, box.FileName)); err != nil || string(after) != string(text) {
		t.Errorf("the file was changed: %v", err)
	}
}

// Slugs contain a short hash of the key, which may collide. Each project still gets its own
// slug, even if its first choice is the key of another project.
func TestSlugCollisions(t *testing.T) {
	b := open(t, t.TempDir())
	seen := make(map[string]string)
	var one, two string
	for n := 0; one == ""; n++ {
		key := fmt.Sprintf("/srv/%d/x", n)
		slug := box.Slug(key)
		one, two = seen[slug], key
		seen[slug] = key
	}
	keys := []string{one, two, box.Slug("/elsewhere/y"), "/elsewhere/y"}
	slugs := make(map[string]string)
	for range 2 {
		for _, key := range keys {
			p, err := b.EnsureProject(t.Context(), key)
			if err != nil || p.Key != key || p.ID == "" {
				t.Fatalf("%s: %+v, %v", key, p, err)
			}
			if other, ok := slugs[p.Slug]; ok && other != key || slices.Contains(keys, p.Slug) {
				t.Errorf("%s and %s are both %s", key, other, p.Slug)
			}
			slugs[p.Slug] = key
			for _, name := range []string{key, p.Slug} {
				if there, err := b.Projects(t.Context(), name); err != nil || len(there) != 1 || there[0] != p {
					t.Errorf("%s: %+v, %v", name, there, err)
				}
			}
		}
	}
}
