//go:build linux

package program_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/agent/program/programtest"
)

// killSupervisors kills all supervisors of a spool.
func killSupervisors(t *testing.T, spool string) {
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
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
}

// Without a supervisor the result is unknown, but the program is gone.
func TestKilledSupervisor(t *testing.T) {
	tr := newTrial(t, program.Codex, program.Options{}, nil, programtest.Hangs)
	ends := make(chan error, 1)
	go func() {
		_, err := tr.Ask(t.Context(), call("ask"))
		ends <- err
	}()
	until(t, "the program works", func() bool { return tr.Asked() > 0 })
	killSupervisors(t, tr.options.Spool)
	if f, ok := (<-ends).(*agent.Failure); !ok || f.Code != program.Lost || !f.Retry { //nolint:errorlint // the contract requires this type, unwrapped
		t.Errorf("%+v", f)
	}
	until(t, "the program is gone", func() bool { return len(tr.Processes(t)) == 0 })
	// Without a supervisor its private directory is not removed.
	for _, dir := range files(t, tr.options.WorkDir, "*") {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}
}
