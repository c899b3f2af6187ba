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
	"brenner/store/opentest"
)

// A child process runs a session on a real store. It kills itself at one of its writes, or the
// parent kills it at any time.
const (
	envChild = "SESSION_TEST_DIR" // the directory; set in children only
	envDo    = "SESSION_TEST_DO"  // start or resume
	envDie   = "SESSION_TEST_DIE" // "before 3" or "after 3": at the third write
	callFile = "calls"            // one line per call
)

func TestMain(m *testing.M) {
	dir := os.Getenv(envChild)
	if dir == "" {
		os.Exit(opentest.Main(m)) //nolint:forbidigo // a main of the tests
	}
	if err := child(dir, os.Getenv(envDo), os.Getenv(envDie)); err != nil {
		panic(err)
	}
}

func child(dir, do, die string) error {
	ctx := context.Background()
	db, err := opentest.Open(ctx, filepath.Join(dir, ".brenner"))
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
		return nil // it was killed after its last write
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

// die ends the process like kill -9.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// loggingAgent is an agent that appends each call to a file before making it.
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

// startChild starts a child.
func startChild(t *testing.T, dir, do, dieAt string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envChild+"="+dir, envDo+"="+do, envDie+"="+dieAt,
		// The race detector makes a process sleep for a second at its end, which most random
		// kills would hit.
		"GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// waitKilled waits for a child and reports whether it was killed; any other failure fails the
// test.
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

// uninterrupted returns the artifact of a run that was not killed.
func uninterrupted(t *testing.T) string {
	t.Helper()
	st := opentest.New(t)
	if _, err := runner(st, &actors{script: builtInScript()}).Start(t.Context(), brief(3)); err != nil {
		t.Fatal(err)
	}
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	return finalArtifact(t, h)
}

// answeredCalls returns the answered calls of a store, and the next command: start if the session
// was killed before anything was stored, otherwise resume.
func answeredCalls(t *testing.T, dir string) (out map[string]bool, do string) {
	t.Helper()
	out, do = make(map[string]bool), "start"
	inStore(t, dir, func(st opentest.Store) {
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

func inStore(t *testing.T, dir string, do func(opentest.Store)) {
	t.Helper()
	st, err := opentest.Open(t.Context(), filepath.Join(dir, ".brenner"))
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

// runAgain runs a child on the store of a killed one, and checks that answered calls are not made
// again.
func runAgain(t *testing.T, dir, dieAt string, kill func(*exec.Cmd)) (finished bool) {
	t.Helper()
	opentest.Died(t, filepath.Join(dir, ".brenner"))
	before := len(loggedCalls(t, dir))
	have, do := answeredCalls(t, dir)
	cmd := startChild(t, dir, do, dieAt)
	if kill != nil {
		kill(cmd)
	}
	wasKilled := waitKilled(t, cmd)
	for _, id := range loggedCalls(t, dir)[before:] {
		if have[id] {
			t.Errorf("%s was asked again after it was answered", id)
		}
	}
	return !wasKilled
}

func checkArtifact(t *testing.T, dir, want, what string) {
	t.Helper()
	inStore(t, dir, func(st opentest.Store) {
		h, err := session.Load(t.Context(), st, thread)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if finalArtifact(t, h) != want {
			t.Errorf("%s: the artifact differs from that of an uninterrupted run", what)
		}
		p, err := session.Verify(t.Context(), st, thread, "")
		if err != nil || p.Err() != nil {
			t.Errorf("%s: %v, %v", what, err, p.Err())
		}
	})
}

// Killed before and after every write, a session resumes to the artifact of an uninterrupted run.
func TestKilledAtEveryWrite(t *testing.T) {
	want := uninterrupted(t)
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n++ {
				dir := t.TempDir()
				if !waitKilled(t, startChild(t, dir, "start", fmt.Sprintf("%s %d", when, n))) {
					// Questions and answers of each round, a repair, and the end; more if answers
					// arrive separately.
					if n <= 8 {
						t.Errorf("a session of three rounds has only %d writes", n-1)
					}
					break
				}
				if !runAgain(t, dir, "", nil) {
					t.Fatal("the second child was killed")
				}
				checkArtifact(t, dir, want, fmt.Sprintf("%s write %d", when, n))
			}
		})
	}
}

// Killed a hundred times at random times, and resumed each time.
func TestKilledAtRandomTimes(t *testing.T) {
	want := uninterrupted(t)
	began := time.Now()
	if !runAgain(t, t.TempDir(), "", nil) {
		t.Fatal("the child was killed")
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
