//go:build linux

package supervisor

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	const line = "42 (a) b (c) S 7 8 9 0 -1 4194560 1 2 3 4 10 5 0 0 20 0 1 0 12345 1 2"
	want := process{pid: 42, parent: 7, group: 8, name: "a) b (c", work: 15, began: "12345"}
	if got, ok := parseStat([]byte(line)); !ok || got != want {
		t.Errorf("%+v", got)
	}
	for _, line := range []string{"", "42", "42 (a", "42 (a) S 1", ")("} {
		if got, ok := parseStat([]byte(line)); ok {
			t.Errorf("%q: %+v", line, got)
		}
	}
}

// A process that works silently is busy, one that sleeps is not.
func TestBusy(t *testing.T) {
	for line, want := range map[string]bool{"exec sleep 1234": false, "while :; do :; done": true} {
		cmd := exec.Command("/bin/sh", "-c", line)
		cmd.SysProcAttr = programAttr()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		look := time.NewTicker(100 * time.Millisecond)
		all := newTree(cmd.Process.Pid)
		// Twice in a row, because starting takes some work.
		for right := 0; right < 2 && ctx.Err() == nil; {
			select {
			case <-look.C:
			case <-ctx.Done():
				t.Errorf("%s: busy never became %v", line, want)
			}
			if right++; all.busy() != want {
				right = 0
			}
		}
		look.Stop()
		cancel()
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // reports that it was killed
	}
}

func TestLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	held, err := TryLock(path)
	if err != nil || held == nil {
		t.Fatal(held, err)
	}
	if l, err := TryLock(path); l != nil || err != nil {
		t.Error(l, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if l, err := WaitLock(ctx, path); l != nil || err == nil {
		t.Error(l, err)
	}
	if err := os.Remove(path); err != nil { // like Sweep
		t.Fatal(err)
	}
	fresh, err := TryLock(path)
	if err != nil || fresh == nil {
		t.Fatal(fresh, err)
	}
	held.Release()
	if l, err := TryLock(path); l != nil || err != nil {
		t.Error("the lock of a removed file counted for the new one")
	}
	fresh.Release()
}

func TestMainRefuses(t *testing.T) {
	if got := Main(nil); got != 2 {
		t.Error(got)
	}
}

// Only processes with the mark of the lost run are killed.
func TestKillLost(t *testing.T) {
	const mark = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	dir := t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", "env -i sleep 1234 & setsid sh -c 'echo; exec sleep 1234' & wait")
	cmd.Env, cmd.SysProcAttr = []string{"PATH=" + os.Getenv("PATH"), MarkVariable + "=" + mark}, programAttr()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	forge := func(file string, v any) {
		if err := write(filepath.Join(dir, file), v); err != nil {
			t.Fatal(err)
		}
	}
	count := func() int {
		all, err := processes()
		if err != nil {
			t.Fatal(err)
		}
		return len(marked(all, MarkVariable+"="+mark))
	}
	for _, other := range []string{"", "A", mark[1:], mark + "A", "BBCDEFGHIJKLMNOPQRSTUVWXYZ"} {
		forge(JobFile, Job{Mark: other, Place: place(dir)})
		if KillLost(dir); count() < 2 {
			t.Fatalf("killed by the mark %q", other)
		}
	}
	forge(JobFile, Job{Mark: mark, Place: place(dir)})
	forge(StatusFile, Status{Schema: statusSchema})
	if KillLost(dir); count() < 2 {
		t.Fatal("killed although the run has ended")
	}
	if err := os.Remove(filepath.Join(dir, StatusFile)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	// The shell is our child: until it is reaped, it is dead and does not count.
	if KillLost(dir); count() != 0 {
		t.Errorf("%d processes are left", count())
	}
	_ = cmd.Wait() // reports that it was killed
	all, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.group == cmd.Process.Pid && !p.dead {
			t.Errorf("%+v is left", p)
		}
	}
}
