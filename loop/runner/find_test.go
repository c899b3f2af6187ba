package runner_test

import (
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/store"
	"brenner/store/opentest"
)

// writeLoop stores a loop without running it; an ended one has a reason.
func writeLoop(t *testing.T, st store.Store, o loop.Opened, ended string) {
	t.Helper()
	r := &runner.Runner{Store: st, Now: looptest.Clock, Sessions: failingSession, Drain: closedChan()}
	if _, err := r.Start(t.Context(), o, nil); err != nil {
		t.Fatal(err)
	}
	if ended == "" {
		return
	}
	if err := runner.AppendEvent(t.Context(), st, looptest.Clock, o.Name, loop.KindEnded, loop.Ended{Reason: ended}); err != nil {
		t.Fatal(err)
	}
}

func closedChan() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func TestFind(t *testing.T) {
	st := opentest.New(t)
	plan, other := looptest.NewOpened(looptest.Work(1, 1), loop.Limits{}), looptest.NewOpened(looptest.Work(2, 1), loop.Limits{})
	plan.Plan, other.Plan = "plan", "other"
	for _, l := range []struct {
		name, key, ended string
		of               loop.Opened
	}{
		{"done", "", loop.EndRounds, plan},
		{"left", "", "", plan},
		{"hidden", "", "", plan},
		{"hidden-2", "", loop.EndRounds, other},
		{"mine", "", loop.EndRounds, plan},
		{"mine-2", "", "", other},
		{"once-k", "k", loop.EndRounds, plan},
		{"changed", "", "", other},
		{"a-name-of-just-thirty-four-letters", "", loop.EndRounds, plan},
	} {
		l.of.Name, l.of.Key = l.name, l.key
		writeLoop(t, st, l.of, l.ended)
	}
	for _, c := range []struct {
		name, key  string
		goOn, owed bool
		want       string
		found      bool
		code       fault.Code
	}{
		{name: "new", want: "new"},
		{name: "new", goOn: true, code: runner.NoLoop},
		{name: "done", want: "done-2"},
		{name: "done", goOn: true, want: "done", found: true},
		{name: "done", owed: true, want: "done", found: true},
		{name: "left", want: "left", found: true},
		{name: "hidden", want: "hidden", found: true},
		{name: "mine", want: "mine-3"},
		{name: "once-k", key: "k", want: "once-k", found: true},
		{name: "once-k", key: "other", code: fault.Usage},
		{name: "once-j", key: "j", want: "once-j"},
		{name: "changed", code: loop.PlanChanged},
		{name: "a-name-of-just-thirty-four-letters", code: fault.Usage},
	} {
		s := &runner.Search{
			Name: c.name, Key: c.key, Continue: c.goOn, Plan: &plan, File: "plan.yaml", Sessions: 1, Owed: func(*loop.State) bool { return c.owed },
		}
		name, state, err := s.Find(t.Context(), st)
		if name != c.want || (state != nil) != c.found || fault.CodeOf(err) != c.code {
			t.Errorf("%+v: %q, found %v, error %v", c, name, state != nil, err)
		}
	}
}

// racingLocks calls meanwhile right before a lock is taken.
type racingLocks struct {
	store.Locks
	meanwhile func()
}

func (l *racingLocks) Hold(name string, by store.Holder) (store.Lease, error) {
	if l.meanwhile != nil {
		l.meanwhile()
		l.meanwhile = nil
	}
	return l.Locks.Hold(name, by)
}

// A loop that ended before it was locked is not resumed: a new one starts.
func TestFindAndHoldChecksAgain(t *testing.T) {
	st := opentest.New(t)
	plan := looptest.NewOpened(looptest.Work(1, 1), loop.Limits{})
	writeLoop(t, st, plan, "")
	locks := &racingLocks{st, func() {
		if err := runner.AppendEvent(t.Context(), st, looptest.Clock, "night", loop.KindEnded, loop.Ended{Reason: loop.EndRounds}); err != nil {
			t.Error(err)
		}
	}}
	r := &runner.Runner{Store: st, Locks: locks, Now: time.Now}
	s := &runner.Search{Name: "night", Plan: &plan, Sessions: 1, Owed: func(*loop.State) bool { return false }}
	name, state, release, err := r.FindAndHold(t.Context(), s)
	if err != nil || name != "night-2" || state != nil {
		t.Fatalf("%q, %v, %v", name, state, err)
	}
	for lock, want := range map[string]bool{"night": false, "night-2": true} {
		if _, held, err := st.HolderOf(runner.Lock(lock)); held != want || err != nil {
			t.Errorf("%s: held %v, want %v; %v", lock, held, want, err)
		}
	}
	release()
	if _, held, err := st.HolderOf(runner.Lock("night-2")); held || err != nil {
		t.Errorf("still held: %v", err)
	}
}
