package runner_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/store/memory"
)

// A stop request and the time limit end waits for a provider's retry time; nothing more is
// sent.
func TestStopEndsWaitsInCalls(t *testing.T) {
	for _, timed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			st := memory.New()
			script := parse(t, strings.Replace(quota, "after: 2h", "after: 2h, retry: true", 1))
			var asked atomic.Int64
			g := &looptest.Preparer{Store: st, Now: time.Now, Tries: 3, Script: func(*loop.Job) *rehearsal.Script { return script }, Around: func(a agent.Agent) agent.Agent {
				return agentFunc(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
					asked.Add(1)
					return a.Ask(ctx, c)
				})
			}}
			r := &runner.Runner{Store: st, Locks: st, Now: time.Now, Sessions: g.Session}
			began := time.Now()
			limits, reason := loop.Limits{}, loop.EndStopped
			if timed {
				limits.Until, reason = artifact.FormatInstant(began.Add(4*time.Second)), loop.EndTime
			} else {
				time.AfterFunc(4*time.Second, func() {
					_, err := runner.Steer(t.Context(), st, time.Now, "night", loop.KindStopping, func(*loop.State) (any, error) {
						return loop.Stopping{By: "operator"}, nil
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
			s, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), limits), nil)
			if err != nil || s.Ended != reason || time.Since(began) > 5*time.Second || asked.Load() != 3 {
				t.Errorf("after %s and %d calls: %v, %+v", time.Since(began), asked.Load(), err, s)
			}
		})
	}
}

// A session whose last replies arrive after the time limit is done.
func TestSessionFinishesAfterTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		limits := loop.Limits{Until: artifact.FormatInstant(time.Now().Add(30 * time.Second))}
		s, err := slowRunner(t, st).Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), limits), nil)
		if err != nil || s.Ended != loop.EndTime || s.Count(loop.Finished) != 1 {
			t.Errorf("%v, %s, %+v", err, s.Ended, s.Jobs)
		}
	})
}

// A drained run lets its calls finish, and the next one resumes.
func TestDrainAndResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		r := slowRunner(t, st)
		drain := make(chan struct{})
		r.Drain = drain
		time.AfterFunc(30*time.Second, func() { close(drain) })
		began := time.Now()
		s, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(3, 2), loop.Limits{Concurrency: 2}), nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.Ended != "" || s.Left == "" || s.Reserved.Tokens != 0 || s.Count(loop.Waiting) != 3 || time.Since(began) > time.Minute+time.Second {
			t.Errorf("after %s: %+v", time.Since(began), s)
		}
		r.Drain = nil
		s, err = r.Resume(t.Context(), "night", nil)
		if err != nil || s.Ended != loop.EndRounds || s.Count(loop.Finished) != 3 {
			t.Errorf("%v, %+v", err, s)
		}
		artifacts(t, st, s)
	})
}

// A cancelled run ends immediately, and the next one resumes.
func TestCancelAndResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		r := slowRunner(t, st)
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		began := time.Now()
		s, err := r.Start(ctx, looptest.NewOpened(looptest.Work(3, 2), loop.Limits{Concurrency: 2}), nil)
		if err != nil || s.Left == "" || time.Since(began) > 91*time.Second {
			t.Fatalf("after %s: %v, %+v", time.Since(began), err, s)
		}
		s, err = r.Resume(t.Context(), "night", nil)
		if err != nil || s.Ended != loop.EndRounds || s.Count(loop.Finished) != 3 {
			t.Errorf("%v, %+v", err, s)
		}
		artifacts(t, st, s)
	})
}

// At the time limit, calls in flight finish and nothing else starts.
func TestTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		began := time.Now()
		limits := loop.Limits{Concurrency: 2, Until: artifact.FormatInstant(began.Add(90 * time.Second))}
		s, err := slowRunner(t, st).Start(t.Context(), looptest.NewOpened(looptest.Work(3, 5), limits), nil)
		if err != nil || s.Ended != loop.EndTime || s.Count(loop.Waiting) != 3 || time.Since(began) != 2*time.Minute {
			t.Errorf("after %s: %v, %s, %+v", time.Since(began), err, s.Ended, s.Jobs)
		}
		checkProven(t, st)
	})
}

// An operator pauses, adds and stops from another process.
func TestSteering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		steer := func(kind string, body any) {
			_, err := runner.Steer(t.Context(), st, time.Now, "night", kind, func(*loop.State) (any, error) { return body, nil })
			if err != nil {
				t.Error(err)
			}
		}
		time.AfterFunc(10*time.Second, func() { steer(loop.KindPaused, loop.Paused{By: "operator"}) })
		time.AfterFunc(time.Hour, func() {
			s, err := runner.Load(t.Context(), st, "night")
			if err != nil || !s.Paused || s.Count(loop.Finished) != 1 || s.Count(loop.Running) != 0 {
				t.Errorf("paused: %v, %+v", err, s)
			}
			steer(loop.KindAdded, loop.Added{By: "operator", Questions: []loop.Question{{ID: "more", Question: "And?"}}, Cells: []loop.Cell{{Question: "more", Roster: "three"}}})
			steer(loop.KindUnpaused, loop.Paused{By: "operator"})
		})
		// The second session takes two minutes; then the third runs.
		time.AfterFunc(time.Hour+150*time.Second, func() { steer(loop.KindStopping, loop.Stopping{By: "operator"}) })
		s, err := slowRunner(t, st).Start(t.Context(), looptest.NewOpened(looptest.Work(3, 2), loop.Limits{Concurrency: 1}), nil)
		if err != nil || s.Ended != loop.EndStopped || s.Count(loop.Finished) != 2 || s.Count(loop.Waiting) != 2 {
			t.Fatalf("%v, %s, %+v", err, s.Ended, s.Jobs)
		}
		checkProven(t, st)
		_, err = runner.Steer(t.Context(), st, time.Now, "night", loop.KindPaused, func(*loop.State) (any, error) { return loop.Paused{}, nil })
		if fault.CodeOf(err) != runner.IsEnded {
			t.Errorf("an ended loop was paused: %v", err)
		}
	})
}
