//go:build linux

package program_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/agent/program/programtest"
	"brenner/agent/program/supervisor"
)

// signalSupervisors sends a signal to all supervisors of a spool.
func signalSupervisors(t *testing.T, spool string, signal syscall.Signal) {
	t.Helper()
	for _, path := range files(t, "/proc", "[0-9]*/cmdline") {
		data, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(data), program.SupervisorMarker) || !strings.Contains(string(data), spool) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, signal); err != nil {
			t.Fatal(err)
		}
	}
}

// Without a supervisor the result is unknown, but the program is gone.
func TestKilledSupervisor(t *testing.T) {
	tr := newTrial(t, program.Codex, program.Options{}, nil, programtest.Hangs)
	t.Setenv("TMPDIR", tr.options.WorkDir)
	ends := make(chan error, 1)
	go func() {
		_, err := tr.Ask(t.Context(), call("ask"))
		ends <- err
	}()
	until(t, "the program works", func() bool { return tr.Asked() > 0 })
	signalSupervisors(t, tr.options.Spool, syscall.SIGKILL)
	if f, ok := (<-ends).(*agent.Failure); !ok || f.Code != program.Lost || !f.Retry { //nolint:errorlint // the contract requires this type, unwrapped
		t.Errorf("%+v", f)
	}
	until(t, "the program is gone", func() bool { return len(tr.Processes(t)) == 0 })
	// The next sweep removes its private directory, with its logins, and keeps the evidence.
	until(t, "its private directory is removed", func() bool {
		if err := program.Sweep(tr.options.Spool, time.Unix(0, 0)); err != nil {
			t.Fatal(err)
		}
		return len(files(t, tr.options.WorkDir, "*")) == 0
	})
	if left := files(t, tr.options.Spool, "*/"+supervisor.StdinFile); len(left) != 1 {
		t.Errorf("%q remains", left)
	}
}

// leaky returns a trial whose program prints its environment, with a key, and hangs.
func leaky(t *testing.T) (tr *trial, stdout func() string) {
	t.Helper()
	tr = newTrial(t, program.Command, program.Options{
		Environ: []string{"PATH=" + os.Getenv("PATH"), "OUR_TOKEN=" + leakedKey, "HTTPS_PROXY=http://me:" + leakedKey[:20] + "@127.0.0.1:1"},
		Pass:    []string{"OUR_TOKEN"},
	}, nil, programtest.Hangs)
	tr.options.Command = []string{"/bin/sh", "-c", "env; env >&2; exec sleep 600"}
	tr.options.Grace = time.Millisecond
	return tr, func() string {
		var all string
		for _, path := range files(t, tr.options.Spool, "*/std*") {
			data, err := os.ReadFile(path)
			if err != nil {
				continue // it may have been replaced
			}
			if info, err := os.Stat(path); err == nil && info.Mode().Perm() != 0o600 {
				t.Errorf("%s: mode %o", path, info.Mode().Perm())
			}
			all += string(data)
		}
		return all
	}
}

const leakedKey = "canary-0123456789-abcdef"

// If only the caller is killed, the supervisor masks the output.
func TestKilledParentLeavesNoSecrets(t *testing.T) {
	tr, stdout := leaky(t)
	_, kill := tr.asker(t)
	until(t, "it has printed", func() bool { return strings.Count(stdout(), "OUR_TOKEN=") == 2 })
	kill()
	until(t, "the supervisor is done", func() bool {
		return len(files(t, tr.options.Spool, "*/"+supervisor.StatusFile)) == 1 && len(files(t, tr.options.WorkDir, "*")) == 0
	})
	if got := stdout(); strings.Contains(got, "canary") || strings.Count(got, "OUR_TOKEN=[secret]") != 2 {
		t.Errorf("got %s", got)
	}
}

// If both are killed, the next sweep removes the run, whatever its age, and its private directory.
func TestAbandonedRunIsRemoved(t *testing.T) {
	tr, stdout := leaky(t)
	t.Setenv("TMPDIR", tr.options.WorkDir)
	_, kill := tr.asker(t)
	until(t, "it has printed", func() bool { return strings.Count(stdout(), "OUR_TOKEN=") == 2 })
	longAgo := time.Unix(0, 0)
	if err := program.Sweep(tr.options.Spool, longAgo); err != nil || !strings.Contains(stdout(), "canary") {
		t.Errorf("a run in use was removed: %v", err)
	}
	signalSupervisors(t, tr.options.Spool, syscall.SIGSTOP)
	kill()
	if err := program.Sweep(tr.options.Spool, longAgo); err != nil || !strings.Contains(stdout(), "canary") {
		t.Errorf("a supervised run was removed: %v", err)
	}
	signalSupervisors(t, tr.options.Spool, syscall.SIGKILL)
	until(t, "it is removed", func() bool {
		if err := program.Sweep(tr.options.Spool, longAgo); err != nil {
			t.Fatal(err)
		}
		return len(files(t, tr.options.Spool, "*")) == 0
	})
}

// Without a sweep, the next call masks the output before it is kept.
func TestAbandonedRunIsMasked(t *testing.T) {
	tr, stdout := leaky(t)
	_, kill := tr.asker(t)
	until(t, "it has printed", func() bool { return strings.Count(stdout(), "OUR_TOKEN=") == 2 })
	signalSupervisors(t, tr.options.Spool, syscall.SIGSTOP)
	kill()
	signalSupervisors(t, tr.options.Spool, syscall.SIGKILL)
	tr.options.Command = []string{"/bin/echo", "done"}
	p, err := program.New(tr.options)
	if err != nil {
		t.Fatal(err)
	}
	answers(t, p, "done\n")
	if got := stdout(); strings.Contains(got, "canary") || !strings.Contains(got, "OUR_TOKEN=[secret]") {
		t.Errorf("got %s", got)
	}
	for _, dir := range files(t, tr.options.WorkDir, "*") { // left by the killed supervisor
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}
}

// After any kill, the processes of a run end before the program runs again.
func TestNoProcessOutlivesItsRun(t *testing.T) {
	for _, both := range []bool{true, false} {
		pids := filepath.Join(t.TempDir(), "pids")
		tr := newTrial(t, program.Command, program.Options{}, nil, programtest.Hangs)
		t.Setenv("TMPDIR", tr.options.WorkDir)
		tr.options.Grace = time.Millisecond
		tr.options.Command = []string{"/bin/sh", "-c", "sleep 1234 & a=$!; setsid sleep 1234 & echo $$ $a $! >" + pids + "; wait"}
		p, err := program.New(tr.options)
		if err != nil {
			t.Fatal(err)
		}
		started := func() bool {
			data, err := os.ReadFile(pids)
			return err == nil && strings.HasSuffix(string(data), "\n")
		}
		if both {
			_, kill := tr.asker(t)
			until(t, "it works", started)
			signalSupervisors(t, tr.options.Spool, syscall.SIGSTOP)
			kill()
			signalSupervisors(t, tr.options.Spool, syscall.SIGKILL)
		} else {
			ends := make(chan error, 1)
			go func() {
				_, err := p.Ask(t.Context(), call("ask"))
				ends <- err
			}()
			until(t, "it works", started)
			signalSupervisors(t, tr.options.Spool, syscall.SIGKILL)
			if f, ok := (<-ends).(*agent.Failure); !ok || f.Code != program.Lost { //nolint:errorlint // the contract requires this type, unwrapped
				t.Errorf("%+v", f)
			}
		}
		tr.options.Command = []string{"/bin/sh", "-c", "for p in $(cat " + pids + "); do kill -0 $p 2>/dev/null && ps -o stat= -p $p | grep -v Z; done; echo done"}
		if p, err = program.New(tr.options); err != nil {
			t.Fatal(err)
		}
		answers(t, p, "done\n")
		if err := program.Sweep(tr.options.Spool, time.Unix(0, 0)); err != nil {
			t.Error(err)
		}
	}
}

// A copy of a spool does not end the run of the original, nor remove its private directory.
func TestCopyOfASpoolIsAnotherPlace(t *testing.T) {
	tr := newTrial(t, program.Codex, program.Options{}, nil, programtest.Hangs)
	t.Setenv("TMPDIR", tr.options.WorkDir)
	_, kill := tr.asker(t)
	until(t, "the program works", func() bool { return tr.Asked() > 0 })
	running := tr.Processes(t)
	for _, sweep := range []bool{true, false} {
		o := tr.options
		o.Spool, o.Kind, o.Command = t.TempDir(), program.Command, []string{"/bin/echo", "done"}
		if err := os.CopyFS(o.Spool, os.DirFS(tr.options.Spool)); err != nil {
			t.Fatal(err)
		}
		if sweep {
			if err := program.Sweep(o.Spool, time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		p, err := program.New(o)
		if err != nil {
			t.Fatal(err)
		}
		answers(t, p, "done\n")
	}
	if left := tr.Processes(t); len(left) != len(running) || len(files(t, tr.options.WorkDir, "*")) != 1 {
		t.Errorf("%q of %q still run; private directories: %q", left, running, files(t, tr.options.WorkDir, "*"))
	}
	kill()
	until(t, "its supervisor is done", func() bool { return len(files(t, tr.options.WorkDir, "*")) == 0 })
}

// What a killed doctor leaves is ended and removed by the next sweep; what is in use is not.
func TestSweepScratch(t *testing.T) {
	base := t.TempDir()
	t.Setenv("TMPDIR", base)
	pids := filepath.Join(t.TempDir(), "pids")
	tr := newTrial(t, program.Command, program.Options{}, nil, programtest.Hangs)
	s, err := program.OpenScratch("")
	if err != nil {
		t.Fatal(err)
	}
	tr.options = s.In(tr.options)
	tr.options.Command = []string{"/bin/sh", "-c", "sleep 1234 & a=$!; setsid sleep 1234 & echo $$ $a $! >" + pids + "; wait"}
	_, kill := tr.asker(t)
	until(t, "it works", func() bool {
		data, err := os.ReadFile(pids)
		return err == nil && strings.HasSuffix(string(data), "\n")
	})
	if program.SweepScratch(); len(files(t, s.Dir, "*")) < 3 {
		t.Errorf("in use, but only %q is left", files(t, s.Dir, "*"))
	}
	signalSupervisors(t, tr.options.Spool, syscall.SIGSTOP)
	kill()
	signalSupervisors(t, tr.options.Spool, syscall.SIGKILL)
	s.Release() // as the system does when its process is killed
	program.SweepScratch()
	if left := files(t, base, "*"); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
	data, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range strings.Fields(string(data)) {
		if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
			t.Errorf("still running: %s", stat)
		}
	}
	tr.options.WorkDir = base
}
