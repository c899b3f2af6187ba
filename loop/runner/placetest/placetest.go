// Package placetest is the conformance suite of places that run the sessions of loops.
package placetest

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/session"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
)

// World is what a place is tested with.
type World struct {
	Store looptest.Store
	// asks, if not nil, is called before each call of an agent.
	asks func(*agent.Call)
}

// Runner returns a runner as a process has it. A place calls Advance of one for each session, and sets its Drain.
func (w *World) Runner() *runner.Runner {
	script := looptest.FastScript()
	g := &looptest.Preparer{
		Store: w.Store, Now: looptest.Clock, Script: func(*loop.Job) *rehearsal.Script { return script },
		Around: func(a agent.Agent) agent.Agent {
			return agent.Func(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
				if w.asks != nil {
					w.asks(&c)
				}
				return a.Ask(ctx, c)
			})
		},
	}
	return &runner.Runner{Store: w.Store, Locks: w.Store, Now: looptest.Clock, Sessions: g.Session, Poll: time.Millisecond}
}

// Test tests a kind of place. open sets the store of a world and returns a place for it; nil stands for the process of
// the loop itself. What open starts must end with the test.
func Test(t *testing.T, open func(t *testing.T, w *World) runner.Place) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, *World, runner.Place)
	}{
		{"EachSessionEndsOnce", testEndsOnce},
		{"RunningAgainHasNoEffect", testAgain},
		{"ResumesAfterEveryCall", testResumes},
		{"DrainLetsCallsFinish", testDrain},
		{"WaitsForAnotherHolder", testHeld},
		{"SessionCannotBePrepared", testUnprepared},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := &World{}
			place := open(t, w)
			test.run(t, w, place)
		})
	}
}

const sessions = 3

func opening() loop.Opened {
	return looptest.NewOpened(looptest.Work(sessions, 1), loop.Limits{Then: loop.ThenStop, Concurrency: 2})
}

func (w *World) loop(place runner.Place) *runner.Runner {
	r := w.Runner()
	r.Place = place
	return r
}

// results returns the artifacts' hashes, and checks that each session began and ended once.
func (w *World) results(t *testing.T, s *loop.State) []string {
	t.Helper()
	var all []string
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Status != loop.Finished {
			t.Errorf("%s is %s (%s %s), want %s", j.Thread, j.Status, j.Settled.Code, j.Settled.Detail, loop.Finished)
		}
		all = append(all, j.Settled.Artifact)
	}
	if _, found, err := runner.Verify(t.Context(), w.Store, s.Opened.Name); err != nil || len(found) > 0 {
		t.Errorf("verify: %v, %v; want no fault", err, found)
	}
	return all
}

func testEndsOnce(t *testing.T, w *World, place runner.Place) {
	t.Helper()
	asked := make(chan string, 100)
	w.asks = func(c *agent.Call) { asked <- c.ID }
	s, err := w.loop(place).Start(t.Context(), opening(), nil)
	if err != nil || s.Count(loop.Finished) != sessions {
		t.Fatalf("got %v and %d sessions, want %d", err, s.Count(loop.Finished), sessions)
	}
	w.results(t, s)
	close(asked)
	seen := make(map[string]bool)
	for id := range asked {
		if seen[id] {
			t.Errorf("%s was asked twice", id)
		}
		seen[id] = true
	}
}

func testAgain(t *testing.T, w *World, place runner.Place) {
	t.Helper()
	s, err := w.loop(place).Start(t.Context(), opening(), nil)
	if err != nil {
		t.Fatal(err)
	}
	j := s.Jobs[0]
	before := w.head(t, j.Thread)
	if place != nil {
		if err := place.Run(t.Context(), loop.Run{Job: j, Thread: j.Thread}); err != nil {
			t.Errorf("got %v, want no error", err)
		}
	}
	if err := w.Runner().Advance(t.Context(), s.Opened.Name, j.Thread); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	if after := w.head(t, j.Thread); after != before {
		t.Errorf("the session's head moved from %v to %v", before, after)
	}
}

func (w *World) head(t *testing.T, thread string) journal.Head {
	t.Helper()
	head, err := store.HeadOf(t.Context(), w.Store, session.Prefix+thread)
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// testResumes interrupts a loop after each of its calls. The next run completes it, with the results of an
// undisturbed one.
func testResumes(t *testing.T, w *World, place runner.Place) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var calls atomic.Int64
	w.asks = func(*agent.Call) {
		if calls.Add(1)%2 == 0 {
			cancel()
		}
	}
	s, err := w.loop(place).Start(ctx, opening(), nil)
	for runs := 0; err == nil && s.Ended == "" || errors.Is(err, context.Canceled); runs++ {
		if runs > 20 {
			t.Fatalf("the loop has not ended after %d runs: %v", runs, err)
		}
		again, stop := context.WithCancel(t.Context())
		cancel = stop
		s, err = w.loop(place).Resume(again, opening().Name, nil)
		stop()
	}
	if err != nil {
		t.Fatal(err)
	}
	got := w.results(t, s)
	if want := undisturbed(t); !slices.Equal(got, want) {
		t.Errorf("artifacts %v, want %v", got, want)
	}
}

// testDrain stops a loop during a call: its reply is stored, and no call begins after the sessions have been told.
func testDrain(t *testing.T, w *World, place runner.Place) {
	t.Helper()
	drain := make(chan struct{})
	var once atomic.Bool
	w.asks = func(*agent.Call) {
		if once.CompareAndSwap(false, true) {
			close(drain)
		}
	}
	r := w.loop(place)
	r.Drain = drain
	s, err := r.Start(t.Context(), opening(), nil)
	if err != nil || s.Left == "" || s.Count(loop.Running) > 0 {
		t.Fatalf("got %v, left %q with %d sessions running; want a loop that was left", err, s.Left, s.Count(loop.Running))
	}
	s, err = w.loop(place).Resume(t.Context(), s.Opened.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := w.results(t, s), undisturbed(t); !slices.Equal(got, want) {
		t.Errorf("artifacts %v, want %v", got, want)
	}
}

// testHeld has another process hold a session before the loop begins.
func testHeld(t *testing.T, w *World, place runner.Place) {
	t.Helper()
	lease, err := w.Store.Hold("RS-20261115-night-0002", store.Holder{PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	var calls atomic.Int64
	w.asks = func(*agent.Call) {
		if calls.Add(1) == 2 {
			if err := lease.Release(); err != nil {
				t.Error(err)
			}
		}
	}
	s, err := w.loop(place).Start(t.Context(), opening(), nil)
	if err != nil {
		t.Fatal(err)
	}
	w.results(t, s)
}

// testUnprepared has a loop whose sessions cannot be prepared: they fail with the reason.
func testUnprepared(t *testing.T, w *World, place runner.Place) {
	t.Helper()
	r := w.loop(place)
	r.Sessions = func(context.Context, *loop.Work, *loop.Job) (*runner.Session, error) {
		return nil, &fault.Error{Code: agent.UnknownKind, Detail: "no such kind of agent"}
	}
	s, err := r.Start(t.Context(), opening(), nil)
	if err != nil || s.Jobs[0].Status != loop.Broken || s.Jobs[0].Settled.Code != agent.UnknownKind {
		t.Errorf("got %v and %+v, want a session that failed with %s", err, s.Jobs[0].Settled, agent.UnknownKind)
	}
}

// undisturbed returns the artifacts' hashes of a loop in one process.
func undisturbed(t *testing.T) []string {
	t.Helper()
	w := &World{Store: memory.New()}
	s, err := w.Runner().Start(t.Context(), opening(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.results(t, s)
}
