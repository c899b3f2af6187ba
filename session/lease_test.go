package session_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/memory"
	"brenner/store/opentest"
)

// leasing is a store whose lease is lost after a number of writes. A negative number means never.
type leasing struct {
	opentest.Store
	writes int
	lost   chan struct{}
	then   func() // called when the lease is lost
	end    sync.Once
}

// lease is one that another process may take.
type lease struct {
	store.Lease
	lost <-chan struct{}
}

func (l lease) Lost() <-chan struct{} { return l.lost }

func (l *leasing) Hold(name string, who store.Holder) (store.Lease, error) {
	held, err := l.Store.Hold(name, who)
	return lease{held, l.lost}, err
}

func (l *leasing) Write(ctx context.Context, b store.Batch) error {
	if err := l.Store.Write(ctx, b); err != nil {
		return err
	}
	if l.writes--; l.writes == 0 {
		if l.then != nil {
			l.then()
		}
		close(l.lost)
	}
	return nil
}

// losing returns a store whose lease is lost after n writes.
func losing(st opentest.Store, n int) *leasing {
	return &leasing{Store: st, writes: n, lost: make(chan struct{})}
}

// A run that loses its lease after any write begins nothing more, keeps what was answered, and ends with HELD. The
// next run asks nothing again, and the result is that of an undisturbed session.
func TestLostLeaseStopsRun(t *testing.T) {
	t.Parallel()
	undisturbed, all := opentest.New(t), &actors{script: builtInScript()}
	want, err := runner(undisturbed, all).Start(t.Context(), brief(2))
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; ; n++ {
		st, s := opentest.New(t), &actors{script: builtInScript()}
		res, err := runner(losing(st, n), s).Start(t.Context(), brief(2))
		if err == nil {
			if n < 5 || res.Reason != flow.EndRounds {
				t.Errorf("after %d writes: the session ended with %s", n, res.Reason)
			}
			return
		}
		if fault.CodeOf(err) != store.Held || !errors.Is(err, session.ErrOvertaken) || !strings.Contains(fault.HintOf(err), "`brenner session resume ") {
			t.Fatalf("after %d writes: got %v", n, err)
		}
		h, err := session.Load(t.Context(), st, thread)
		if err != nil || h.State.Ended != "" || h.State.InFlight() != (flow.Cost{}) {
			t.Fatalf("after %d writes: %v, ended %q with calls in flight: %v", n, err, h.State.Ended, h.State.InFlight())
		}
		res, err = runner(st, s).Resume(t.Context(), thread, nil)
		if err != nil || res.State.Version() != want.State.Version() || s.asked.Load() != all.asked.Load() {
			t.Fatalf("after %d writes: %v, version %d after %d calls, want %d after %d", n, err, res.State.Version(), s.asked.Load(), want.State.Version(), all.asked.Load())
		}
	}
}

// If another process has taken the session over, it alone decides: the first run stores nothing more.
func TestLostLeaseLeavesTheSessionToItsNewHolder(t *testing.T) {
	t.Parallel()
	for n := 1; n < 5; n++ {
		st, s := opentest.New(t), &actors{script: builtInScript()}
		first := losing(st, n)
		var after *session.Result
		first.then = func() {
			other := runner(st, &actors{script: builtInScript()})
			other.Locks = memory.New()
			var err error
			if after, err = other.Resume(t.Context(), thread, nil); err != nil {
				t.Error(err)
			}
		}
		_, err := runner(first, s).Start(t.Context(), brief(2))
		if fault.CodeOf(err) != store.Held {
			t.Errorf("after %d writes: got %v", n, err)
		}
		h, err := session.Load(t.Context(), st, thread)
		if err != nil || after == nil || h.State.Head != after.State.Head {
			t.Errorf("after %d writes: the first run wrote to the session of the second: %v", n, err)
		}
	}
}

// A note alone does not take the session over: what was answered is kept.
func TestLostLeaseKeepsAnswersBesideANote(t *testing.T) {
	t.Parallel()
	all := &actors{script: builtInScript()}
	if _, err := runner(opentest.New(t), all).Start(t.Context(), brief(1)); err != nil {
		t.Fatal(err)
	}
	st, s := opentest.New(t), &actors{script: builtInScript()}
	first := losing(st, -1)
	r := runner(first, s)
	inner := r.Agent
	r.Agent = func(p flow.Party) (agent.Agent, error) {
		a, err := inner(p)
		return agentFunc(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
			reply, err := a.Ask(ctx, c)
			if s.asked.Load() == 3 { // all calls of the round are in flight
				first.end.Do(func() {
					if _, err := editor(st).Note(t.Context(), thread, "wait"); err != nil {
						t.Error(err)
					}
					close(first.lost)
				})
			}
			<-first.lost
			return reply, err
		}), err
	}
	if _, err := r.Start(t.Context(), brief(1)); fault.CodeOf(err) != store.Held {
		t.Fatal(err)
	}
	asked := s.asked.Load()
	if _, err := runner(st, s).Resume(t.Context(), thread, nil); err != nil || asked != 3 || s.asked.Load() != all.asked.Load() {
		t.Errorf("%v: %d calls, then %d, want 3, then %d", err, asked, s.asked.Load(), all.asked.Load())
	}
}

// waiting are agents whose calls wait until release is closed.
type waiting struct {
	actors
	calls, release chan struct{}
}

func (w *waiting) runner(st opentest.Store) *session.Runner {
	r := runner(st, &w.actors)
	inner := r.Agent
	r.Agent = func(p flow.Party) (agent.Agent, error) {
		a, err := inner(p)
		return agentFunc(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
			w.calls <- struct{}{}
			<-w.release
			return a.Ask(ctx, c)
		}), err
	}
	return r
}

// A process that wakes up after another one has taken its session over stores nothing, although it has replies to
// calls that the other one repeats: that one completes the session.
func TestWokenRunLeavesCallsToItsSuccessor(t *testing.T) {
	t.Parallel()
	st, ended := opentest.New(t), make(chan error)
	run := func(play func(*session.Runner) error) *waiting {
		w := &waiting{actors{script: builtInScript()}, make(chan struct{}), make(chan struct{})}
		r := w.runner(st)
		r.Locks = memory.New() // the process does not know yet that its lease is lost
		go func() { ended <- play(r) }()
		for range 3 {
			<-w.calls
		}
		return w
	}
	first := run(func(r *session.Runner) error { _, err := r.Start(t.Context(), brief(1)); return err })
	second := run(func(r *session.Runner) error { _, err := r.Resume(t.Context(), thread, nil); return err })
	close(first.release)
	if err := <-ended; fault.CodeOf(err) != store.Held {
		t.Errorf("the woken run: got %v, want %s", err, store.Held)
	}
	go func() {
		for range second.calls {
		}
	}()
	close(second.release)
	if err := <-ended; err != nil {
		t.Errorf("its successor: %v", err)
	}
	h, err := session.Load(t.Context(), st, thread)
	if err != nil || h.State.Ended != flow.EndRounds {
		t.Errorf("%v, ended %q, want %q", err, h.State.Ended, flow.EndRounds)
	}
}
