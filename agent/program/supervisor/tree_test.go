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
