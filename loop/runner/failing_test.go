package runner_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/store/memory"
	"brenner/store/opentest"
)

// A failing session is retried as often as the plan allows; the others continue.
func TestFailedSessionsAreRetried(t *testing.T) {
	st := opentest.New(t)
	broken := parse(t, strings.Replace(quota, "times: 1, after: 2h", "times: 0", 1))
	fine := looptest.FastScript()
	g := &looptest.Preparer{Store: st, Now: looptest.Clock, Script: func(j *loop.Job) *rehearsal.Script {
		if j.Number == 2 {
			return broken
		}
		return fine
	}}
	r := &runner.Runner{Store: st, Locks: st, Now: looptest.Clock, Sessions: g.Session}
	s, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(3, 1), loop.Limits{Retry: 2}), nil)
	if err != nil || s.Ended != loop.EndRounds {
		t.Fatalf("error %v, ended by %s", err, s.Ended)
	}
	checkProven(t, st)
	j := s.Jobs[1]
	if s.Count(loop.Finished) != 2 || j.Status != loop.Broken || j.Attempts != 3 || j.Settled.Code != agent.Unavailable {
		t.Errorf("%+v", j)
	}
	rep, err := runner.Gather(t.Context(), st, s)
	if err != nil || len(rep.Failed) != 1 || rep.Failed[0].Session != threadID(2) || !strings.Contains(rep.Failed[0].Detail, "no quota") {
		t.Errorf("%v, %+v", err, rep.Failed)
	}
}

// A short outage loses no session: it is retried after a pause.
func TestShortOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		broken := parse(t, strings.Replace(quota, "times: 1, after: 2h", "times: 0", 1))
		began, back := time.Now(), 90*time.Second
		g := &looptest.Preparer{Store: st, Now: time.Now, Script: func(*loop.Job) *rehearsal.Script {
			if time.Since(began) < back {
				return broken
			}
			return looptest.FastScript()
		}}
		r := &runner.Runner{Store: st, Locks: st, Now: time.Now, Sessions: g.Session}
		limits := loop.Limits{Retry: 2, Pause: time.Minute.Milliseconds()}
		s, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(3, 1), limits), nil)
		if err != nil || s.Count(loop.Finished) != 3 || s.Jobs[0].Attempts != 3 || time.Since(began) != 3*time.Minute {
			t.Errorf("after %s: %v, %+v", time.Since(began), err, s)
		}
	})
}

// outage runs a loop of two sessions whose critic never answers. Later runs use the script
// that the caller sets.
func outage(t *testing.T, st looptest.Store, script **rehearsal.Script) (*looptest.Preparer, *runner.Runner, *loop.State) {
	t.Helper()
	*script = parse(t, strings.Replace(quota, "times: 1, after: 2h", "times: 0", 1))
	g := &looptest.Preparer{Store: st, Now: looptest.Clock, Script: func(*loop.Job) *rehearsal.Script { return *script }}
	r := &runner.Runner{Store: st, Locks: st, Now: looptest.Clock, Sessions: g.Session}
	s, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(2, 1), loop.Limits{}), nil)
	if err != nil || s.Count(loop.Broken) != 2 {
		t.Fatalf("%v, %+v", err, s)
	}
	return g, r, s
}

// Sessions that failed for good are retried on request.
func TestRetryFailed(t *testing.T) {
	st := opentest.New(t)
	var script *rehearsal.Script
	_, r, _ := outage(t, st, &script)
	script = parse(t, strings.Replace(quota, "fail: {code: AGENT_UNAVAILABLE, message: no quota, times: 1, after: 2h}\n        ", "", 1))
	s, err := r.Resume(t.Context(), "night", func(*loop.State) loop.Resumed { return loop.Resumed{Retry: true} })
	if err != nil || s.Count(loop.Finished) != 2 || s.Ended != loop.EndRounds || s.Jobs[0].Attempts != 2 {
		t.Errorf("%v, %+v", err, s)
	}
	artifacts(t, st, s)
}
