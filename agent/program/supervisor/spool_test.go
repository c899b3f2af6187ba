//go:build linux

package supervisor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A program is stopped when its output cannot be stored. /dev/full is a full disk.
func TestFullDiskStopsProgram(t *testing.T) {
	for name, c := range map[string]struct {
		line, full string
		want       Status
	}{
		"stdout":  {"echo answer; exec sleep 1234", StdoutFile, Status{Exit: -1, Signal: "terminated", End: SpoolFailed}},
		"stderr":  {"echo error >&2; exec sleep 1234", StderrFile, Status{Exit: -1, Signal: "terminated", End: SpoolFailed}},
		"nothing": {"exit 3", "", Status{Exit: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, StdinFile), []byte("question"), 0o600); err != nil {
				t.Fatal(err)
			}
			if c.full != "" {
				if err := os.Symlink("/dev/full", filepath.Join(dir, c.full)); err != nil {
					t.Fatal(err)
				}
			}
			status := Status{Exit: -1}
			running(dir, c.line).program(&status)
			if full := strings.Contains(status.Spool, "no space left"); full != (c.full != "") {
				t.Errorf("%q", status.Spool)
			}
			status.Spool = ""
			if status.Failure != "" || status.Exit != c.want.Exit || status.Signal != c.want.Signal || status.End != c.want.End {
				t.Errorf("%+v", status)
			}
		})
	}
}

// A broken spool and a missing program both prevent the start; the status distinguishes them.
func TestStartFailures(t *testing.T) {
	dir := t.TempDir()
	status := Status{Exit: -1}
	running(dir, "exit 0").program(&status) // stdin is missing
	if status.Failure == "" || status.Spool == "" {
		t.Errorf("%+v", status)
	}
	if err := os.WriteFile(filepath.Join(dir, StdinFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := running(dir, "exit 0")
	r.job.Argv = []string{filepath.Join(dir, "nothing")}
	status = Status{Exit: -1}
	if r.program(&status); status.Failure == "" || status.Spool != "" {
		t.Errorf("%+v", status)
	}
}

func running(dir, line string) *run {
	job := &Job{Argv: []string{"/bin/sh", "-c", line}, Dir: dir, MaxOutput: 1 << 20, Grace: time.Minute}
	return newRun(job, dir, make(chan os.Signal))
}
