package runner_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/loop/runner/placetest"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/opentest"
)

func TestHere(t *testing.T) {
	t.Parallel()
	placetest.Test(t, func(t *testing.T, w *placetest.World) runner.Place {
		t.Helper()
		w.Store = opentest.New(t)
		return nil
	})
}

// beside is a place whose workers are goroutines of this process. They know no more than a process elsewhere.
type beside struct{ world *placetest.World }

func (b beside) Run(ctx context.Context, c loop.Run) error {
	for {
		r := b.world.Runner()
		r.Drain = ctx.Done()
		err := r.Advance(context.WithoutCancel(ctx), "night", c.Thread)
		if fault.CodeOf(err) != store.Held {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Millisecond):
		}
	}
}

func TestPlacedSessions(t *testing.T) {
	t.Parallel()
	placetest.Test(t, func(t *testing.T, w *placetest.World) runner.Place {
		t.Helper()
		w.Store = opentest.New(t)
		return beside{w}
	})
}

// placeFunc is a place in one function.
type placeFunc func(ctx context.Context, c loop.Run) error

func (f placeFunc) Run(ctx context.Context, c loop.Run) error { return f(ctx, c) }

// silent returns a runner whose agents do not answer, and count their calls.
func silent(st looptest.Store, calls *atomic.Int64) *runner.Runner {
	g := &looptest.Preparer{
		Store: st, Now: looptest.Clock, Script: func(*loop.Job) *rehearsal.Script { return looptest.FastScript() },
		Around: func(agent.Agent) agent.Agent {
			return agent.Func(func(context.Context, agent.Call) (agent.Reply, error) {
				calls.Add(1)
				return agent.Reply{}, &agent.Failure{Code: agent.Unavailable, Detail: "the endpoint does not answer"}
			})
		},
	}
	return &runner.Runner{Store: st, Locks: st, Now: looptest.Clock, Sessions: g.Session}
}

// A session that is delivered again after it has ended without a quorum asks no agent again.
func TestAdvanceAfterTheEnd(t *testing.T) {
	t.Parallel()
	st := memory.New()
	var calls atomic.Int64
	r := loopRunner(st, looptest.FastScript())
	r.Place = placeFunc(func(ctx context.Context, c loop.Run) error {
		for n := range 3 {
			if err := silent(st, &calls).Advance(ctx, "night", c.Thread); err != nil || calls.Load() != 3 {
				t.Errorf("delivery %d: %v, %d calls in all, want 3", n+1, err, calls.Load())
			}
		}
		return nil
	})
	if _, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), loop.Limits{}), nil); err != nil {
		t.Error(err)
	}
}

// A delivery that stalls before it holds the session, until the loop has settled it, asks no agent.
func TestAdvanceAfterTheLoopHasMovedOn(t *testing.T) {
	t.Parallel()
	st, stalled, wake, late := memory.New(), make(chan struct{}), make(chan struct{}), make(chan error)
	var calls atomic.Int64
	r := loopRunner(st, looptest.FastScript())
	r.Place = placeFunc(func(ctx context.Context, c loop.Run) error {
		slow := silent(st, &calls)
		prepare := slow.Sessions
		slow.Sessions = func(ctx context.Context, w *loop.Work, j *loop.Job) (*runner.Session, error) {
			close(stalled)
			<-wake
			return prepare(ctx, w, j)
		}
		go func() { late <- slow.Advance(context.WithoutCancel(ctx), "night", c.Thread) }()
		<-stalled
		return silent(st, &calls).Advance(ctx, "night", c.Thread)
	})
	if _, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), loop.Limits{}), nil); err != nil {
		t.Fatal(err)
	}
	close(wake)
	if err := <-late; err != nil || calls.Load() != 3 {
		t.Errorf("the late delivery: %v, %d calls in all, want 3", err, calls.Load())
	}
}

// dying is a store that stores nothing once the process was killed.
type dying struct {
	looptest.Store
	dead atomic.Bool
}

func (d *dying) Write(ctx context.Context, b store.Batch) error {
	if d.dead.Load() {
		return &fault.Error{Code: store.Closed, Detail: "killed"}
	}
	return d.Store.Write(ctx, b)
}

// A loop that was killed follows its placed sessions when it is resumed, even if it is asked to stop.
func TestResumedLoopFollowsPlacedSessions(t *testing.T) {
	t.Parallel()
	st := memory.New()
	first, begun := &dying{Store: st}, make(chan string, 4)
	place := placeFunc(func(ctx context.Context, c loop.Run) error {
		begun <- c.Thread
		<-ctx.Done()
		return context.Cause(ctx)
	})
	ctx, kill := context.WithCancel(t.Context())
	r := loopRunner(first, looptest.FastScript())
	r.Place = place
	ended := make(chan error)
	go func() {
		_, err := r.Start(ctx, looptest.NewOpened(looptest.Work(2, 1), loop.Limits{Concurrency: 2}), nil)
		ended <- err
	}()
	<-begun
	<-begun
	first.dead.Store(true)
	kill()
	<-ended
	stop := func(*loop.State) (any, error) { return loop.Stopping{By: "operator"}, nil }
	if _, err := runner.Steer(t.Context(), st, looptest.Clock, "night", loop.KindStopping, stop); err != nil {
		t.Fatal(err)
	}
	r = loopRunner(st, looptest.FastScript())
	r.Place = place
	if _, err := r.Resume(t.Context(), "night", nil); err != nil || len(begun) != 2 {
		t.Errorf("%v, %d sessions followed, want 2", err, len(begun))
	}
}

// A run that does not know yet that its lease is lost stores nothing once another process has resumed the loop.
func TestOvertakenLoopStoresNothing(t *testing.T) {
	t.Parallel()
	st, release := memory.New(), make(chan struct{})
	calls := make(chan struct{}, 100)
	g := &looptest.Preparer{
		Store: st, Now: looptest.Clock, Script: func(*loop.Job) *rehearsal.Script { return looptest.FastScript() },
		Around: func(a agent.Agent) agent.Agent {
			return agent.Func(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
				calls <- struct{}{}
				<-release
				return a.Ask(ctx, c)
			})
		},
	}
	r := &runner.Runner{Store: st, Locks: st, Now: looptest.Clock, Sessions: g.Session, Poll: time.Millisecond}
	ended := make(chan error)
	go func() {
		_, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(3, 1), loop.Limits{Concurrency: 1}), nil)
		ended <- err
	}()
	for range 3 {
		<-calls
	}
	resumed, err := runner.Steer(t.Context(), st, looptest.Clock, "night", loop.KindResumed, func(*loop.State) (any, error) { return loop.Resumed{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	close(release)
	if err := <-ended; fault.CodeOf(err) != store.Held {
		t.Errorf("got %v, want %s", err, store.Held)
	}
	if head, err := store.HeadOf(t.Context(), st, loop.Prefix+"night"); err != nil || head != resumed.Head {
		t.Errorf("%v, the loop's journal ends at %v, want %v", err, head, resumed.Head)
	}
}
