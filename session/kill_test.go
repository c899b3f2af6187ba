//go:build unix

package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/sqlite"
)

// A child of the test is a process that runs a session on a real store and is
// killed: by itself, at one of its writes, or by the parent, at any time.
const (
	envChild = "SESSION_TEST_DIR" // the folder; set in children only
	envDo    = "SESSION_TEST_DO"  // start or resume
	envDie   = "SESSION_TEST_DIE" // "before 3" or "after 3": at the third write
	callFile = "calls"            // a line for each call that was made
)

func TestMain(m *testing.M) {
	dir := os.Getenv(envChild)
	if dir == "" {
		m.Run()
		return
	}
	if err := child(dir, os.Getenv(envDo), os.Getenv(envDie)); err != nil {
		panic(err)
	}
}

func child(dir, do, die string) error {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, filepath.Join(dir, ".brenner"), sqlite.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	when, number, _ := strings.Cut(die, " ")
	at, _ := strconv.Atoi(number)
	st := &dyingStore{Store: db, when: when, at: int64(at)}
	s := &actors{script: builtInScript()}
	r := &session.Runner{
		Store: st, Locks: db, Now: clock, Tokens: bytesCounter{},
		Agent: func(p flow.Party) (agent.Agent, error) {
			a, err := s.agent(p)
			return loggingAgent{a, filepath.Join(dir, callFile)}, err
		},
	}
	if do == "start" {
		_, err = r.Start(ctx, brief(3))
	} else {
		_, err = r.Resume(ctx, thread, nil)
	}
	if fault.CodeOf(err) == session.NotOpen {
		return nil // it was killed behind its last write
	}
	return err
}

// dyingStore is a store whose process dies at one of its writes.
type dyingStore struct {
	store.Store
	when   string
	at     int64
	writes atomic.Int64
}

func (m *dyingStore) Write(ctx context.Context, b store.Batch) error {
	n := m.writes.Add(1)
	if n == m.at && m.when == "before" {
		die()
	}
	err := m.Store.Write(ctx, b)
	if n == m.at && m.when == "after" {
		die()
	}
	return err
}

// die ends the process as kill -9 does, in the middle of everything.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// loggingAgent is an agent whose calls leave a line in a file before they are made.
type loggingAgent struct {
	agent.Agent
	file string
}

func (n loggingAgent) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) {
	f, err := os.OpenFile(n.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return agent.Reply{}, err
	}
	if _, err := f.WriteString(c.ID + "\n"); err != nil {
		return agent.Reply{}, err
	}
	if err := f.Close(); err != nil {
		return agent.Reply{}, err
	}
	return n.Agent.Ask(ctx, c)
}

// startChild starts a child; wait tells whether it was killed.
func startChild(t *testing.T, dir, do, dieAt string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envChild+"="+dir, envDo+"="+do, envDie+"="+dieAt,
		// The race detector lets a process sleep for a second at its end: most kills at
		// a random time would meet that sleep, and not the session.
		"GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// waitKilled waits for a child and tells whether it was killed; any other end that is
// no success fails the test.
func waitKilled(t *testing.T, cmd *exec.Cmd) bool {
	t.Helper()
	err := cmd.Wait()
	if err == nil {
		return false
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
		return true
	}
	t.Fatalf("the child failed: %v", err)
	return false
}

// uninterrupted is the artifact of a run that nobody killed.
func uninterrupted(t *testing.T) string {
	t.Helper()
	st := memory.New()
	if _, err := runner(st, &actors{script: builtInScript()}).Start(t.Context(), brief(3)); err != nil {
		t.Fatal(err)
	}
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	return finalArtifact(t, h)
}

// answeredCalls gives the calls that a store holds an answer to, and what is to be done
// with it: a session that was killed before anything was stored is yet to be started.
func answeredCalls(t *testing.T, dir string) (out map[string]bool, do string) {
	t.Helper()
	out, do = make(map[string]bool), "start"
	inStore(t, dir, func(st *sqlite.Store) {
		h, err := session.Load(t.Context(), st, thread)
		if err != nil {
			return
		}
		do = "resume"
		for _, c := range h.State.Calls() {
			if c.Status == flow.Replied {
				out[c.ID] = true
			}
		}
	})
	return out, do
}

func inStore(t *testing.T, dir string, do func(*sqlite.Store)) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, ".brenner"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	do(st)
}

func loggedCalls(t *testing.T, dir string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, callFile))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(string(data))
}

// runAgain runs a child on what another one left, and checks that it asks nobody for
// what the store holds the answer to.
func runAgain(t *testing.T, dir, dieAt string, kill func(*exec.Cmd)) (finished bool) {
	t.Helper()
	before := len(loggedCalls(t, dir))
	have, do := answeredCalls(t, dir)
	cmd := startChild(t, dir, do, dieAt)
	if kill != nil {
		kill(cmd)
	}
	wasKilled := waitKilled(t, cmd)
	for _, id := range loggedCalls(t, dir)[before:] {
		if have[id] {
			t.Errorf("%s was asked again, and had been answered", id)
		}
	}
	return !wasKilled
}

func checkArtifact(t *testing.T, dir, want, what string) {
	t.Helper()
	inStore(t, dir, func(st *sqlite.Store) {
		h, err := session.Load(t.Context(), st, thread)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if finalArtifact(t, h) != want {
			t.Errorf("%s: another artifact than that of the undisturbed run", what)
		}
		p, err := session.Verify(t.Context(), st, thread, "")
		if err != nil || p.Err() != nil {
			t.Errorf("%s: %v, %v", what, err, p.Err())
		}
	})
}

// Killed right before and right after every single write, a session resumes to
// the artifact of the undisturbed run.
func TestKilledAtEveryWrite(t *testing.T) {
	want := uninterrupted(t)
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n++ {
				dir := t.TempDir()
				if !waitKilled(t, startChild(t, dir, "start", fmt.Sprintf("%s %d", when, n))) {
					// What is asked and what was answered, each round, a repair, and the end; more
					// where answers do not come together.
					if n <= 8 {
						t.Errorf("a session of three rounds has only %d writes", n-1)
					}
					break
				}
				if !runAgain(t, dir, "", nil) {
					t.Fatal("the second child was killed by nobody")
				}
				checkArtifact(t, dir, want, fmt.Sprintf("%s write %d", when, n))
			}
		})
	}
}

// Killed a hundred times, at any time, and resumed each time.
func TestKilledAtRandomTimes(t *testing.T) {
	want := uninterrupted(t)
	began := time.Now()
	if !runAgain(t, t.TempDir(), "", nil) {
		t.Fatal("it was killed by nobody")
	}
	whole := time.Since(began)
	for _, half := range []string{"one half", "the other half"} {
		t.Run(half, func(t *testing.T) {
			t.Parallel()
			for kills := 0; kills < 50; {
				dir := t.TempDir()
				for finished := false; !finished; {
					finished = runAgain(t, dir, "", func(cmd *exec.Cmd) {
						time.AfterFunc(time.Duration(rand.Int64N(int64(whole))), func() { _ = cmd.Process.Kill() })
					})
					if !finished {
						kills++
					}
				}
				checkArtifact(t, dir, want, fmt.Sprintf("after %d kills", kills))
			}
		})
	}
}
