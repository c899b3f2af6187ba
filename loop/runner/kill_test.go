package runner_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/session"
	"brenner/store/opentest"
)

// A child process runs a loop on a real store. It is killed at a random moment after a
// number of calls.
const (
	envChild = "LOOP_TEST_DIR"   // the directory; set in children only
	envKill  = "LOOP_TEST_CALLS" // calls after which it is killed; 0 means never
	callFile = "calls"           // a line for each call
)

func TestMain(m *testing.M) {
	dir := os.Getenv(envChild)
	if dir == "" {
		os.Exit(opentest.Main(m)) //nolint:forbidigo // a main of the tests
	}
	if err := child(dir); err != nil {
		panic(err)
	}
}

// killPlan returns a loop of twenty sessions in two rounds, in which the second round
// follows the first, with budgets.
func killPlan() loop.Opened {
	w := looptest.Work(10, 2)
	w.Settings.Budget = 200_000
	w.Follow = &loop.Follow{From: loop.FollowOwn, Take: loop.DefaultTake(), Relation: "extends"}
	w.Rotate = true
	return looptest.NewOpened(w, loop.Limits{Rounds: 2, Concurrency: 4, Tokens: 4_000_000, Quiet: 9})
}

func child(dir string) error {
	ctx := context.Background()
	st, err := opentest.Open(ctx, filepath.Join(dir, ".brenner"))
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	script := looptest.FastScript()
	limit, err := strconv.Atoi(os.Getenv(envKill))
	if err != nil {
		return err
	}
	var made atomic.Int64
	count := func() {
		if made.Add(1) == int64(limit) {
			go kill()
		}
	}
	g := &looptest.Preparer{
		Store: st, Now: looptest.Clock, Script: func(*loop.Job) *rehearsal.Script { return script },
		Around: func(a agent.Agent) agent.Agent { return recordingAgent{a, filepath.Join(dir, callFile), count} },
	}
	r := &runner.Runner{Store: st, Locks: st, Now: looptest.Clock, Sessions: g.Session}
	s, err := runner.Load(ctx, st, "night")
	switch {
	case fault.CodeOf(err) == runner.NoLoop:
		_, err = r.Start(ctx, killPlan(), nil)
	case err == nil && s.Ended == "":
		_, err = r.Resume(ctx, "night", nil)
	}
	return err
}

// kill kills the process after a random delay.
func kill() {
	for range rand.IntN(2000) {
		runtime.Gosched()
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
}

// recordingAgent appends a line to a file before each call.
type recordingAgent struct {
	agent.Agent
	file string
	made func()
}

func (n recordingAgent) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
	f, err := os.OpenFile(n.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(c.ID + "\n")
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return agent.Reply{}, err
	}
	n.made()
	return n.Agent.Ask(ctx, c)
}

// runChild runs a child and reports whether it was killed.
func runChild(t *testing.T, dir string, calls int) bool {
	t.Helper()
	opentest.Died(t, filepath.Join(dir, ".brenner"))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envChild+"="+dir, envKill+"="+strconv.Itoa(calls))
	cmd.Stderr = os.Stderr
	if err = cmd.Run(); err == nil {
		return false
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
		return true
	}
	t.Fatalf("the child failed: %v", err)
	return false
}

// A loop killed five times at random completes each session exactly once, with the
// artifacts of an undisturbed loop and exact costs.
func TestKilledFiveTimes(t *testing.T) {
	st := opentest.New(t)
	whole, err := loopRunner(st, looptest.FastScript()).Start(t.Context(), killPlan(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := artifacts(t, st, whole)
	if len(want) != 20 || whole.Ended != loop.EndRounds {
		t.Fatalf("undisturbed loop: %d sessions, ended by %s", len(want), whole.Ended)
	}

	dir := t.TempDir()
	for range 5 { // of some 140 calls
		if !runChild(t, dir, 3+rand.IntN(20)) {
			t.Fatal("the run ended before it was killed")
		}
	}
	if runChild(t, dir, 0) {
		t.Fatal("the last run was killed, too")
	}
	check(t, dir, want, whole)
}

func check(t *testing.T, dir string, want map[string]string, whole *loop.State) {
	t.Helper()
	st, err := opentest.Open(t.Context(), filepath.Join(dir, ".brenner"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	s, err := runner.Load(t.Context(), st, "night")
	if err != nil {
		t.Fatal(err)
	}
	if got := artifacts(t, st, s); !maps.Equal(got, want) {
		t.Errorf("artifacts differ from those of the undisturbed loop:\n%v\n%v", got, want)
	}
	if s.Count(loop.Finished) != 20 || s.Ended != loop.EndRounds {
		t.Errorf("%d sessions done, loop ended by %q", s.Count(loop.Finished), s.Ended)
	}
	threads, err := session.List(t.Context(), st)
	if err != nil || len(threads) != 20 {
		t.Errorf("%d sessions in the store, error %v", len(threads), err)
	}
	checkSpent(t, st, s, whole, dir)
}

// checkSpent compares the costs with the calls made: a reply is paid for once, and a lost
// call costs its reservation.
func checkSpent(t *testing.T, st looptest.Store, s, whole *loop.State, dir string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, callFile))
	if err != nil {
		t.Fatal(err)
	}
	asked := make(map[string]int)
	for _, id := range strings.Fields(string(data)) {
		asked[id]++
	}
	lost := 0
	for i := range s.Jobs {
		h, err := session.Load(t.Context(), st, s.Jobs[i].Thread)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range h.State.Calls() {
			if n := asked[c.ID]; n > 1+c.Failures {
				t.Errorf("%s: %d calls, %d of them lost", c.ID, n, c.Failures)
			}
			lost += c.Lost.Tokens
		}
	}
	if s.Spent.Tokens != whole.Spent.Tokens+lost {
		t.Errorf("%d tokens spent; the undisturbed loop spent %d, and %d were lost in cut-off calls", s.Spent.Tokens, whole.Spent.Tokens, lost)
	}
}
