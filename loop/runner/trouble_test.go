package runner_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
)

// endpoint is a model endpoint that fails until an instant.
type endpoint struct {
	code  fault.Code
	back  time.Time
	calls atomic.Int64
}

func (x *endpoint) around(a agent.Agent) agent.Agent {
	return agent.Func(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
		if time.Now().Before(x.back) {
			x.calls.Add(1)
			return agent.Reply{}, &agent.Failure{Code: x.code, Detail: "127.0.0.1:1: connection refused"}
		}
		return a.Ask(ctx, c)
	})
}

// realRunner returns a runner whose agents are behind an endpoint.
func realRunner(st looptest.Store, x *endpoint) *runner.Runner {
	g := &looptest.Preparer{Store: st, Now: time.Now, Script: func(*loop.Job) *rehearsal.Script { return looptest.FastScript() }, Around: x.around, Real: true}
	return &runner.Runner{Store: st, Locks: st, Now: time.Now, Sessions: g.Session}
}

func realWork(sessions int) loop.Work {
	w := looptest.Work(sessions, 1)
	w.Script, w.Via = "", "openai"
	return w
}

// A night with an outage of nine minutes loses nothing: no session fails.
func TestNineMinuteOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, began := memory.New(), time.Now()
		x := &endpoint{code: agent.Unavailable, back: began.Add(9 * time.Minute)}
		reached := 0
		r := realRunner(st, x)
		r.Observe = func(e *journal.Entry, _ *loop.State) {
			if e.Kind == loop.KindReached {
				reached++
			}
		}
		s, err := r.Start(t.Context(), looptest.NewOpened(realWork(6), loop.Limits{Concurrency: 2}), nil)
		if err != nil || s.Ended != loop.EndRounds || s.Count(loop.Finished) != 6 {
			t.Fatalf("%v, ended by %s: %+v", err, s.Ended, s.Jobs)
		}
		if took := time.Since(began); took < 9*time.Minute || took > 11*time.Minute || reached != 1 {
			t.Errorf("took %s, reached %d times", took, reached)
		}
		if calls := x.calls.Load(); calls > 3*10 {
			t.Errorf("%d calls during the outage", calls)
		}
		checkProven(t, st)
	})
}

// After ten minutes the loop stops, says why, and continues when it is run again.
func TestLongOutageStopsTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, began := memory.New(), time.Now()
		x := &endpoint{code: agent.TimedOut, back: began.Add(time.Hour)}
		s, err := realRunner(st, x).Start(t.Context(), looptest.NewOpened(realWork(4), loop.Limits{Concurrency: 2}), nil)
		if err != nil || s.Ended != loop.EndCause || s.Count(loop.Broken) != 2 || time.Since(began) != loop.Patience {
			t.Fatalf("after %s: %v, ended by %s: %+v", time.Since(began), err, s.Ended, s.Jobs)
		}
		if c := s.Stopped(); c == nil || c.Code != agent.TimedOut {
			t.Errorf("cause: %+v", c)
		}
		checkProven(t, st)
		time.Sleep(time.Hour)
		if s, err = realRunner(st, x).Resume(t.Context(), "night", nil); err != nil || s.Count(loop.Finished) != 4 {
			t.Errorf("then: %v, %+v", err, s.Jobs)
		}
		checkProven(t, st)
	})
}

// A rejected key stops the loop at once.
func TestLastingCauseStopsTheLoop(t *testing.T) {
	for _, code := range []fault.Code{agent.NoAuth, agent.Forbidden, agent.ModelUnknown, agent.HostUnknown} {
		synctest.Test(t, func(t *testing.T) {
			st, began := memory.New(), time.Now()
			x := &endpoint{code: code, back: began.Add(time.Second)}
			s, err := realRunner(st, x).Start(t.Context(), looptest.NewOpened(realWork(9), loop.Limits{Concurrency: 2, Retry: 3}), nil)
			if err != nil || s.Ended != loop.EndCause || s.Count(loop.Broken) > 3 || s.Stopped().Code != code || !time.Now().Equal(began) {
				t.Fatalf("%s: %v, ended by %s: %+v", code, err, s.Ended, s.Jobs)
			}
			checkProven(t, st)
			time.Sleep(time.Second)
			if s, err = realRunner(st, x).Resume(t.Context(), "night", nil); err != nil || s.Count(loop.Finished) != 9 {
				t.Errorf("%s: then %v, %+v", code, err, s.Jobs)
			}
			checkProven(t, st)
		})
	}
}

// A wait can be interrupted, stopped and continued: by a signal, by a kill, by the operator.
func TestOutageCanBeInterrupted(t *testing.T) {
	for _, how := range []string{"drain", "cancel", "stop"} {
		synctest.Test(t, func(t *testing.T) {
			st, began := memory.New(), time.Now()
			x := &endpoint{code: agent.Unavailable, back: began.Add(5 * time.Minute)}
			r := realRunner(st, x)
			drain := make(chan struct{})
			r.Drain = drain
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				time.Sleep(2*time.Minute + time.Second/3)
				switch how {
				case "drain":
					close(drain)
				case "cancel":
					cancel()
				case "stop":
					_, err := runner.Steer(t.Context(), st, time.Now, "night", loop.KindStopping, func(*loop.State) (any, error) { return loop.Stopping{By: "op"}, nil })
					if err != nil {
						t.Error(err)
					}
				}
			}()
			s, err := r.Start(ctx, looptest.NewOpened(realWork(4), loop.Limits{Concurrency: 2}), nil)
			if took := time.Since(began); err != nil || took > 2*time.Minute+time.Second || s.Count(loop.Broken) != 0 {
				t.Fatalf("%s: after %s: %v, %+v", how, took, err, s)
			}
			if ended := map[bool]string{true: loop.EndStopped}[how == "stop"]; s.Ended != ended {
				t.Errorf("%s: ended by %q", how, s.Ended)
			}
			if s, err = realRunner(st, x).Resume(t.Context(), "night", nil); err != nil || s.Count(loop.Finished) != 4 {
				t.Errorf("%s: then %v, %+v", how, err, s.Jobs)
			}
			if took := time.Since(began); took < 5*time.Minute || took > 7*time.Minute {
				t.Errorf("%s: took %s", how, took)
			}
			checkProven(t, st)
		})
	}
}

// A run that is killed at any entry of its journal during an outage continues from there.
func TestKilledDuringOutage(t *testing.T) {
	for at := 2; at < 16; at++ {
		synctest.Test(t, func(t *testing.T) {
			st, began := memory.New(), time.Now()
			x := &endpoint{code: agent.Unavailable, back: began.Add(4 * time.Minute)}
			r := realRunner(st, x)
			ctx, kill := context.WithCancel(t.Context())
			defer kill()
			r.Observe = func(e *journal.Entry, _ *loop.State) {
				if e.Seq == at {
					kill()
				}
			}
			if _, err := r.Start(ctx, looptest.NewOpened(realWork(3), loop.Limits{Concurrency: 2}), nil); err != nil && ctx.Err() == nil {
				t.Fatal(err)
			}
			s, err := realRunner(st, x).Resume(t.Context(), "night", nil)
			if err != nil || s.Count(loop.Finished) != 3 {
				t.Errorf("killed at entry %d: %v, %s", at, err, fmt.Sprint(s.Jobs))
			}
			checkProven(t, st)
		})
	}
}

// Calls that time out in an outage may have cost all that was reserved for them. That is counted,
// but it does not exhaust the budget of a session, whatever its size.
func TestTimeoutsDoNotExhaustBudgets(t *testing.T) {
	for _, budget := range []int{18_000, 22_000, 40_000} {
		synctest.Test(t, func(t *testing.T) {
			w, clean := realWork(3), memory.New()
			w.Settings.Budget, w.Settings.Reply = budget, 3000
			want, err := realRunner(clean, &endpoint{}).Start(t.Context(), looptest.NewOpened(w, loop.Limits{Concurrency: 2}), nil)
			if err != nil || want.Count(loop.Finished) != 3 || want.Jobs[0].Settled.Lost != 0 {
				t.Fatalf("without an outage: %v, %+v", err, want.Jobs)
			}
			st := memory.New()
			x := &endpoint{code: agent.TimedOut, back: time.Now().Add(9 * time.Minute)}
			s, err := realRunner(st, x).Start(t.Context(), looptest.NewOpened(w, loop.Limits{Concurrency: 2, Tokens: 50 * budget}), nil)
			if err != nil || s.Ended != loop.EndRounds || s.Count(loop.Finished) != 3 || s.Runs != 1 {
				t.Fatalf("budget %d: %v, ended by %s: %+v", budget, err, s.Ended, s.Jobs)
			}
			lost := 0
			for i := range s.Jobs {
				got := &s.Jobs[i].Settled
				lost += got.Lost
				if got.Version != want.Jobs[i].Settled.Version || got.Spent-got.Lost != want.Jobs[i].Settled.Spent {
					t.Errorf("session %d: %+v", i+1, got)
				}
			}
			if s.Spent.Tokens != want.Spent.Tokens+lost || s.Jobs[0].Settled.Lost <= budget/2 {
				t.Errorf("budget %d: spent %d, %d of it for calls without a reply", budget, s.Spent.Tokens, lost)
			}
			rep, err := runner.Gather(t.Context(), st, s)
			if err != nil || rep.Lost != lost || !strings.Contains(string(rep.Markdown()), fmt.Sprintf("\n- %d of these tokens are assumed for calls without a usable reply\n", lost)) {
				t.Errorf("budget %d: %v, report:\n%s", budget, err, rep.Markdown())
			}
			checkProven(t, st)
		})
	}
}

// The loop's own budget holds in an outage, and the report says what used it up.
func TestTimeoutsCountForTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, w := memory.New(), realWork(2)
		w.Settings.Budget = 20_000
		x := &endpoint{code: agent.TimedOut, back: time.Now().Add(time.Hour)}
		s, err := realRunner(st, x).Start(t.Context(), looptest.NewOpened(w, loop.Limits{Concurrency: 1, Tokens: 30_000}), nil)
		if err != nil || s.Ended != loop.EndBudget || s.Spent.Tokens > 30_000 || s.Count(loop.Cut) != 0 {
			t.Fatalf("%v, ended by %s, spent %v: %+v", err, s.Ended, s.Spent, s.Jobs)
		}
		if c := s.Hindrance(); c == nil || c.Code != agent.TimedOut {
			t.Errorf("hindrance: %+v", c)
		}
		checkProven(t, st)
	})
}

// A loop that began with the second rules keeps them, and its journal gets no new keys.
func TestSecondRulesKeepBudgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, w := memory.New(), realWork(1)
		w.Settings.Budget, w.Settings.Reply = 22_000, 3000
		o := looptest.NewOpened(w, loop.Limits{})
		o.Rules = "loop/2"
		data, err := journal.Encode(o)
		if err != nil {
			t.Fatal(err)
		}
		e, err := journal.Head{}.Next("loop/night", time.Now(), loop.KindOpened, data)
		if err != nil {
			t.Fatal(err)
		}
		if err := st.Write(t.Context(), store.Batch{Appends: []store.Append{{Stream: e.Stream, Entries: []journal.Entry{e}}}}); err != nil {
			t.Fatal(err)
		}
		x := &endpoint{code: agent.TimedOut, back: time.Now().Add(9 * time.Minute)}
		r := realRunner(st, x)
		r.Observe = func(e *journal.Entry, _ *loop.State) {
			if strings.Contains(string(e.Body), "lost_") || strings.Contains(string(e.Body), `"silent"`) {
				t.Errorf("new keys: %s", e.Body)
			}
		}
		s, err := r.Resume(t.Context(), "night", nil)
		if err != nil || s.Count(loop.Cut) != 1 {
			t.Errorf("%v, %+v", err, s.Jobs)
		}
		rep, err := runner.Gather(t.Context(), st, s)
		if err != nil || rep.Lost != s.Jobs[0].Settled.Spent {
			t.Errorf("%v, %d of %d tokens lost", err, rep.Lost, s.Jobs[0].Settled.Spent)
		}
		checkProven(t, st)
	})
}

// Sessions that waited out an outage take what the total budget still allows.
func TestSessionsShareWhatAnOutageLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, w := memory.New(), realWork(3)
		w.Settings.Budget, w.Settings.Reply = 40_000, 3000
		x := &endpoint{code: agent.TimedOut, back: time.Now().Add(10 * time.Second)}
		s, err := realRunner(st, x).Start(t.Context(), looptest.NewOpened(w, loop.Limits{Concurrency: 3, Tokens: 125_000}), nil)
		if err != nil || s.Ended != loop.EndRounds || s.Count(loop.Finished) != 3 || s.Spent.Tokens > 125_000 {
			t.Errorf("%v, ended by %s, spent %v: %+v", err, s.Ended, s.Spent, s.Jobs)
		}
		checkProven(t, st)
	})
}
