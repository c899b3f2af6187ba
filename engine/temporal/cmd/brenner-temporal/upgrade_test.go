package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// newer builds this program with another prompt and returns its path.
func newer(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	replace := make(map[string]string)
	for name, more := range map[string]string{"templates/common.md": "\n- Be brief.\n", "versions.txt": "be brief\n"} {
		path, err := filepath.Abs("../../../../prompts/" + name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		replace[path] = filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(replace[path], append(text, more...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, out := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "newer.test")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", out, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// Workers with other prompts run side by side. A session that the older program opened waits for a worker of that program, and no
// other worker is given it; the newer one runs its own loops meanwhile, and refuses to continue the older loop.
func TestOnServerOldAndNewPrompts(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	program := newer(t)
	older := f.machine().work()
	newer := f.machine()
	newer.program = program
	newer.work()
	user, after := f.machine(), f.machine()
	after.program = program
	night := []string{"loop", "run", user.plan("night", 2, 2), "--run", "k", "--place", "temporal", "-v"}
	due := make(chan struct{})
	f.when(3, func() { close(due) })
	user.start("", night...)
	<-due
	older.signal(syscall.SIGTERM)
	if code := older.wait(); code != 0 {
		t.Errorf("exit %d\n%s", code, older.out)
	}
	jobs := f.state("night-k").Jobs
	answered := func() int { return f.answered(jobs[0].Thread, "") + f.answered(jobs[1].Thread, "") }
	before := answered()
	if out, code := after.run("loop", "run", after.plan("later", 1, 1), "--run", "k", "--place", "temporal", "-v"); code != 0 {
		t.Errorf("exit %d\n%s\n%s", code, out, newer.out)
	}
	f.artifacts("later-k")
	if now := answered(); before == 0 || now != before {
		t.Errorf("%d answers before the worker ended, and %d without one", before, now)
	}
	user.signal(syscall.SIGTERM)
	if code := user.wait(); code != 130 {
		t.Errorf("exit %d\n%s", code, user.out)
	}
	after.plan("night", 2, 2)
	if out, code := after.run(append(night, "--json")...); code != 2 || !strings.Contains(out, "PROMPTS_CHANGED") {
		t.Errorf("exit %d\n%s", code, out)
	}
	older.work()
	if out, code := user.run(night...); code != 0 {
		t.Errorf("exit %d\n%s\n%s", code, out, older.out)
	}
	f.check("night-k", f.alone("night", 2))
	f.mustNotRepeat()
	for _, thread := range []string{jobs[0].Thread, jobs[1].Thread, "cannot run"} {
		if strings.Contains(newer.out.String(), thread) {
			t.Errorf("the newer worker was given %s\n%s", thread, newer.out)
		}
	}
	if strings.Contains(older.out.String(), "later") {
		t.Errorf("the older worker was given the newer loop\n%s", older.out)
	}
}
