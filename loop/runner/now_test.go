package runner_test

import (
	"strings"
	"testing"

	"brenner/agent/rehearsal"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/session/flow"
	"brenner/store/memory"
)

// A run that was killed right after it had begun a session leaves what it had set aside.
// Whoever ends the loop without going on with that session must not carry it along.
func TestNothingStaysSetAsideForKilledSessions(t *testing.T) {
	st := memory.New()
	w := work(2, 1)
	w.Settings.Budget = 200_000
	r := loopRunner(st, swift())
	gone := make(chan struct{})
	close(gone)
	r.Drain = gone
	if _, err := r.Start(t.Context(), opened(w, loop.Limits{}), nil); err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct {
		kind string
		body any
	}{
		{loop.KindResumed, loop.Resumed{}},
		{loop.KindRound, loop.RoundOpened{Round: 1}},
		{loop.KindBegan, loop.Began{Job: 1, Thread: number(1), Reserved: 200_000}},
		{loop.KindStopping, loop.Stopping{By: "operator"}},
	} {
		if err := runner.AppendEvent(t.Context(), st, clock, "night", e.kind, e.body); err != nil {
			t.Fatal(err)
		}
	}
	s, err := runner.Load(t.Context(), st, "night")
	if err != nil || s.Count(loop.Running) != 1 || s.Reserved.Tokens != 200_000 {
		t.Fatalf("%v: %d under way, %v set aside", err, s.Count(loop.Running), s.Reserved)
	}
	if err := runner.Refresh(t.Context(), st, s); err != nil || s.Jobs[0].Settled.Version != 0 {
		t.Errorf("%v: a session that has written nothing is at version %d", err, s.Jobs[0].Settled.Version)
	}
	r.Drain = nil
	if s, err = r.Resume(t.Context(), "night", nil); err != nil {
		t.Fatal(err)
	}
	if s.Ended != loop.EndStopped || s.Reserved != (flow.Cost{}) || s.Spent != (flow.Cost{}) || s.Jobs[0].Status != loop.Waiting {
		t.Errorf("it ended by %q, with %v set aside and %v spent: %+v", s.Ended, s.Reserved, s.Spent, s.Jobs[0])
	}
}

// What people decide is seen; what nobody decided still asks for somebody.
func TestRefreshChangesNothingThatNobodyDecided(t *testing.T) {
	st := memory.New()
	s, err := loopRunner(st, swift()).Start(t.Context(), opened(work(2, 2), loop.Limits{}), nil)
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

// What somebody made of a failed session by hand is seen by who looks at the loop; the
// journal says what the loop itself came to, and what it spent.
func TestRefreshSeesWhatPeopleDid(t *testing.T) {
	st := memory.New()
	var script *rehearsal.Script
	g, _, s := outage(t, st, &script)
	rep, err := runner.Gather(t.Context(), st, s)
	if err != nil || rep.Failed[1].Command != "brenner session resume "+number(2) || !strings.Contains(string(rep.Markdown()), ": `"+rep.Failed[1].Command+"`") {
		t.Errorf("%v, %+v", err, rep.Failed)
	}
	script = swift()
	one, err := g.session(t.Context(), &s.Work, &s.Jobs[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.Runner.Resume(t.Context(), number(1), nil); err != nil {
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
		t.Errorf("the loop spent %v; now it says %v", s.Spent, now.Spent)
	}
	was, err := runner.Load(t.Context(), st, "night")
	if err != nil || was.Jobs[0].Status != loop.Broken {
		t.Errorf("%v, %+v", err, was.Jobs[0])
	}
}

// Whoever looks at a loop that runs, or was killed, sees how far its sessions have come.
func TestRefreshSeesSessionsUnderWay(t *testing.T) {
	st := memory.New()
	s, err := loopRunner(st, swift()).Start(t.Context(), opened(work(1, 1), loop.Limits{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	version, spent := s.Jobs[0].Settled.Version, s.Jobs[0].Settled.Spent
	s.Jobs[0].Status, s.Jobs[0].Settled = loop.Running, loop.Settled{}
	if err := runner.Refresh(t.Context(), st, s); err != nil || s.Jobs[0].Settled.Version != version || s.Jobs[0].Settled.Spent != spent || version == 0 {
		t.Errorf("%v: %+v", err, s.Jobs[0].Settled)
	}
}
