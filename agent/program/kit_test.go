package program_test

import (
	"context"
	"encoding/json"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"brenner/agent"
	"brenner/agent/program"
	"brenner/agent/program/programtest"
	"brenner/internal/fault"
)

// askerMarker is the first argument of a process that asks a program, to be killed.
const askerMarker = "__program-asker"

// TestMain also serves as the supervisor, the program and the asking process.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch args := os.Args[2:]; os.Args[1] {
		case program.SupervisorMarker:
			os.Exit(program.SupervisorMain(args)) //nolint:forbidigo // this is its main function
		case programtest.DoubleMarker:
			os.Exit(programtest.DoubleMain(args)) //nolint:forbidigo // this is its main function
		case askerMarker:
			os.Exit(askerMain(args)) //nolint:forbidigo // this is its main function
		}
	}
	goleak.VerifyTestMain(m)
}

const patience = 20 * time.Second

// until waits for an event in another process.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick, limit := time.NewTicker(2*time.Millisecond), time.NewTimer(patience)
	defer tick.Stop()
	defer limit.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatal("timeout: ", what)
		}
	}
}

// trial is an agent under test, with the double that it runs.
type trial struct {
	*program.Program
	*programtest.Double
	options program.Options
}

// newTrial makes an agent of a kind whose program is a double with this behaviour.
func newTrial(t *testing.T, kind string, o program.Options, texts []string, behaviour ...string) *trial {
	t.Helper()
	d := programtest.NewDouble(t, kind, texts...)
	o.Kind, o.Command = kind, d.Command(t, behaviour[0], behaviour[1:]...)
	if o.Model == "" {
		o.Model = "double-model"
	}
	if o.Spool == "" {
		o.Spool = t.TempDir()
	}
	if o.WorkDir == "" {
		o.WorkDir = t.TempDir()
	}
	if o.Environ == nil {
		o.Environ = []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	}
	// By default the race detector delays every exit by a second.
	o.Environ = append(o.Environ, "GORACE=atexit_sleep_ms=0")
	o.Pass = append(o.Pass, "GORACE")
	p, err := program.New(o)
	if err != nil {
		t.Fatal(err)
	}
	tr := &trial{p, d, o}
	t.Cleanup(func() { tr.clean(t) })
	return tr
}

// clean checks that no process and no private directory is left.
func (tr *trial) clean(t *testing.T) {
	t.Helper()
	if left := tr.Processes(t); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if left, err := os.ReadDir(tr.options.WorkDir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func call(id string) agent.Call {
	return agent.Call{ID: "RS-1/r1/BlueLake/" + id, Agent: "BlueLake", Round: 1, Turns: []agent.Turn{{Text: "What is it?\n"}}}
}

func answers(t *testing.T, a agent.Agent, want string) agent.Reply {
	t.Helper()
	reply, err := a.Ask(t.Context(), call("ask"))
	if err != nil {
		t.Fatal(err)
	}
	if reply.Text != want {
		t.Errorf("got %q, want %q", reply.Text, want)
	}
	return reply
}

func fails(t *testing.T, ctx context.Context, a agent.Agent, want fault.Code) *agent.Failure { //nolint:revive // t comes first in a helper
	t.Helper()
	reply, err := a.Ask(ctx, call("ask"))
	f, ok := err.(*agent.Failure) //nolint:errorlint // the contract requires this type, unwrapped
	if !ok || reply != (agent.Reply{}) {
		t.Fatalf("want a *Failure, got %+v, %v", reply, err)
	}
	if f.Code != want {
		t.Fatalf("code %s, want %s: %v; %q", f.Code, want, f, f.Partial)
	}
	return f
}

func wantIn(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in %q", part, text)
		}
	}
}

// files returns the names in a directory that match.
func files(t *testing.T, dir, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// askerMain asks a program like brenner, and waits to be killed.
func askerMain(args []string) int {
	var o program.Options
	if json.Unmarshal([]byte(args[0]), &o) != nil {
		return 2
	}
	o.Environ = os.Environ()
	p, err := program.New(o)
	if err != nil {
		return 2
	}
	if _, err := p.Ask(context.Background(), call("ask")); err != nil {
		return 1
	}
	if os.WriteFile(args[1], nil, 0o600) != nil {
		return 1
	}
	// Wait to be killed.
	stay := make(chan os.Signal, 1)
	signal.Notify(stay, os.Interrupt)
	<-stay
	return 0
}
