package loop_test

import (
	"testing"

	"brenner/loop"
)

// Sessions of a list wait for the one that they follow, and are given up if that
// one came to nothing.
func TestSessionsFollow(t *testing.T) {
	w := cells(3)
	w.Cells[0].ID, w.Cells[1].After, w.Cells[2].After = "first", "first", "RS-20261115-before"
	b := open(t, night(w, loop.Limits{Concurrency: 3}))
	runs, _ := b.next()
	if len(runs) != 2 || runs[0].Job.Number != 1 || runs[1].Job.Number != 3 || runs[1].Base != "RS-20261115-before" {
		t.Fatalf("%+v", runs)
	}
	b.write(loop.KindSettled, loop.Settled{Job: 1, Outcome: loop.Done, Version: 3})
	runs, _ = b.next()
	if len(runs) != 1 || runs[0].Base != "RS-20261115-night-0001" {
		t.Errorf("%+v", runs)
	}

	b = open(t, night(w, loop.Limits{}))
	b.finish(func(r loop.Run) loop.Settled {
		if r.Job.Number == 1 {
			return loop.Settled{Outcome: loop.Failed}
		}
		return done(r)
	})
	if b.state.Jobs[1].Status != loop.Omitted || b.state.Jobs[2].Status != loop.Finished {
		t.Errorf("%+v", b.state.Jobs)
	}
}

// A session that got no answer has only its brief: nobody follows it. What was merged
// before it failed, or before its budget ended it, can be followed.
func TestWhoIsFollowed(t *testing.T) {
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
		b := open(t, night(w, loop.Limits{}))
		b.finish(func(r loop.Run) loop.Settled {
			if r.Job.Number == 1 {
				return c.first
			}
			return done(r)
		})
		if got := b.state.Jobs[1].Status; got != c.want || b.state.Open() != 0 {
			t.Errorf("after %+v the other one is %s; want %s", c.first, got, c.want)
		}
	}
}

// Of a round's sessions those that came to their end go before those that are short, and
// those before none.
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
			b := open(t, night(w, loop.Limits{Rounds: 2}))
			b.finish(func(r loop.Run) loop.Settled {
				s := loop.Settled{Outcome: c.outcomes[(r.Job.Number-1)%2], Version: 2, Warnings: r.Job.Number}
				if s.Outcome == loop.Short {
					s.Merged = 1
				}
				return s
			})
			if got := b.state.Jobs[2].Base; got != want {
				t.Errorf("%v, %s: it begins with %q; want %q", c.outcomes, from, got, want)
			}
		}
	}
}

// Later rounds begin with what their own cell came to, or with the best that there
// is on their question.
func TestRoundsFollow(t *testing.T) {
	for from, want := range map[string][]string{
		loop.FollowOwn:  {"RS-20261115-night-0001", "RS-20261115-night-0002", ""},
		loop.FollowBest: {"RS-20261115-night-0002", "RS-20261115-night-0002", "RS-20261115-night-0002"},
	} {
		w := cells(3)
		w.Follow, w.Rotate = &loop.Follow{From: from, Take: loop.DefaultTake(), Relation: "extends"}, true
		b := open(t, night(w, loop.Limits{Rounds: 2}))
		b.finish(func(r loop.Run) loop.Settled {
			s := done(r)
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
				t.Errorf("%s: %s begins with %q, turned by %d; want %q", from, j.Name(), j.Base, j.Turn, base)
			}
		}
	}
}

// A question that nobody came to an end with is shown as far as it was answered.
func TestWhatIsShownWithoutAnEnd(t *testing.T) {
	b := open(t, night(cells(2), loop.Limits{Concurrency: 2}))
	runs, _ := b.next()
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Interrupted, Version: 1})
	if best := b.state.Best(); len(best) != 0 {
		t.Errorf("a brief is shown: %v", best)
	}
	b.write(loop.KindSettled, loop.Settled{Job: runs[1].Job.Number, Outcome: loop.Interrupted, Version: 3, Merged: 2})
	question := runs[1].Job.Cell.Question
	if best := b.state.Best(); best[question] == nil || best[question].Number != runs[1].Job.Number {
		t.Errorf("%v", best)
	}
}
