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
	"brenner/session"
	"brenner/store/memory"
	"brenner/store/sqlite"
)

// A child of the test is a process that runs a loop on a real store, and is killed
// some time after so many calls: at any instruction, of whichever session.
const (
	envChild = "LOOP_TEST_DIR"   // the folder; set in children only
	envKill  = "LOOP_TEST_CALLS" // the calls after which it is killed; 0 is never
	callFile = "calls"           // a line for each call that was made
)

func TestMain(m *testing.M) {
	dir := os.Getenv(envChild)
	if dir == "" {
		m.Run()
		return
	}
	if err := child(dir); err != nil {
		panic(err)
	}
}

// The loop that is killed: twenty sessions in two rounds, of which the second ten
// follow the first, with budgets for each and for all.
func killed() loop.Opened {
	w := work(10, 2)
	w.Settings.Budget = 200_000
	w.Follow = &loop.Follow{From: loop.FollowOwn, Take: loop.DefaultTake(), Relation: "extends"}
	w.Rotate = true
	return opened(w, loop.Limits{Rounds: 2, Concurrency: 4, Tokens: 4_000_000, Quiet: 9})
}

func child(dir string) error {
	ctx := context.Background()
	st, err := sqlite.Open(ctx, filepath.Join(dir, ".brenner"), sqlite.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	script := swift()
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
	g := &stage{
		store: st, now: clock, script: func(*loop.Job) *rehearsal.Script { return script },
		around: func(a agent.Agent) agent.Agent { return noted{a, filepath.Join(dir, callFile), count} },
	}
	r := &runner.Runner{Store: st, Locks: st, Now: clock, Sessions: g.session}
	s, err := runner.Load(ctx, st, "night")
	switch {
	case fault.CodeOf(err) == runner.NoLoop:
		_, err = r.Start(ctx, killed(), nil)
	case err == nil && s.Ended == "":
		_, err = r.Resume(ctx, "night", nil)
	}
	return err
}

// kill ends the process, a moment later, as nothing else could.
func kill() {
	for range rand.IntN(2000) {
		runtime.Gosched()
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
}

// noted is an agent whose calls leave a line in a file before they are made.
type noted struct {
	agent.Agent
	file string
	made func()
}

func (n noted) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
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

// play runs a child, and tells whether it was killed.
func play(t *testing.T, dir string, calls int) bool {
	t.Helper()
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

// Killed five times at random, a loop of twenty sessions completes every one of
// them exactly once, with the artifacts of the loop that nobody killed, and with
// exact budgets.
func TestKilledFiveTimes(t *testing.T) {
	st := memory.New()
	whole, err := loopRunner(st, swift()).Start(t.Context(), killed(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := artifacts(t, st, whole)
	if len(want) != 20 || whole.Ended != loop.EndRounds {
		t.Fatalf("the undisturbed loop has %d sessions and ended by %s", len(want), whole.Ended)
	}

	dir := t.TempDir()
	for range 5 { // of some 140 calls
		if !play(t, dir, 3+rand.IntN(20)) {
			t.Fatal("it came to its end before it was killed")
		}
	}
	if play(t, dir, 0) {
		t.Fatal("it was killed by nobody")
	}
	check(t, dir, want, whole)
}

func check(t *testing.T, dir string, want map[string]string, whole *loop.State) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, ".brenner"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	s, err := runner.Load(t.Context(), st, "night")
	if err != nil {
		t.Fatal(err)
	}
	if got := artifacts(t, st, s); !maps.Equal(got, want) {
		t.Errorf("other artifacts than those of the undisturbed loop:\n%v\n%v", got, want)
	}
	if s.Count(loop.Finished) != 20 || s.Ended != loop.EndRounds {
		t.Errorf("%d sessions are done, and the loop ended by %q", s.Count(loop.Finished), s.Ended)
	}
	threads, err := session.List(t.Context(), st)
	if err != nil || len(threads) != 20 {
		t.Errorf("the store has %d sessions: %v", len(threads), err)
	}
	exact(t, st, s, whole, dir)
}

// exact holds what was spent against what was asked: an answer is paid for once,
// and a call that was asked twice costs, the first time, what was set aside for it.
func exact(t *testing.T, st both, s, whole *loop.State, dir string) {
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
				t.Errorf("%s was asked %d times, and got lost %d times", c.ID, n, c.Failures)
			}
			lost += c.Lost.Tokens
		}
	}
	if s.Spent.Tokens != whole.Spent.Tokens+lost {
		t.Errorf("%d tokens were spent; the undisturbed loop spent %d, and %d were lost in calls that were cut off", s.Spent.Tokens, whole.Spent.Tokens, lost)
	}
}
