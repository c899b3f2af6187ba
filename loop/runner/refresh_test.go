package runner_test

import (
	"strings"
	"testing"

	"brenner/agent/rehearsal"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/session/flow"
	"brenner/store/opentest"
)

// A run killed right after it began a session leaves a reservation. Ending the loop
// without resuming that session must release it.
func TestReservationsOfKilledSessionsAreReleased(t *testing.T) {
	st := opentest.New(t)
	w := looptest.Work(2, 1)
	w.Settings.Budget = 200_000
	r := loopRunner(st, looptest.FastScript())
	gone := make(chan struct{})
	close(gone)
	r.Drain = gone
	if _, err := r.Start(t.Context(), looptest.NewOpened(w, loop.Limits{}), nil); err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct {
		kind string
		body any
	}{
		{loop.KindResumed, loop.Resumed{}},
		{loop.KindRound, loop.RoundOpened{Round: 1}},
		{loop.KindBegan, loop.Began{Job: 1, Thread: threadID(1), Reserved: 200_000}},
		{loop.KindStopping, loop.Stopping{By: "operator"}},
	} {
		if err := runner.AppendEvent(t.Context(), st, looptest.Clock, "night", e.kind, e.body); err != nil {
			t.Fatal(err)
		}
	}
	s, err := runner.Load(t.Context(), st, "night")
	if err != nil || s.Count(loop.Running) != 1 || s.Reserved.Tokens != 200_000 {
		t.Fatalf("error %v, %d running, %v reserved", err, s.Count(loop.Running), s.Reserved)
	}
	if err := runner.Refresh(t.Context(), st, s); err != nil || s.Jobs[0].Settled.Version != 0 {
		t.Errorf("error %v, version %d of a session that has written nothing", err, s.Jobs[0].Settled.Version)
	}
	r.Drain = nil
	if s, err = r.Resume(t.Context(), "night", nil); err != nil {
		t.Fatal(err)
	}
	if s.Ended != loop.EndStopped || s.Reserved != (flow.Cost{}) || s.Spent != (flow.Cost{}) || s.Jobs[0].Status != loop.Waiting {
		t.Errorf("ended by %q, %v reserved, %v spent: %+v", s.Ended, s.Reserved, s.Spent, s.Jobs[0])
	}
}

// Open decisions stay open.
func TestRefreshKeepsOpenDecisions(t *testing.T) {
	st := opentest.New(t)
	s, err := loopRunner(st, looptest.FastScript()).Start(t.Context(), looptest.NewOpened(looptest.Work(2, 2), loop.Limits{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	before := make([]loop.Settled, len(s.Jobs))
	for i := range s.Jobs {
		before[i] = s.Jobs[i].Settled
	}
	if err := runner.Refresh(t.Context(), st, s); err != nil {
		t.Fatal(err)
	}
	for i := range s.Jobs {
		was, is := before[i], s.Jobs[i].Settled
		if was.Needs() == 0 || is.Needs() != was.Needs() || is.Version != was.Version {
			t.Errorf("%s: %+v became %+v", s.Jobs[i].Thread, was, is)
		}
	}
}

// Refresh shows a failed session that the operator resumed as finished; the journal keeps
// the loop's own outcome and cost.
func TestRefreshSeesManuallyResumedSessions(t *testing.T) {
	st := opentest.New(t)
	var script *rehearsal.Script
	g, _, s := outage(t, st, &script)
	rep, err := runner.Gather(t.Context(), st, s)
	if err != nil || rep.Failed[1].Command != "brenner session resume "+threadID(2) || !strings.Contains(string(rep.Markdown()), ": `"+rep.Failed[1].Command+"`") {
		t.Errorf("%v, %+v", err, rep.Failed)
	}
	script = looptest.FastScript()
	one, err := g.Session(t.Context(), &s.Work, &s.Jobs[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.Runner.Resume(t.Context(), threadID(1), nil); err != nil {
		t.Fatal(err)
	}
	now, err := runner.Load(t.Context(), st, "night")
	if err == nil {
		err = runner.Refresh(t.Context(), st, now)
	}
	if err != nil || now.Jobs[0].Status != loop.Finished || now.Count(loop.Finished) != 1 || now.Count(loop.Broken) != 1 || now.Jobs[0].Settled.Version < 2 {
		t.Errorf("%v, %+v", err, now.Jobs)
	}
	if now.Spent != s.Spent || now.Jobs[0].Settled.Spent != s.Jobs[0].Settled.Spent || now.Jobs[0].Settled.Code != "" {
		t.Errorf("spent %v before, %v after", s.Spent, now.Spent)
	}
	rep, err = runner.Gather(t.Context(), st, now)
	if by := now.Jobs[0].ByHand; err != nil || by == 0 || rep.ByHand != by || rep.Sessions[0].Tokens != now.Jobs[0].Settled.Spent+by || rep.Tokens != s.Spent.Tokens {
		t.Errorf("%v: %d tokens by hand, %d in the report, whose row has %d", err, by, rep.ByHand, rep.Sessions[0].Tokens)
	}
	was, err := runner.Load(t.Context(), st, "night")
	if err != nil || was.Jobs[0].Status != loop.Broken {
		t.Errorf("%v, %+v", err, was.Jobs[0])
	}
}

// Refresh shows the progress of running sessions.
func TestRefreshSeesRunningSessions(t *testing.T) {
	st := opentest.New(t)
	s, err := loopRunner(st, looptest.FastScript()).Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), loop.Limits{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	version, spent := s.Jobs[0].Settled.Version, s.Jobs[0].Settled.Spent
	s.Jobs[0].Status, s.Jobs[0].Settled = loop.Running, loop.Settled{}
	if err := runner.Refresh(t.Context(), st, s); err != nil || s.Jobs[0].Settled.Version != version || s.Jobs[0].Settled.Spent != spent || version == 0 {
		t.Errorf("%v: %+v", err, s.Jobs[0].Settled)
	}
}
