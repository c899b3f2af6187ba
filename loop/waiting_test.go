package loop_test

import (
	"testing"
	"time"

	"brenner/artifact"
	"brenner/loop"
)

// A quota is waited for: no session begins before the time that the provider gave.
func TestAQuotaIsWaitedFor(t *testing.T) {
	b := open(t, night(cells(2), loop.Limits{Concurrency: 2}))
	runs, _ := b.next()
	later := start.Add(3 * time.Hour)
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Later, RetryAt: artifact.FormatInstant(later), Spent: 10})
	b.write(loop.KindSettled, loop.Settled{Job: runs[1].Job.Number, Outcome: loop.Done, Version: 2, Spent: 60})
	if got := loop.Next(b.state, start.Add(time.Hour)); len(got) != 1 || got[0] != (loop.Wait{Until: later}) {
		t.Fatalf("it goes on with %v", got)
	}
	runs, _ = b.next()
	if len(runs) != 1 || runs[0].Job.Number != 1 || runs[0].Reserve.Tokens != 90 || !b.now.Equal(later) {
		t.Errorf("then %+v at %s", runs, b.now)
	}
}

// A provider that says next year is believed for a day, and a person need not wait for it.
func TestAnAbsurdQuota(t *testing.T) {
	b := open(t, night(cells(2), loop.Limits{Concurrency: 1}))
	runs, _ := b.next()
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Later, RetryAt: artifact.FormatInstant(start.AddDate(1, 0, 0))})
	if got := loop.Next(b.state, start); len(got) != 1 || got[0] != (loop.Wait{Until: b.now.Add(24 * time.Hour)}) {
		t.Errorf("it waits: %v", got)
	}
	b.write(loop.KindUnpaused, loop.Paused{By: "operator"})
	if runs, _ := b.next(); len(runs) != 1 || !b.state.Hold.IsZero() {
		t.Errorf("told to go on: %v", runs)
	}
}

// A session that is only left for now may still decide itself what it did not agree on.
func TestWhoGoesOnNeedsNobodyYet(t *testing.T) {
	b := open(t, night(cells(1), loop.Limits{Person: true}))
	runs, _ := b.next()
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Interrupted, Version: 2, Conflicts: 1})
	if reason := b.state.Rule(start); reason != "" {
		t.Errorf("it ends by %s", reason)
	}
	runs, _ = b.next()
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Done, Version: 3, Conflicts: 1})
	if reason := b.state.Rule(start); reason != loop.EndPerson {
		t.Errorf("it goes on: %q", reason)
	}
}

// Rounds that ended before anybody asked what was new in them are not quiet.
func TestQuietFromNowOn(t *testing.T) {
	b := open(t, night(cells(1), loop.Limits{Rounds: 5}))
	for range 3 {
		runs, _ := b.next()
		b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Done, Version: 2, Merged: 1})
	}
	b.next()
	b.write(loop.KindLeft, loop.Left{Reason: "interrupted"})
	b.write(loop.KindResumed, loop.Resumed{Limits: &loop.Limits{Rounds: 5, Concurrency: 1, Quiet: 2}})
	runs, _ := b.next()
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Done, Version: 2, Merged: 1, Says: []string{"a"}})
	if reason := b.state.Rule(start); reason != "" {
		t.Errorf("it ends by %s", reason)
	}
}

// Sessions under way let their calls end when the hour comes or a person says stop;
// other rules let them come to their own end.
func TestDrain(t *testing.T) {
	b := open(t, night(cells(3), loop.Limits{Concurrency: 2, Until: artifact.FormatInstant(start.Add(time.Hour)), Person: true}))
	runs, _ := b.next()
	if got := loop.Next(b.state, start.Add(time.Hour)); len(got) != 1 || got[0] != (loop.Drain{}) {
		t.Errorf("at its hour: %v", got)
	}
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Done, Version: 2, Conflicts: 1})
	if got := loop.Next(b.state, start); len(got) != 1 || got[0] != (loop.Wait{Until: start.Add(time.Hour)}) {
		t.Errorf("a person is needed, and the hour comes all the same: %v", got)
	}
	b.write(loop.KindStopping, loop.Stopping{By: "operator"})
	if got := loop.Next(b.state, start); len(got) != 1 || got[0] != (loop.Drain{}) {
		t.Errorf("told to stop: %v", got)
	}
	b.write(loop.KindSettled, loop.Settled{Job: runs[1].Job.Number, Outcome: loop.Interrupted})
	if got := loop.Next(b.state, start); len(got) != 1 || got[0] != (loop.End{Reason: loop.EndStopped}) {
		t.Errorf("at last: %v", got)
	}
}

func TestAPauseLetsNothingBegin(t *testing.T) {
	b := open(t, night(cells(3), loop.Limits{}))
	b.write(loop.KindPaused, loop.Paused{By: "operator"})
	if got := loop.Next(b.state, start); got != nil {
		t.Errorf("paused: %v", got)
	}
	b.write(loop.KindUnpaused, loop.Paused{By: "operator"})
	if got := loop.Next(b.state, start); got == nil {
		t.Error("nothing leads on after the pause")
	}
}
