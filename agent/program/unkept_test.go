package program

import (
	"strings"
	"testing"

	"brenner/agent"
	"brenner/agent/program/supervisor"
)

// TestWhatCouldNotBeKeptWasPaidFor: the program ran, whatever became of its output,
// and can be asked again when there is room.
func TestWhatCouldNotBeKeptWasPaidFor(t *testing.T) {
	const full = "write stdout: no space left on device"
	for name, c := range map[string]struct {
		status supervisor.Status
		paid   bool
	}{
		"while it ran":      {supervisor.Status{Spool: full, End: supervisor.Unkept, Exit: -1}, true},
		"when it had ended": {supervisor.Status{Spool: full}, true},
		"before it began":   {supervisor.Status{Spool: full, Failure: full, Exit: -1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := New(Options{Kind: Command, Command: []string{"program"}, Spool: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			x := &execution{Program: p, text: "a question of some length", argv: []string{"program"}, status: c.status, out: []byte("half an answ")}
			reply, f := x.judge(t.Context())
			if f == nil || f.Code != BadSpool || !f.Retry || f.Hint != unusable(nil).Hint || !strings.Contains(f.Detail, full) {
				t.Fatalf("%+v, %+v", reply, f)
			}
			if paid := f.Usage != (agent.Usage{}); paid != c.paid {
				t.Errorf("%+v", f.Usage)
			}
		})
	}
}
