package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
	"brenner/store/storetest"
)

// childDir names the variable that makes this test binary a process that writes
// until it is killed, and childLock the one that makes it hold a lock instead.
const (
	childDir  = "BRENNER_SQLITE_CHILD"
	childLock = "BRENNER_SQLITE_CHILD_LOCK"
)

// kills is how often the child is killed; each time it continues where it was.
const kills = 20

// TestWrittenBatchesSurviveKill kills a writing process at random moments: every batch that it
// reported must be complete, and no other may be stored in part.
func TestWrittenBatchesSurviveKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	acknowledged := 0
	for range kills {
		c := start(t, dir)
		time.AfterFunc(time.Duration(rand.IntN(50))*time.Millisecond, c.kill)
		acknowledged = max(acknowledged, c.last())
		checkBatches(t, dir, acknowledged)
	}
	c := start(t, dir)
	c.waitFor(acknowledged + 3)
	c.kill()
	checkBatches(t, dir, c.last())
}

// TestUpgradeSurvivesKill kills a process at random moments of an upgrade: the next one finds the
// store as it was before or after it.
func TestUpgradeSurvivesKill(t *testing.T) {
	t.Parallel()
	const n = 300
	for range kills {
		dir := t.TempDir()
		olderBlobs(t, dir, n)
		c := start(t, dir)
		time.AfterFunc(time.Duration(rand.IntN(300))*time.Millisecond, c.kill)
		checkBatches(t, dir, c.last())
		checkOlderBlobs(t, openIn(t, dir, Options{}), n)
	}
}

// TestProcessesShareAStore runs several processes that create one store and write to one of its
// streams, until each has written some batches.
func TestProcessesShareAStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all []*process
	for range 3 {
		all = append(all, start(t, dir))
	}
	acknowledged := 0
	for _, c := range all {
		c.waitFor(1)
	}
	for _, c := range all {
		c.kill()
		acknowledged = max(acknowledged, c.last())
	}
	checkBatches(t, dir, acknowledged)
}

func TestLockEndsWithItsProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openIn(t, dir, Options{})
	c := start(t, dir, childLock+"=session")
	c.waitFor(1)
	who, held, err := s.HolderOf("session")
	if err != nil || !held || who.PID != c.cmd.Process.Pid {
		t.Errorf("%v, %t, %v", who, held, err)
	}
	_, err = s.Hold("session", store.Holder{})
	wantFault(t, err, store.Held, fmt.Sprintf("held by process %d", c.cmd.Process.Pid))
	c.kill()
	c.last()
	if who, held, err := s.HolderOf("session"); held || err != nil {
		t.Errorf("%v, %t, %v", who, held, err)
	}
	lease, err := s.Hold("session", store.Holder{})
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Release(); err != nil {
		t.Error(err)
	}
}

// process is a child that reports numbers.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	number int
}

func start(t *testing.T, dir string, more ...string) *process {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	// With the race detector, every process would sleep for a second at its end.
	cmd.Env = append(append(os.Environ(), childDir+"="+dir, "GORACE=atexit_sleep_ms=0"), more...)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // open as long as the child lives
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &process{t: t, cmd: cmd, lines: bufio.NewScanner(out)}
}

func (p *process) kill() { _ = p.cmd.Process.Kill() }

// next reads the next number that the child reports.
func (p *process) next() bool {
	if !p.lines.Scan() {
		return false
	}
	n, err := strconv.Atoi(p.lines.Text())
	if err != nil {
		p.t.Fatalf("the child reported %q", p.lines.Text())
	}
	p.number = n
	return true
}

// waitFor reads until the child has reported n or a later number.
func (p *process) waitFor(n int) {
	p.t.Helper()
	for p.number < n {
		if !p.next() {
			p.t.Fatalf("the child ended after %d", p.number)
		}
	}
}

// last reads the output of a killed child to its end, and returns its last number.
func (p *process) last() int {
	p.t.Helper()
	for p.next() {
		continue
	}
	if err := p.cmd.Wait(); err == nil {
		p.t.Error("the child ended by itself")
	}
	return p.number
}

// checkBatches opens the store as the next process would.
func checkBatches(t *testing.T, dir string, acknowledged int) {
	t.Helper()
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	entries, err := s.Entries(t.Context(), "s", 0)
	if err != nil {
		t.Fatal(err)
	}
	records, err := s.Records(t.Context(), store.Query{})
	if err != nil {
		t.Fatal(err)
	}
	if list, err := s.Streams(t.Context(), "s"); err != nil || len(list) > 0 && list[0].Summary != journal.HeadOf(entries).Hash {
		t.Errorf("%+v, %v", list, err)
	}
	if len(records) < acknowledged || len(entries) != 2*len(records) {
		t.Errorf("%d batches were reported; there are %d records and %d entries", acknowledged, len(records), len(entries))
	}
	for i := range records {
		if blob, err := s.Blob(t.Context(), records[i].Content); err != nil || string(blob) != childBlob(i+1) {
			t.Errorf("the blob of batch %d: %v", i+1, err)
		}
	}
}

// childBlob returns some pages of text, so that a batch takes a while.
func childBlob(n int) string { return strings.Repeat(fmt.Sprintf("batch %d;", n), 2000) }

// child writes batch after batch, and reports the number of each.
func child(dir string) {
	ctx := context.Background()
	s, err := Open(ctx, dir, Options{})
	if err != nil {
		panic(err)
	}
	if name := os.Getenv(childLock); name != "" {
		if _, err := s.Hold(name, store.Holder{PID: os.Getpid(), Host: "here"}); err != nil {
			panic(err)
		}
		report(1)
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed; select {} is a deadlock where there is no cgo
	}
	for {
		n, err := writeNext(ctx, s)
		switch {
		case err == nil:
			report(n)
		case fault.CodeOf(err) != store.Moved:
			panic(err)
		}
	}
}

// report prints a number for the parent; without a parent it panics.
func report(n int) {
	if _, err := fmt.Fprintln(os.Stdout, n); err != nil {
		panic(err)
	}
}

func writeNext(ctx context.Context, s *Store) (int, error) {
	entries, err := s.Entries(ctx, "s", 0)
	if err != nil {
		return 0, err
	}
	n, head := len(entries)/2+1, journal.HeadOf(entries)
	r := storetest.Record("r", n)
	r.Content = store.Hash([]byte(childBlob(n)))
	first, err := head.Next("s", storetest.Instant(n), "first", []byte(`{}`))
	if err != nil {
		return 0, err
	}
	second, err := first.Head().Next("s", storetest.Instant(n), "second", []byte(`{}`))
	if err != nil {
		return 0, err
	}
	return n, s.Write(ctx, store.Batch{
		Blobs:   [][]byte{[]byte(childBlob(n))},
		Appends: []store.Append{{Stream: "s", After: head, Entries: []journal.Entry{first, second}, Summary: second.Hash}},
		Records: []record.Record{r},
	})
}
