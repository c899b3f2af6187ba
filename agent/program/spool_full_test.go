package program

import (
	"strings"
	"testing"

	"brenner/agent"
	"brenner/agent/program/supervisor"
)

// A run whose output could not be stored has still cost tokens, and may be retried.
func TestUnstoredOutputCountsUsage(t *testing.T) {
	const full = "write stdout: no space left on device"
	for name, c := range map[string]struct {
		status supervisor.Status
		paid   bool
	}{
		"during the run": {supervisor.Status{Spool: full, End: supervisor.SpoolFailed, Exit: -1}, true},
		"after the run":  {supervisor.Status{Spool: full}, true},
		"before the run": {supervisor.Status{Spool: full, Failure: full, Exit: -1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := New(Options{Kind: Command, Command: []string{"program"}, Spool: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			x := &execution{Program: p, text: "a question of some length", argv: []string{"program"}, status: c.status, out: []byte("half an answ")}
			reply, f := x.outcome(t.Context())
			if f == nil || f.Code != BadSpool || !f.Retry || f.Hint != spoolFailure(nil).Hint || !strings.Contains(f.Detail, full) {
				t.Fatalf("%+v, %+v", reply, f)
			}
			if paid := f.Usage != (agent.Usage{}); paid != c.paid {
				t.Errorf("%+v", f.Usage)
			}
		})
	}
}
