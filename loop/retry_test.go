package loop_test

import (
	"fmt"
	"testing"
	"time"

	"brenner/loop"
	"brenner/store/journal"
)

func settleFailed(loop.Run) loop.Settled {
	return loop.Settled{Outcome: loop.Failed, Version: 1, Spent: 10}
}

// A failed session is retried after a pause that doubles each time; others run meanwhile.
func TestRetryPauseDoubles(t *testing.T) {
	b := open(t, newOpened(cells(2), loop.Limits{Retry: 9, Pause: (10 * time.Minute).Milliseconds()}))
	var waits []time.Duration
	for range 6 {
		runs, _ := b.next()
		for len(runs) > 0 && runs[0].Job.Number != 1 {
			b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Done, Version: 2})
			if until, provider := b.state.WaitsUntil(b.now); !until.Equal(b.state.RetryAt(&b.state.Jobs[0])) || provider {
				t.Errorf("waits until %s", until)
			}
			runs, _ = b.next()
		}
		if len(waits) == 0 && len(runs) == 1 { // the other session does not wait
			b.write(loop.KindSettled, loop.Settled{Job: 1, Outcome: loop.Failed})
			if next := loop.Next(b.state, b.now); len(next) != 1 || next[0].(loop.Run).Job.Number != 2 {
				t.Fatalf("commands: %v", next)
			}
			waits = append(waits, 0)
			continue
		}
		waits = append(waits, b.now.Sub(b.state.Jobs[0].Closed))
		b.write(loop.KindSettled, loop.Settled{Job: 1, Outcome: loop.Failed})
	}
	if fmt.Sprint(waits) != "[0s 10m0s 20m0s 40m0s 1h0m0s 1h0m0s]" {
		t.Errorf("pauses: %v", waits)
	}
}

// A killed loop keeps the pause; the time limit cuts it short.
func TestRetryPauseSurvivesKill(t *testing.T) {
	limits := loop.Limits{Retry: 1, Pause: time.Minute.Milliseconds(), Until: "2026-11-15T22:00:30Z"}
	b := open(t, newOpened(cells(1), limits))
	runs, _ := b.next()
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Failed})
	again, err := loop.Fold(b.entries)
	if err != nil {
		t.Fatal(err)
	}
	later := start.Add(10 * time.Second)
	for _, s := range []*loop.State{b.state, again} {
		if next := loop.Next(s, later); len(next) != 1 || next[0] != (loop.Wait{Until: start.Add(30 * time.Second)}) {
			t.Errorf("commands: %v", next)
		}
	}
	b.write(loop.KindResumed, loop.Resumed{})
	if until, _ := b.state.WaitsUntil(later); !until.Equal(start.Add(time.Minute)) {
		t.Errorf("the next run waits until %s", until)
	}
	if _, ended := b.next(); !ended || b.state.Ended != loop.EndTime {
		t.Errorf("ended by %q", b.state.Ended)
	}
}

// A session waiting for its retry keeps its share of the budget: no other session gets it,
// and the budget does not count as exhausted.
func TestWaitingRetryKeepsItsBudget(t *testing.T) {
	b := open(t, newOpened(cells(2), loop.Limits{Retry: 1, Pause: 1000, Tokens: 150}))
	runs, _ := b.next()
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Failed, Spent: 20})
	if next := loop.Next(b.state, b.now); len(next) != 1 || next[0] != (loop.Wait{Until: start.Add(time.Second)}) {
		t.Fatalf("commands: %v", next)
	}
	runs, _ = b.next()
	if len(runs) != 1 || runs[0].Job.Number != 1 || runs[0].Reserve.Tokens != 80 {
		t.Errorf("then: %+v", runs)
	}
}

// On request, failed sessions and those that follow them are retried; finished ones stay.
func TestRetryFailedSessions(t *testing.T) {
	w := cells(4)
	w.Cells[1].ID, w.Cells[2].After = "first", "first"
	b := open(t, newOpened(w, loop.Limits{Retry: 1, Pause: 1000, Failures: 5}))
	b.finish(func(r loop.Run) loop.Settled {
		if r.Job.Number == 2 {
			return settleFailed(r)
		}
		return settleDone(r)
	})
	if b.state.Count(loop.Broken) != 1 || b.state.Count(loop.Omitted) != 1 || b.state.Count(loop.Finished) != 2 {
		t.Fatalf("jobs: %+v", b.state.Jobs)
	}
	b.write(loop.KindResumed, loop.Resumed{})
	if order := b.finish(settleDone); len(order) != 0 {
		t.Errorf("ran without a request: %v", order)
	}
	b.write(loop.KindResumed, loop.Resumed{Retry: true})
	at := b.now
	if order := b.finish(settleDone); fmt.Sprint(order) != "[2 3]" || !b.now.Equal(at) {
		t.Errorf("order %v after %s", order, b.now.Sub(at))
	}
	if b.state.Count(loop.Finished) != 4 || b.state.Jobs[2].Base != b.state.Jobs[1].Thread || b.state.Ended != loop.EndRounds {
		t.Errorf("%s: %+v", b.state.Ended, b.state.Jobs)
	}
	if _, err := loop.Fold(append([]journal.Entry(nil), b.entries...)); err != nil {
		t.Error(err)
	}
}
