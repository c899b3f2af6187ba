package loop_test

import (
	"testing"
	"time"

	"brenner/artifact"
	"brenner/loop"
)

// No session starts before the retry time of a provider.
func TestQuotaDelaysSessions(t *testing.T) {
	b := open(t, newOpened(cells(2), loop.Limits{Concurrency: 2}))
	runs, _ := b.next()
	later := start.Add(3 * time.Hour)
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Later, RetryAt: artifact.FormatInstant(later), Spent: 10})
	b.write(loop.KindSettled, loop.Settled{Job: runs[1].Job.Number, Outcome: loop.Done, Version: 2, Spent: 60})
	if got := loop.Next(b.state, start.Add(time.Hour)); len(got) != 1 || got[0] != (loop.Wait{Until: later}) {
		t.Fatalf("commands: %v", got)
	}
	runs, _ = b.next()
	if len(runs) != 1 || runs[0].Job.Number != 1 || runs[0].Reserve.Tokens != 90 || !b.now.Equal(later) {
		t.Errorf("then: %+v at %s", runs, b.now)
	}
}

// A retry time in a year is cut to a day, and the operator can override it.
func TestRetryTimeIsBounded(t *testing.T) {
	b := open(t, newOpened(cells(2), loop.Limits{Concurrency: 1}))
	runs, _ := b.next()
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Later, RetryAt: artifact.FormatInstant(start.AddDate(1, 0, 0))})
	if got := loop.Next(b.state, start); len(got) != 1 || got[0] != (loop.Wait{Until: b.now.Add(24 * time.Hour)}) {
		t.Errorf("commands: %v", got)
	}
	b.write(loop.KindUnpaused, loop.Paused{By: "operator"})
	if runs, _ := b.next(); len(runs) != 1 || !b.state.Hold.IsZero() {
		t.Errorf("after unpausing: %v", runs)
	}
}

// An interrupted session may still resolve its conflicts itself.
func TestInterruptedSessionsNeedNoPerson(t *testing.T) {
	b := open(t, newOpened(cells(1), loop.Limits{Person: true}))
	runs, _ := b.next()
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Interrupted, Version: 2, Conflicts: 1})
	if reason := b.state.Rule(start); reason != "" {
		t.Errorf("ends by %s", reason)
	}
	runs, _ = b.next()
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Done, Version: 3, Conflicts: 1})
	if reason := b.state.Rule(start); reason != loop.EndPerson {
		t.Errorf("ends by %q, want person", reason)
	}
}

// Rounds before the quiet rule was set do not count.
func TestQuietRuleIgnoresEarlierRounds(t *testing.T) {
	b := open(t, newOpened(cells(1), loop.Limits{Rounds: 5}))
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
		t.Errorf("ends by %s", reason)
	}
}

// The time limit and a stop request drain running sessions; other rules let them finish.
func TestDrain(t *testing.T) {
	b := open(t, newOpened(cells(3), loop.Limits{Concurrency: 2, Until: artifact.FormatInstant(start.Add(time.Hour)), Person: true}))
	runs, _ := b.next()
	if got := loop.Next(b.state, start.Add(time.Hour)); len(got) != 1 || got[0] != (loop.Drain{}) {
		t.Errorf("at the time limit: %v", got)
	}
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Done, Version: 2, Conflicts: 1})
	if got := loop.Next(b.state, start); len(got) != 1 || got[0] != (loop.Wait{Until: start.Add(time.Hour)}) {
		t.Errorf("with a person needed: %v", got)
	}
	b.write(loop.KindStopping, loop.Stopping{By: "operator"})
	if got := loop.Next(b.state, start); len(got) != 1 || got[0] != (loop.Drain{}) {
		t.Errorf("after the stop request: %v", got)
	}
	b.write(loop.KindSettled, loop.Settled{Job: runs[1].Job.Number, Outcome: loop.Interrupted})
	if got := loop.Next(b.state, start); len(got) != 1 || got[0] != (loop.End{Reason: loop.EndStopped}) {
		t.Errorf("after all sessions: %v", got)
	}
}

func TestPauseStartsNothing(t *testing.T) {
	b := open(t, newOpened(cells(3), loop.Limits{}))
	b.write(loop.KindPaused, loop.Paused{By: "operator"})
	if got := loop.Next(b.state, start); got != nil {
		t.Errorf("paused: %v", got)
	}
	b.write(loop.KindUnpaused, loop.Paused{By: "operator"})
	if got := loop.Next(b.state, start); got == nil {
		t.Error("no commands after the pause")
	}
}
