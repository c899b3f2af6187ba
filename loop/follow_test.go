package loop_test

import (
	"testing"

	"brenner/loop"
)

// Sessions of a list wait for the one that they follow, and are skipped if that one fails.
func TestSessionsWaitForTheOneTheyFollow(t *testing.T) {
	w := cells(3)
	w.Cells[0].ID, w.Cells[1].After, w.Cells[2].After = "first", "first", "RS-20261115-before"
	b := open(t, newOpened(w, loop.Limits{Concurrency: 3}))
	runs, _ := b.next()
	if len(runs) != 2 || runs[0].Job.Number != 1 || runs[1].Job.Number != 3 || runs[1].Base != "RS-20261115-before" {
		t.Fatalf("first runs: %+v", runs)
	}
	b.write(loop.KindSettled, loop.Settled{Job: 1, Outcome: loop.Done, Version: 3})
	runs, _ = b.next()
	if len(runs) != 1 || runs[0].Base != "RS-20261115-night-0001" {
		t.Errorf("second runs: %+v", runs)
	}

	b = open(t, newOpened(w, loop.Limits{}))
	b.finish(func(r loop.Run) loop.Settled {
		if r.Job.Number == 1 {
			return loop.Settled{Outcome: loop.Failed}
		}
		return settleDone(r)
	})
	if b.state.Jobs[1].Status != loop.Omitted || b.state.Jobs[2].Status != loop.Finished {
		t.Errorf("jobs: %+v", b.state.Jobs)
	}
}

// A session without merged replies cannot be followed, even if it has a version: that is
// only its brief.
func TestOnlySessionsWithRepliesAreFollowed(t *testing.T) {
	for _, c := range []struct {
		first loop.Settled
		want  loop.Status
	}{
		{loop.Settled{Outcome: loop.Failed, Version: 1}, loop.Omitted},
		{loop.Settled{Outcome: loop.Short, Version: 1}, loop.Omitted},
		{loop.Settled{Outcome: loop.Failed, Version: 2, Merged: 1}, loop.Finished},
		{loop.Settled{Outcome: loop.Short, Version: 1, Merged: 1}, loop.Finished},
		{loop.Settled{Outcome: loop.Done, Version: 1}, loop.Finished},
	} {
		w := cells(2)
		w.Cells[0].ID, w.Cells[1].After = "first", "first"
		b := open(t, newOpened(w, loop.Limits{}))
		b.finish(func(r loop.Run) loop.Settled {
			if r.Job.Number == 1 {
				return c.first
			}
			return settleDone(r)
		})
		if got := b.state.Jobs[1].Status; got != c.want || b.state.Open() != 0 {
			t.Errorf("after %+v the follower is %s, want %s", c.first, got, c.want)
		}
	}
}

// Finished sessions of a round are preferred to short ones.
func TestShortSessionsAreFollowed(t *testing.T) {
	for _, c := range []struct {
		outcomes  [2]string
		own, best string
	}{
		{[2]string{loop.Short, loop.Short}, "RS-20261115-night-0001", "RS-20261115-night-0001"},
		{[2]string{loop.Short, loop.Done}, "RS-20261115-night-0001", "RS-20261115-night-0002"},
		{[2]string{loop.Failed, loop.Short}, "", "RS-20261115-night-0002"},
	} {
		for from, want := range map[string]string{loop.FollowOwn: c.own, loop.FollowBest: c.best} {
			w := cells(2)
			w.Follow = &loop.Follow{From: from}
			b := open(t, newOpened(w, loop.Limits{Rounds: 2}))
			b.finish(func(r loop.Run) loop.Settled {
				s := loop.Settled{Outcome: c.outcomes[(r.Job.Number-1)%2], Version: 2, Warnings: r.Job.Number}
				if s.Outcome == loop.Short {
					s.Merged = 1
				}
				return s
			})
			if got := b.state.Jobs[2].Base; got != want {
				t.Errorf("%v, %s: starts from %q, want %q", c.outcomes, from, got, want)
			}
		}
	}
}

// Later rounds start from the result of their own cell, or from the best one for their
// question.
func TestRoundsFollow(t *testing.T) {
	for from, want := range map[string][]string{
		loop.FollowOwn:  {"RS-20261115-night-0001", "RS-20261115-night-0002", ""},
		loop.FollowBest: {"RS-20261115-night-0002", "RS-20261115-night-0002", "RS-20261115-night-0002"},
	} {
		w := cells(3)
		w.Follow, w.Rotate = &loop.Follow{From: from, Take: loop.DefaultTake(), Relation: "extends"}, true
		b := open(t, newOpened(w, loop.Limits{Rounds: 2}))
		b.finish(func(r loop.Run) loop.Settled {
			s := settleDone(r)
			switch r.Job.Number {
			case 1:
				s.Warnings = 2
			case 3:
				s = loop.Settled{Outcome: loop.Failed}
			}
			return s
		})
		for i, base := range want {
			if j := b.state.Jobs[3+i]; j.Base != base || j.Turn != 1 {
				t.Errorf("%s: %s starts from %q, rotated by %d; want %q", from, j.Name(), j.Base, j.Turn, base)
			}
		}
	}
}

// Without a finished session, the last one with replies is shown.
func TestBestWithoutFinishedSessions(t *testing.T) {
	b := open(t, newOpened(cells(2), loop.Limits{Concurrency: 2}))
	runs, _ := b.next()
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Interrupted, Version: 1})
	if best := b.state.Best(); len(best) != 0 {
		t.Errorf("a session without replies is shown: %v", best)
	}
	b.write(loop.KindSettled, loop.Settled{Job: runs[1].Job.Number, Outcome: loop.Interrupted, Version: 3, Merged: 2})
	question := runs[1].Job.Cell.Question
	if best := b.state.Best(); best[question] == nil || best[question].Number != runs[1].Job.Number {
		t.Errorf("best: %v", best)
	}
}
