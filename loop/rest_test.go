package loop_test

import (
	"fmt"
	"testing"
	"time"

	"brenner/loop"
	"brenner/store/journal"
)

func failing(loop.Run) loop.Settled { return loop.Settled{Outcome: loop.Failed, Version: 1, Spent: 10} }

// A failed session is left alone before it is tried again, twice as long each time, and
// others go on meanwhile.
func TestFailedSessionsRest(t *testing.T) {
	b := open(t, night(cells(2), loop.Limits{Retry: 9, Pause: (10 * time.Minute).Milliseconds()}))
	var waits []time.Duration
	for range 6 {
		runs, _ := b.next()
		for len(runs) > 0 && runs[0].Job.Number != 1 {
			b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Done, Version: 2})
			if until, provider := b.state.WaitsUntil(b.now); !until.Equal(b.state.RetryAt(&b.state.Jobs[0])) || provider {
				t.Errorf("it rests until %s", until)
			}
			runs, _ = b.next()
		}
		if len(waits) == 0 && len(runs) == 1 { // the other one is not kept waiting
			b.write(loop.KindSettled, loop.Settled{Job: 1, Outcome: loop.Failed})
			if next := loop.Next(b.state, b.now); len(next) != 1 || next[0].(loop.Run).Job.Number != 2 {
				t.Fatalf("it goes on with %v", next)
			}
			waits = append(waits, 0)
			continue
		}
		waits = append(waits, b.now.Sub(b.state.Jobs[0].Closed))
		b.write(loop.KindSettled, loop.Settled{Job: 1, Outcome: loop.Failed})
	}
	if fmt.Sprint(waits) != "[0s 10m0s 20m0s 40m0s 1h0m0s 1h0m0s]" {
		t.Errorf("it rested %v", waits)
	}
}

// A loop that was killed keeps the pause, and one whose hour comes does not wait for it.
func TestRestsSurvive(t *testing.T) {
	limits := loop.Limits{Retry: 1, Pause: time.Minute.Milliseconds(), Until: "2026-11-15T22:00:30Z"}
	b := open(t, night(cells(1), limits))
	runs, _ := b.next()
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Failed})
	again, err := loop.Fold(b.entries)
	if err != nil {
		t.Fatal(err)
	}
	later := start.Add(10 * time.Second)
	for _, s := range []*loop.State{b.state, again} {
		if next := loop.Next(s, later); len(next) != 1 || next[0] != (loop.Wait{Until: start.Add(30 * time.Second)}) {
			t.Errorf("it goes on with %v", next)
		}
	}
	b.write(loop.KindResumed, loop.Resumed{})
	if until, _ := b.state.WaitsUntil(later); !until.Equal(start.Add(time.Minute)) {
		t.Errorf("the next run rests until %s", until)
	}
	if _, ended := b.next(); !ended || b.state.Ended != loop.EndTime {
		t.Errorf("%s", b.state.Ended)
	}
}

// What a session that rests needs is kept for it: nobody else is begun with it, and the
// budget is not said to be at its end.
func TestRestsKeepTheirShare(t *testing.T) {
	b := open(t, night(cells(2), loop.Limits{Retry: 1, Pause: 1000, Tokens: 150}))
	runs, _ := b.next()
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Failed, Spent: 20})
	if next := loop.Next(b.state, b.now); len(next) != 1 || next[0] != (loop.Wait{Until: start.Add(time.Second)}) {
		t.Fatalf("it goes on with %v", next)
	}
	runs, _ = b.next()
	if len(runs) != 1 || runs[0].Job.Number != 1 || runs[0].Reserve.Tokens != 80 {
		t.Errorf("then with %+v", runs)
	}
}

// Failed sessions are tried again when somebody says so, with those that were to follow
// them; what came to its end stays.
func TestFailedSessionsAreTriedAgain(t *testing.T) {
	w := cells(4)
	w.Cells[1].ID, w.Cells[2].After = "first", "first"
	b := open(t, night(w, loop.Limits{Retry: 1, Pause: 1000, Failures: 5}))
	b.finish(func(r loop.Run) loop.Settled {
		if r.Job.Number == 2 {
			return failing(r)
		}
		return done(r)
	})
	if b.state.Count(loop.Broken) != 1 || b.state.Count(loop.Omitted) != 1 || b.state.Count(loop.Finished) != 2 {
		t.Fatalf("%+v", b.state.Jobs)
	}
	b.write(loop.KindResumed, loop.Resumed{})
	if order := b.finish(done); len(order) != 0 {
		t.Errorf("nobody asked for %v", order)
	}
	b.write(loop.KindResumed, loop.Resumed{Retry: true})
	at := b.now
	if order := b.finish(done); fmt.Sprint(order) != "[2 3]" || !b.now.Equal(at) {
		t.Errorf("%v after %s", order, b.now.Sub(at))
	}
	if b.state.Count(loop.Finished) != 4 || b.state.Jobs[2].Base != b.state.Jobs[1].Thread || b.state.Ended != loop.EndRounds {
		t.Errorf("%s: %+v", b.state.Ended, b.state.Jobs)
	}
	if _, err := loop.Fold(append([]journal.Entry(nil), b.entries...)); err != nil {
		t.Error(err)
	}
}
