package loop_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/session/flow"
)

func settleTrouble(trouble, detail string) func(loop.Run) loop.Settled {
	return func(loop.Run) loop.Settled {
		return loop.Settled{Outcome: loop.Failed, Trouble: trouble, Code: "AGENT_X", Detail: detail}
	}
}

// The loop stops when the first sessions all failed for one lasting cause. The next run
// retries them, whatever the plan says about retries.
func TestLastingCauseStopsEarly(t *testing.T) {
	for _, c := range []struct{ sessions, concurrency, ran int }{{9, 1, 2}, {9, 3, 3}, {1, 4, 1}, {2, 9, 2}} {
		b := open(t, newOpened(cells(c.sessions), loop.Limits{Concurrency: c.concurrency, Retry: 5, Pause: 1000, Rounds: 2}))
		order := b.finish(settleTrouble(loop.Lasting, "key rejected"))
		if b.state.Ended != loop.EndCause || len(order) != c.ran || b.state.Count(loop.Broken) != c.ran {
			t.Errorf("%+v: ended by %s after %v, %d failed", c, b.state.Ended, order, b.state.Count(loop.Broken))
		}
		if cause := b.state.Stopped(); cause == nil || cause.Detail != "key rejected" {
			t.Errorf("cause: %+v", cause)
		}
		b.write(loop.KindResumed, loop.Resumed{})
		if order := b.finish(settleDone); len(order) != 2*c.sessions || order[0] != 1 || b.state.Ended != loop.EndRounds {
			t.Errorf("%+v: then %v, ended by %s", c, order, b.state.Ended)
		}
	}
}

// Sessions that fail after others got replies, or for several causes, do not stop the loop.
func TestOtherFailuresDoNotStopEarly(t *testing.T) {
	b := open(t, newOpened(cells(5), loop.Limits{}))
	order := b.finish(func(r loop.Run) loop.Settled {
		if r.Job.Number == 1 {
			return settleDone(r)
		}
		return settleTrouble(loop.Lasting, "key rejected")(r)
	})
	if len(order) != 5 || b.state.Ended != loop.EndRounds || b.state.Count(loop.Broken) != 4 {
		t.Errorf("ended by %s after %v", b.state.Ended, order)
	}
	b = open(t, newOpened(cells(5), loop.Limits{}))
	order = b.finish(func(r loop.Run) loop.Settled {
		s := settleTrouble(loop.Lasting, "x")(r)
		s.Code = []fault.Code{"A", "B"}[r.Job.Number%2]
		return s
	})
	if len(order) != 5 || b.state.Ended != loop.EndRounds {
		t.Errorf("ended by %s after %v", b.state.Ended, order)
	}
}

// A model that cannot be used does not stop sessions with another one; its sessions are
// skipped, and retried on request.
func TestLastingCauseOfOneModel(t *testing.T) {
	w := cells(8)
	w.Models = []loop.PlanModel{{ID: "good"}, {ID: "bad"}}
	for i := range w.Cells {
		w.Cells[i].Model = []string{"bad", "good"}[i%2]
	}
	b := open(t, newOpened(w, loop.Limits{Rounds: 2}))
	order := b.finish(func(r loop.Run) loop.Settled {
		if r.Job.Cell.Model == "bad" {
			return settleTrouble(loop.Lasting, "no such model")(r)
		}
		return settleDone(r)
	})
	if fmt.Sprint(order) != "[1 2 3 4 6 8 10 12 14 16]" || b.state.Ended != loop.EndRounds || b.state.Count(loop.Omitted) != 6 {
		t.Errorf("ended by %s after %v: %+v", b.state.Ended, order, b.state.Jobs)
	}
	b.write(loop.KindResumed, loop.Resumed{Retry: true})
	if order := b.finish(settleDone); len(order) != 8 || b.state.Count(loop.Finished) != 16 {
		t.Errorf("then %v", order)
	}
}

// An outage shorter than ten minutes fails no session. Meanwhile one session at a time
// asks again, with growing pauses.
func TestOutageIsWaitedOut(t *testing.T) {
	b := open(t, newOpened(cells(6), loop.Limits{Concurrency: 3}))
	back := start.Add(9 * time.Minute)
	var tries []time.Duration
	for {
		runs, ended := b.next()
		if ended {
			break
		}
		for _, r := range runs {
			s := settleDone(r)
			if b.now.Before(back) {
				tries = append(tries, b.now.Sub(start))
				s = settleTrouble(loop.Passing, "connection refused")(r)
			}
			s.Job = r.Job.Number
			b.write(loop.KindSettled, s)
		}
	}
	if want := "[0s 0s 0s 15s 45s 1m45s 3m45s 5m45s 7m45s]"; fmt.Sprint(tries) != want {
		t.Errorf("asked at %v, want %s", tries, want)
	}
	if b.state.Ended != loop.EndRounds || b.state.Count(loop.Finished) != 6 {
		t.Errorf("ended by %s: %+v", b.state.Ended, b.state.Jobs)
	}
}

// After ten minutes an outage counts as a lasting cause. The next run starts over.
func TestLongOutageStops(t *testing.T) {
	b := open(t, newOpened(cells(6), loop.Limits{Concurrency: 3}))
	b.finish(settleTrouble(loop.Passing, "connection refused"))
	if b.state.Ended != loop.EndCause || b.state.Count(loop.Broken) != 3 || !b.now.Equal(start.Add(loop.Patience)) || b.state.Stopped() == nil {
		t.Errorf("ended by %s after %s: %+v", b.state.Ended, b.now.Sub(start), b.state.Jobs)
	}
	b.write(loop.KindResumed, loop.Resumed{})
	if order := b.finish(settleDone); len(order) != 6 || b.state.Count(loop.Finished) != 6 {
		t.Errorf("then %v", order)
	}
}

// The first reply ends the outage: the others need not wait for the session that asked.
func TestReachedEndpointEndsOutage(t *testing.T) {
	b := open(t, newOpened(cells(4), loop.Limits{Concurrency: 2}))
	runs, _ := b.next()
	for _, r := range runs {
		s := settleTrouble(loop.Passing, "connection refused")(r)
		s.Job = r.Job.Number
		b.write(loop.KindSettled, s)
	}
	runs, _ = b.next()
	if len(runs) != 1 || !runs[0].Probe || len(b.state.Outages()) != 1 {
		t.Fatalf("asks again with %+v", runs)
	}
	if more, _ := b.next(); len(more) != 0 {
		t.Errorf("others start: %+v", more)
	}
	b.write(loop.KindReached, loop.Reached{Job: runs[0].Job.Number})
	if more, _ := b.next(); len(more) != 1 || more[0].Probe {
		t.Errorf("after the reply: %+v", more)
	}
}

// The operator can end a wait; a killed run keeps it; after a longer break, the next run
// has the full ten minutes.
func TestOutageAcrossRuns(t *testing.T) {
	begin := func() (*testLoop, loop.Settled) {
		b := open(t, newOpened(cells(2), loop.Limits{}))
		runs, _ := b.next()
		s := settleTrouble(loop.Passing, "timeout")(runs[0])
		s.Job = 1
		b.write(loop.KindSettled, s)
		return b, s
	}
	b, _ := begin()
	b.write(loop.KindUnpaused, loop.Paused{By: "operator"})
	if got := loop.Next(b.state, b.now); len(got) != 1 || !got[0].(loop.Run).Probe {
		t.Errorf("after the operator's request: %v", got)
	}
	b, _ = begin()
	b.write(loop.KindResumed, loop.Resumed{})
	if got := loop.Next(b.state, b.now); len(got) != 1 || got[0] != (loop.Wait{Until: start.Add(15 * time.Second)}) {
		t.Errorf("after a kill: %v", got)
	}
	b, s := begin()
	b.next() // asks again
	b.now = start.Add(time.Hour)
	b.write(loop.KindResumed, loop.Resumed{})
	b.next()
	b.write(loop.KindSettled, s)
	if got := b.state.Outages(); len(got) != 1 || !got[0].Until.Equal(b.now.Add(loop.Patience)) {
		t.Errorf("after an hour: %+v", got)
	}
}

// An outage that lasts until the stop time needs a person; so does a budget that the preflight
// has spent.
func TestHindrance(t *testing.T) {
	until := artifact.FormatInstant(start.Add(time.Minute))
	b := open(t, newOpened(cells(2), loop.Limits{Until: until}))
	b.finish(settleTrouble(loop.Passing, "refused"))
	cause := b.state.Hindrance()
	if b.state.Ended != loop.EndTime || cause == nil || cause.Detail != "not reached until the stop time: refused" || b.state.Attention() != 1 {
		t.Errorf("ended by %s, hindrance %+v, %d items", b.state.Ended, cause, b.state.Attention())
	}
	for settle, want := range map[string]string{
		"":           "the operator stopped the loop before any session was done",
		loop.Passing: "not reached until the operator stopped the loop: refused",
	} {
		b = open(t, newOpened(cells(2), loop.Limits{Concurrency: 1}))
		if runs, _ := b.next(); settle != "" {
			s := settleTrouble(settle, "refused")(runs[0])
			s.Job = runs[0].Job.Number
			b.write(loop.KindSettled, s)
		} else {
			b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Interrupted})
		}
		b.write(loop.KindStopping, loop.Stopping{By: "operator"})
		b.finish(settleDone)
		if cause := b.state.Hindrance(); b.state.Ended != loop.EndStopped || cause == nil || cause.Detail != want || b.state.Attention() != 1 {
			t.Errorf("ended by %s, hindrance %+v, %d items", b.state.Ended, cause, b.state.Attention())
		}
	}
	w := cells(2)
	w.Settings.Budget = 100
	o := newOpened(w, loop.Limits{Tokens: 150})
	o.Preflight = &loop.Preflight{Spent: 150}
	b = open(t, o)
	b.finish(settleDone)
	cause = b.state.Hindrance()
	if b.state.Ended != loop.EndBudget || cause == nil || cause.Detail != "the budget was exhausted before any session was done; the preflight spent 150 tokens of it" {
		t.Errorf("ended by %s, hindrance %+v", b.state.Ended, cause)
	}
	b = open(t, newOpened(w, loop.Limits{Tokens: 150}))
	if b.finish(settleDone); b.state.Ended != loop.EndBudget || b.state.Hindrance() != nil {
		t.Errorf("ended by %s, hindrance %+v", b.state.Ended, b.state.Hindrance())
	}
}

// What the preflight spent is missing in the last share only: as many sessions begin as without it.
func TestPreflightLeavesEverySessionAShare(t *testing.T) {
	for rules, begin := range map[string]int{loop.Rules: 3, "loop/2": 2} {
		w := cells(3)
		w.Settings.Budget, w.Settings.BudgetUSD = 100, 1000
		o := newOpened(w, loop.Limits{Concurrency: 3, Tokens: 300, USD: 3000})
		o.Preflight, o.Rules = &loop.Preflight{Spent: 80, SpentUSD: 7}, rules
		b := open(t, o)
		runs, _ := b.next()
		if len(runs) != begin || begin == 3 && runs[2].Reserve != (flow.Cost{Tokens: 20, USD: 993}) {
			t.Errorf("%s: %+v", rules, runs)
		}
		for i, r := range runs {
			b.write(loop.KindSettled, loop.Settled{Job: r.Job.Number, Outcome: loop.Short, Reason: "budget", Detail: "its budget is small"})
			want := "its budget is small"
			if i == 2 {
				want += "; the preflight spent 80 tokens of its share"
			}
			if why := b.state.Shortage(&b.state.Jobs[i]); why != want {
				t.Errorf("%s: session %d: %s", rules, i+1, why)
			}
		}
	}
}

// Loops that began with the first rules count every failure.
func TestFirstRulesKnowNoTroubles(t *testing.T) {
	o := newOpened(cells(4), loop.Limits{})
	o.Rules = "loop/1"
	b := open(t, o)
	if order := b.finish(settleTrouble(loop.Passing, "x")); len(order) != 4 || b.state.Ended != loop.EndRounds || !b.now.Equal(start) {
		t.Errorf("ended by %s after %v", b.state.Ended, order)
	}
}

// TestTroubleLaws runs sessions with random outages, lasting causes, crashes and stops. No
// session is lost or finished twice, never more than one asks again, and waiting ends.
func TestTroubleLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := cells(rapid.IntRange(1, 8).Draw(t, "sessions"))
		w.Models = []loop.PlanModel{{ID: "a"}, {ID: "b"}}
		for i := range w.Cells {
			w.Cells[i].Model = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "model")
		}
		w.Settings.Budget = rapid.SampledFrom([]int{0, 100}).Draw(t, "budget")
		b := open(t, newOpened(w, loop.Limits{
			Rounds: rapid.IntRange(1, 2).Draw(t, "rounds"), Concurrency: rapid.IntRange(1, 4).Draw(t, "concurrency"),
			Retry: rapid.IntRange(0, 1).Draw(t, "retry"), Tokens: rapid.SampledFrom([]int{0, 350}).Draw(t, "tokens"),
		}))
		var inFlight []loop.Run
		finished, kills := make(map[int]int), 0
		for step := 0; ; step++ {
			if step > 1000 {
				t.Fatalf("the loop does not end: %+v", b.state.Outages())
			}
			runs, ended := b.next()
			inFlight = append(inFlight, runs...)
			probes := make(map[string]int)
			for _, r := range inFlight {
				if r.Probe {
					probes[r.Job.Cell.Model]++
				}
				if probes[r.Job.Cell.Model] > 1 {
					t.Fatalf("several sessions ask again: %+v", inFlight)
				}
			}
			if ended {
				if b.state.Ended != loop.EndCause || kills > 3 {
					break
				}
				kills++
				b.write(loop.KindResumed, loop.Resumed{})
				continue
			}
			if len(inFlight) == 0 {
				t.Fatalf("nothing runs and no commands: %+v", b.state)
			}
			b.now = b.now.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "seconds")) * time.Second)
			if kills < 3 && rapid.IntRange(0, 19).Draw(t, "dies") == 0 {
				kills++
				inFlight = nil
				b.write(loop.KindResumed, loop.Resumed{})
				continue
			}
			i := rapid.IntRange(0, len(inFlight)-1).Draw(t, "which")
			r := inFlight[i]
			out := loop.Settled{Job: r.Job.Number, Outcome: loop.Done, Version: 2}
			switch rapid.IntRange(0, 5).Draw(t, "outcome") {
			case 0:
				out = settleTrouble(loop.Lasting, "key")(r)
			case 1, 2:
				out = settleTrouble(loop.Passing, "down")(r)
			case 3:
				b.write(loop.KindReached, loop.Reached{Job: r.Job.Number})
				inFlight[i].Probe = false
				continue
			}
			out.Job = r.Job.Number
			before, _ := b.state.Job(out.Job)
			cost := rapid.IntRange(0, r.Reserve.Tokens).Draw(t, "cost")
			out.Spent, out.Lost = before.Settled.Spent+cost, before.Settled.Lost
			if out.Trouble == loop.Passing {
				out.Lost += cost
			}
			inFlight = append(inFlight[:i:i], inFlight[i+1:]...)
			b.write(loop.KindSettled, out)
			if out.Outcome == loop.Done {
				finished[out.Job]++
			}
			if all, limit := b.state.Spent.Plus(b.state.Reserved).Tokens, b.state.Limits.Tokens; limit > 0 && all > limit {
				t.Fatalf("%d tokens spent and reserved of %d", all, limit)
			}
		}
		for i := range b.state.Jobs {
			j := &b.state.Jobs[i]
			if finished[j.Number] > 1 || (finished[j.Number] == 1) != (j.Status == loop.Finished) {
				t.Errorf("session %d finished %d times and is %s", j.Number, finished[j.Number], j.Status)
			}
			if b.state.Ended == loop.EndRounds && !j.Final() {
				t.Errorf("session %d is %s after the last round", j.Number, j.Status)
			}
		}
		checkJustified(t, b)
	})
}

// checkJustified checks that each decision in a journal follows from the entries before it.
func checkJustified(t rapid.TB, b *testLoop) {
	t.Helper()
	s := &loop.State{}
	for i := range b.entries {
		if i > 0 && !s.Justified(&b.entries[i]) {
			t.Fatalf("entry %d (%s) is not justified", i+1, b.entries[i].Kind)
		}
		if err := s.Apply(&b.entries[i]); err != nil {
			t.Fatal(err)
		}
	}
}

// A session whose budget allows no more calls says nothing about its endpoint: another one asks.
func TestShortProbeDoesNotEndOutage(t *testing.T) {
	for _, c := range []struct {
		short   loop.Settled
		outages int
	}{
		{loop.Settled{Outcome: loop.Short, Spent: 50, Lost: 50}, 1},
		{loop.Settled{Outcome: loop.Short, Spent: 80, Lost: 50}, 0},
	} {
		b := open(t, newOpened(cells(3), loop.Limits{Concurrency: 1}))
		for range 2 {
			runs, _ := b.next()
			s := settleTrouble(loop.Passing, "timeout")(runs[0])
			s.Job, s.Spent, s.Lost = runs[0].Job.Number, 50, 50
			b.write(loop.KindSettled, s)
		}
		runs, _ := b.next()
		c.short.Job = runs[0].Job.Number
		b.write(loop.KindSettled, c.short)
		if got := b.state.Outages(); len(got) != c.outages {
			t.Errorf("%+v: outages %+v", c.short, got)
		}
		if more, _ := b.next(); len(more) != 1 || more[0].Probe != (c.outages == 1) || more[0].Job.Number == c.short.Job {
			t.Errorf("%+v: then %+v", c.short, more)
		}
	}
}

// Waits that the operator ends after the deadline of an outage, in a paused loop, have ten
// minutes again.
func TestOutageAfterLongPause(t *testing.T) {
	b := open(t, newOpened(cells(2), loop.Limits{Concurrency: 1}))
	runs, _ := b.next()
	s := settleTrouble(loop.Passing, "timeout")(runs[0])
	s.Job = 1
	b.write(loop.KindSettled, s)
	b.write(loop.KindPaused, loop.Paused{By: "operator"})
	b.now = b.now.Add(time.Hour)
	b.write(loop.KindUnpaused, loop.Paused{By: "operator"})
	b.next()
	b.write(loop.KindSettled, s)
	if got := b.state.Outages(); len(got) != 1 || b.state.Count(loop.Broken) != 0 {
		t.Errorf("%+v, %+v", got, b.state.Jobs)
	}
}

// A session that the operator finished keeps what the loop spent on it.
func TestFinishedManuallyKeepsCosts(t *testing.T) {
	b := open(t, newOpened(cells(1), loop.Limits{}))
	b.finish(func(loop.Run) loop.Settled { return loop.Settled{Outcome: loop.Short, Spent: 50, Lost: 40} })
	b.state.UpdateByHand(loop.Settled{Job: 1, Outcome: loop.Short, Version: 3, Spent: 70, Lost: 60})
	if j := b.state.Jobs[0]; j.Status != loop.Cut || j.Settled.Version != 3 || j.Settled.Spent != 50 || j.ByHand != 20 {
		t.Errorf("out of budget again: %+v", j)
	}
	b.state.UpdateByHand(loop.Settled{Job: 1, Outcome: loop.Done, Spent: 90, Lost: 60})
	if j := b.state.Jobs[0]; j.Status != loop.Finished || j.Settled.Spent != 50 || j.Settled.Lost != 40 {
		t.Errorf("%+v", j)
	}
}

// A new address ends the wait for the old one.
func TestNewAddressEndsOutage(t *testing.T) {
	way := func(address string) []loop.RosterWays {
		return []loop.RosterWays{{Roster: "r", Agents: []flow.Party{{Name: "BlueLake", Way: &flow.Way{Endpoint: address}}}}}
	}
	for address, ends := range map[string]bool{"http://new/v1": true, "http://old/v1": false} {
		o := newOpened(cells(2), loop.Limits{Concurrency: 1})
		o.Ways = way("http://old/v1")
		for i := range o.Work.Cells {
			o.Ways[0].Roster, o.Ways[0].Model = o.Work.Cells[i].Roster, o.Work.Cells[i].Model
		}
		b := open(t, o)
		runs, _ := b.next()
		settled := settleTrouble(loop.Passing, "refused")(runs[0])
		settled.Job = runs[0].Job.Number
		b.write(loop.KindSettled, settled)
		if len(b.state.Outages()) != 1 {
			t.Fatalf("outages: %+v", b.state.Outages())
		}
		b.write(loop.KindLeft, loop.Left{Reason: "interrupted"})
		moved := way(address)
		moved[0].Roster, moved[0].Model = o.Ways[0].Roster, o.Ways[0].Model
		b.write(loop.KindResumed, loop.Resumed{Ways: moved})
		if ended := len(b.state.Outages()) == 0; ended != ends {
			t.Errorf("%s: %+v", address, b.state.Outages())
		}
		checkJustified(t, b)
	}
}
