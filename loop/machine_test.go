package loop_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/session/flow"
	"brenner/store/journal"
)

var start = time.Date(2026, 11, 15, 22, 0, 0, 0, time.UTC)

// testLoop is a loop's journal with its state.
type testLoop struct {
	t       rapid.TB
	now     time.Time
	entries []journal.Entry
	state   *loop.State
}

func open(t rapid.TB, o loop.Opened) *testLoop {
	t.Helper()
	b := &testLoop{t: t, now: start, state: &loop.State{}}
	b.write(loop.KindOpened, o)
	return b
}

func (b *testLoop) write(kind string, body any) {
	b.t.Helper()
	data, err := journal.Encode(body)
	if err != nil {
		b.t.Fatal(err)
	}
	e, err := b.state.Head.Next("loop/night", b.now, kind, data)
	if err == nil {
		err = b.state.Apply(&e)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	b.entries = append(b.entries, e)
}

// next executes commands until sessions start, and returns those.
func (b *testLoop) next() (runs []loop.Run, ended bool) {
	b.t.Helper()
	for range 1000 {
		commands := loop.Next(b.state, b.now)
		acted := false
		for _, c := range commands {
			switch c := c.(type) {
			case loop.OpenRound:
				b.write(loop.KindRound, loop.RoundOpened(c))
				acted = true
			case loop.Skip:
				b.write(loop.KindSettled, loop.Settled{Job: c.Job.Number, Outcome: loop.Skipped})
				acted = true
			case loop.End:
				b.write(loop.KindEnded, loop.Ended(c))
				return nil, true
			case loop.Wait:
				if b.state.Count(loop.Running) == 0 {
					b.now, acted = c.Until, true
				}
			case loop.Run:
				b.begin(c)
				runs = append(runs, c)
			}
		}
		if len(runs) > 0 || !acted {
			return runs, b.state.Ended != ""
		}
	}
	b.t.Fatal("endless loop of commands")
	return nil, false
}

func (b *testLoop) begin(c loop.Run) {
	b.t.Helper()
	b.write(loop.KindBegan, loop.Began{Job: c.Job.Number, Thread: c.Thread, Base: c.Base, Reserved: c.Reserve.Tokens, ReservedUSD: c.Reserve.USD})
}

// finish runs all sessions one after the other and returns their order.
func (b *testLoop) finish(settle func(loop.Run) loop.Settled) []int {
	b.t.Helper()
	var order []int
	for {
		runs, ended := b.next()
		if ended {
			return order
		}
		if len(runs) == 0 {
			b.t.Fatalf("no commands: %+v", b.state)
		}
		for _, r := range runs {
			s := settle(r)
			s.Job = r.Job.Number
			b.write(loop.KindSettled, s)
			order = append(order, r.Job.Number)
		}
	}
}

func cells(n int) loop.Work {
	w := loop.Work{
		Questions: []loop.Question{{ID: "q", Question: "Why?"}}, Rosters: []loop.Roster{{ID: "r", Roster: jsontext.Value(`{}`)}},
		Settings: flow.Settings{Rounds: 3, Budget: 100},
	}
	for range n {
		w.Cells = append(w.Cells, loop.Cell{Question: "q", Roster: "r"})
	}
	return w
}

func newOpened(w loop.Work, l loop.Limits) loop.Opened {
	l.Rounds, l.Concurrency = max(l.Rounds, 1), max(l.Concurrency, 1)
	return loop.Opened{Name: "night", Rules: loop.Rules, Work: w, Limits: l}
}

func settleDone(loop.Run) loop.Settled {
	return loop.Settled{Outcome: loop.Done, Version: 2, Spent: 60}
}

func TestStopRules(t *testing.T) {
	claims := func(all ...string) func(loop.Run) loop.Settled {
		return func(r loop.Run) loop.Settled {
			s := settleDone(r)
			s.Says, s.Warnings = all, 1
			return s
		}
	}
	for _, c := range []struct {
		name   string
		limits loop.Limits
		settle func(loop.Run) loop.Settled
		reason string
		ran    int
	}{
		{"rounds", loop.Limits{Rounds: 2}, settleDone, loop.EndRounds, 6},
		{"time limit", loop.Limits{Rounds: 2, Until: artifact.FormatInstant(start)}, settleDone, loop.EndTime, 0},
		{"nothing new for two rounds", loop.Limits{Rounds: 9, Quiet: 2}, claims("a", "b"), loop.EndQuiet, 9},
		{"nothing left to fix", loop.Limits{Rounds: 9, Clean: true}, settleDone, loop.EndClean, 3},
		{"not clean", loop.Limits{Rounds: 2, Clean: true}, claims(), loop.EndRounds, 6},
		{"too many failures", loop.Limits{Rounds: 9, Failures: 2}, func(loop.Run) loop.Settled { return loop.Settled{Outcome: loop.Failed} }, loop.EndFailures, 2},
		{"stop on first failure", loop.Limits{Then: loop.ThenStop}, func(loop.Run) loop.Settled { return loop.Settled{Outcome: loop.Failed} }, loop.EndFailures, 1},
		{"two retries", loop.Limits{Retry: 2}, func(loop.Run) loop.Settled { return loop.Settled{Outcome: loop.Failed} }, loop.EndRounds, 9},
		{"person needed", loop.Limits{Person: true}, func(r loop.Run) loop.Settled { s := settleDone(r); s.Conflicts = 1; return s }, loop.EndPerson, 1},
		{"person needed, but no rule", loop.Limits{}, func(r loop.Run) loop.Settled { s := settleDone(r); s.Conflicts = 1; return s }, loop.EndRounds, 3},
		{"budget too small for a third session", loop.Limits{Rounds: 9, Tokens: 200}, settleDone, loop.EndBudget, 2},
		{"rounds without replies are not quiet", loop.Limits{Rounds: 2, Quiet: 1}, func(loop.Run) loop.Settled { return loop.Settled{Outcome: loop.Failed, Version: 1} }, loop.EndRounds, 6},
		{"replies of short sessions count", loop.Limits{Rounds: 9, Quiet: 1}, func(loop.Run) loop.Settled {
			return loop.Settled{Outcome: loop.Short, Version: 2, Merged: 1, Says: []string{"a"}}
		}, loop.EndQuiet, 6},
		{"short sessions are not clean", loop.Limits{Rounds: 2, Clean: true}, func(loop.Run) loop.Settled {
			return loop.Settled{Outcome: loop.Short, Version: 2, Merged: 1}
		}, loop.EndRounds, 6},
		{"budget used to the token", loop.Limits{Tokens: 220}, settleDone, loop.EndRounds, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, newOpened(cells(3), c.limits))
			order := b.finish(c.settle)
			if b.state.Ended != c.reason || len(order) != c.ran {
				t.Errorf("ended by %s after %v, want %s after %d sessions", b.state.Ended, order, c.reason, c.ran)
			}
		})
	}
}

func TestAddedWorkRuns(t *testing.T) {
	b := open(t, newOpened(cells(1), loop.Limits{Rounds: 2}))
	runs, _ := b.next()
	b.write(loop.KindAdded, loop.Added{By: "operator", Questions: []loop.Question{{ID: "new", Question: "And why?"}}, Cells: []loop.Cell{{Question: "new", Roster: "r"}}})
	b.write(loop.KindSettled, loop.Settled{Job: runs[0].Job.Number, Outcome: loop.Done, Version: 2})
	if order := b.finish(settleDone); fmt.Sprint(order) != "[2 3 4]" || b.state.Jobs[3].Cell.Question != "new" {
		t.Errorf("order %v, jobs %+v", order, b.state.Jobs)
	}
}

// TestLaws runs random outcomes in random order with crashes. The budget is never exceeded,
// no more sessions run than allowed, each ends once, and the journal alone yields the state.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := cells(rapid.IntRange(1, 6).Draw(t, "sessions"))
		limits := loop.Limits{
			Rounds: rapid.IntRange(1, 3).Draw(t, "rounds"), Concurrency: rapid.IntRange(1, 4).Draw(t, "concurrency"),
			Tokens: rapid.SampledFrom([]int{0, 100, 250, 700, 2000}).Draw(t, "tokens"), Retry: rapid.IntRange(0, 2).Draw(t, "retry"),
			Pause:    rapid.SampledFrom([]int64{0, 1000, 60_000}).Draw(t, "pause"),
			Failures: rapid.IntRange(0, 3).Draw(t, "failures"), Quiet: rapid.IntRange(0, 2).Draw(t, "quiet"), Person: rapid.Bool().Draw(t, "person"),
		}
		if rapid.Bool().Draw(t, "follow") {
			w.Follow = &loop.Follow{From: rapid.SampledFrom([]string{loop.FollowOwn, loop.FollowBest}).Draw(t, "from")}
		}
		b := open(t, newOpened(w, limits))
		spent, finals := make(map[int]int), make(map[int]int)
		var inFlight []loop.Run
		for step := 0; ; step++ {
			if step > 2000 {
				t.Fatal("the loop does not end")
			}
			runs, ended := b.next()
			inFlight = append(inFlight, runs...)
			s := b.state
			if total := s.Spent.Tokens + s.Reserved.Tokens; limits.Tokens > 0 && total > limits.Tokens {
				t.Fatalf("%d tokens spent or reserved, of %d", total, limits.Tokens)
			}
			if len(inFlight) > limits.Concurrency || s.Count(loop.Running) != len(inFlight) {
				t.Fatalf("%d sessions run, the state counts %d", len(inFlight), s.Count(loop.Running))
			}
			if ended {
				break
			}
			if len(inFlight) == 0 {
				t.Fatalf("nothing runs and no commands: %+v", s)
			}
			if rapid.IntRange(0, 9).Draw(t, "dies") == 0 {
				inFlight = nil
				b.write(loop.KindResumed, loop.Resumed{})
				continue
			}
			i := rapid.IntRange(0, len(inFlight)-1).Draw(t, "which")
			n := inFlight[i].Job.Number
			inFlight = append(inFlight[:i:i], inFlight[i+1:]...)
			spent[n] += rapid.IntRange(0, 100-spent[n]).Draw(t, "spent")
			out := loop.Settled{Job: n, Spent: spent[n], Outcome: rapid.SampledFrom([]string{loop.Done, loop.Done, loop.Done, loop.Short, loop.Failed, loop.Later, loop.Interrupted}).Draw(t, "outcome")}
			switch out.Outcome {
			case loop.Done:
				out.Version, out.Conflicts = 2, rapid.IntRange(0, 1).Draw(t, "conflicts")
				out.Says = rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 2).Draw(t, "says")
			case loop.Later:
				out.RetryAt = artifact.FormatInstant(b.now.Add(time.Minute))
			}
			b.write(loop.KindSettled, out)
			if j, _ := b.state.Job(n); j.Final() {
				finals[n]++
			}
		}
		sum := 0
		for n, times := range finals {
			if times != 1 {
				t.Errorf("session %d ended %d times", n, times)
			}
		}
		for i := range b.state.Jobs {
			sum += spent[b.state.Jobs[i].Number]
		}
		if b.state.Spent.Tokens != sum {
			t.Errorf("the loop counts %d tokens, its sessions %d", b.state.Spent.Tokens, sum)
		}
		if b.state.Ended == loop.EndRounds && slices.ContainsFunc(b.state.Jobs, func(j loop.Job) bool { return !j.Final() }) {
			t.Error("ended by rounds with unfinished jobs")
		}
		again, err := loop.Fold(b.entries)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(b.state, again, cmpopts.IgnoreUnexported(loop.State{}, loop.Job{}, loop.Work{})); diff != "" {
			t.Error(diff)
		}
	})
}

func TestUnknownRulesAreRefused(t *testing.T) {
	for _, rules := range []string{"", "loop/0", "loop/4"} {
		o := newOpened(cells(1), loop.Limits{})
		o.Rules, o.Program = rules, "brenner 9"
		data, _ := journal.Encode(o)
		e, err := journal.Head{}.Next("loop/night", start, loop.KindOpened, data)
		if err != nil {
			t.Fatal(err)
		}
		err = (&loop.State{}).Apply(&e)
		if fault.CodeOf(err) != loop.UnknownEvent || !strings.Contains(fault.HintOf(err), "brenner 9") {
			t.Errorf("%q: %v", rules, err)
		}
	}
}

// An invalid entry is refused and leaves the state unchanged.
func TestInvalidEntriesAreRefused(t *testing.T) {
	b := open(t, newOpened(cells(2), loop.Limits{}))
	runs, _ := b.next()
	refuse := func(kind string, body any) {
		t.Helper()
		data, _ := journal.Encode(body)
		e, err := b.state.Head.Next("loop/night", start, kind, data)
		if err != nil {
			t.Fatal(err)
		}
		if b.state.Apply(&e) == nil {
			t.Errorf("%s %v was accepted", kind, body)
		}
		if want, err := loop.Fold(b.entries); err != nil || !reflect.DeepEqual(b.state, want) {
			t.Errorf("%s %v was refused but changed the state: %v", kind, body, err)
		}
	}
	refuse(loop.KindBegan, loop.Began{Job: runs[0].Job.Number, Thread: runs[0].Thread})
	refuse(loop.KindBegan, loop.Began{Job: 99})
	refuse(loop.KindSettled, loop.Settled{Job: 2, Outcome: loop.Done})
	refuse(loop.KindSettled, loop.Settled{Job: 1, Outcome: "fine"})
	refuse(loop.KindRound, loop.RoundOpened{Round: 2})
	refuse(loop.KindAdded, loop.Added{Cells: []loop.Cell{{Question: "none", Roster: "r"}}})
	refuse(loop.KindAdded, loop.Added{Questions: []loop.Question{{ID: "q", Question: "And why not?"}}, Cells: []loop.Cell{{Question: "q", Roster: "r"}}})
	refuse(loop.KindOpened, newOpened(cells(1), loop.Limits{}))
	refuse("loop.exploded", struct{}{})
	refuse(loop.KindEnded, struct{ Why string }{"x"})
}

// A stop request written between runs ends the next run. It no longer holds when the loop is
// continued after that.
func TestStopRequestBetweenRuns(t *testing.T) {
	b := open(t, newOpened(cells(2), loop.Limits{}))
	b.write(loop.KindLeft, loop.Left{Reason: "interrupted"})
	if got := loop.Next(b.state, start); got != nil {
		t.Errorf("commands after the run has left: %v", got)
	}
	b.write(loop.KindStopping, loop.Stopping{By: "operator"})
	b.write(loop.KindResumed, loop.Resumed{})
	if _, ended := b.next(); !ended || b.state.Ended != loop.EndStopped {
		t.Errorf("not stopped: %+v", b.state)
	}
	b.write(loop.KindResumed, loop.Resumed{})
	if order := b.finish(settleDone); len(order) != 2 || b.state.Ended != loop.EndRounds {
		t.Errorf("order %v, ended by %s", order, b.state.Ended)
	}
}

// Failures of sessions retried on request count again.
func TestFailuresAfterRetryCount(t *testing.T) {
	b := open(t, newOpened(cells(3), loop.Limits{Failures: 3, Concurrency: 3}))
	fail := func(loop.Run) loop.Settled { return loop.Settled{Outcome: loop.Failed} }
	b.finish(fail)
	b.write(loop.KindResumed, loop.Resumed{})
	b.write(loop.KindLeft, loop.Left{Reason: "interrupted"})
	b.write(loop.KindResumed, loop.Resumed{Retry: true})
	if b.finish(fail); b.state.Ended != loop.EndFailures {
		t.Errorf("three sessions failed again, but the loop ended by %s", b.state.Ended)
	}
}

// After a loop is continued, earlier needs are forgotten and new ones count.
func TestNeedsAfterContinuingCount(t *testing.T) {
	b := open(t, newOpened(cells(2), loop.Limits{Person: true, Concurrency: 2, Rounds: 2}))
	b.finish(func(r loop.Run) loop.Settled {
		return loop.Settled{Outcome: loop.Failed, Version: 2, Merged: 1, Conflicts: r.Job.Number - 1}
	})
	if b.state.Ended != loop.EndPerson {
		t.Fatalf("ended by %s", b.state.Ended)
	}
	b.write(loop.KindResumed, loop.Resumed{Retry: true})
	b.finish(func(r loop.Run) loop.Settled {
		s := settleDone(r)
		s.Conflicts = 2 - r.Job.Number // the second session has resolved its conflict itself
		return s
	})
	if b.state.Ended != loop.EndPerson || b.state.Round != 1 {
		t.Errorf("session 1 needs a person, but the loop ended by %s in round %d", b.state.Ended, b.state.Round)
	}
}

// A continued loop is ended again only by new causes of the same rule.
func TestContinuingAfterARuleNeedsNewCauses(t *testing.T) {
	for reason, c := range map[string]struct {
		limits loop.Limits
		settle func(loop.Run) loop.Settled
	}{
		loop.EndPerson:   {loop.Limits{Person: true}, func(r loop.Run) loop.Settled { s := settleDone(r); s.Conflicts = 1; return s }},
		loop.EndFailures: {loop.Limits{Failures: 1}, func(loop.Run) loop.Settled { return loop.Settled{Outcome: loop.Failed} }},
		loop.EndQuiet:    {loop.Limits{Rounds: 9, Quiet: 1}, settleDone},
		loop.EndClean:    {loop.Limits{Rounds: 9, Clean: true}, settleDone},
	} {
		b := open(t, newOpened(cells(3), c.limits))
		first := b.finish(c.settle)
		if b.state.Ended != reason {
			t.Errorf("ended by %s, want %s", b.state.Ended, reason)
		}
		b.write(loop.KindResumed, loop.Resumed{})
		if again := b.finish(c.settle); len(again) != len(first) || b.state.Ended != reason {
			t.Errorf("%s: ran %v after %v, and ended by %s", reason, again, first, b.state.Ended)
		}
	}
}

// A budget in dollars is exact to the billionth.
func TestDollarBudget(t *testing.T) {
	w := cells(4)
	w.Settings.Budget, w.Settings.BudgetUSD = 0, 1_000_000_000
	b := open(t, newOpened(w, loop.Limits{Concurrency: 4, USD: 2_500_000_000}))
	order := b.finish(func(loop.Run) loop.Settled {
		if total := b.state.Spent.USD + b.state.Reserved.USD; total > 2_500_000_000 {
			t.Errorf("%d spent or reserved", total)
		}
		return loop.Settled{Outcome: loop.Done, Version: 2, SpentUSD: 500_000_001}
	})
	if len(order) != 3 || b.state.Ended != loop.EndBudget || b.state.Spent.USD != 1_500_000_003 {
		t.Errorf("order %v, ended by %s, spent %d", order, b.state.Ended, b.state.Spent.USD)
	}
}
