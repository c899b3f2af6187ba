//go:build linux

package supervisor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestADiskThatIsFull is no program that could not be started: it ran, and was ended
// when what it wrote could not be kept. /dev/full is a disk without room.
func TestADiskThatIsFull(t *testing.T) {
	for name, c := range map[string]struct {
		line, full string
		want       Status
	}{
		"stdout":  {"echo answer; exec sleep 1234", StdoutFile, Status{Exit: -1, Signal: "terminated", End: Unkept}},
		"stderr":  {"echo error >&2; exec sleep 1234", StderrFile, Status{Exit: -1, Signal: "terminated", End: Unkept}},
		"nothing": {"exit 3", "", Status{Exit: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, StdinFile), []byte("question"), 0o600); err != nil {
				t.Fatal(err)
			}
			if c.full != "" {
				if err := os.Symlink("/dev/full", filepath.Join(folder, c.full)); err != nil {
					t.Fatal(err)
				}
			}
			status := Status{Exit: -1}
			running(folder, c.line).program(&status)
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

// TestASpoolThatCannotBeMade is why a program was never started, and so is a program
// that is not there: who reads it can tell the two.
func TestASpoolThatCannotBeMade(t *testing.T) {
	folder := t.TempDir()
	status := Status{Exit: -1}
	running(folder, "exit 0").program(&status) // there is no question
	if status.Failure == "" || status.Spool == "" {
		t.Errorf("%+v", status)
	}
	if err := os.WriteFile(filepath.Join(folder, StdinFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := running(folder, "exit 0")
	r.job.Argv = []string{filepath.Join(folder, "nothing")}
	status = Status{Exit: -1}
	if r.program(&status); status.Failure == "" || status.Spool != "" {
		t.Errorf("%+v", status)
	}
}

func running(folder, line string) *run {
	job := &Job{Argv: []string{"/bin/sh", "-c", line}, Dir: folder, MaxOutput: 1 << 20, Grace: time.Minute}
	return newRun(job, folder, make(chan os.Signal))
}
