package runner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"brenner/agent"
	"brenner/agent/rehearsal"
	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/loop"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/session"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/memory"
	"brenner/store/opentest"
)

// A loop never exceeds its budget, and reports which sessions were not done.
func TestBudgetIsNeverExceeded(t *testing.T) {
	st := opentest.New(t)
	w := looptest.Work(8, 1)
	w.Settings.Budget = 30_000
	const all = 100_000
	r := loopRunner(st, looptest.FastScript())
	r.Observe = func(_ *journal.Entry, s *loop.State) {
		if s.Spent.Tokens+s.Reserved.Tokens > all {
			t.Errorf("%d tokens spent, %d reserved", s.Spent.Tokens, s.Reserved.Tokens)
		}
	}
	s, err := r.Start(t.Context(), looptest.NewOpened(w, loop.Limits{Rounds: 2, Concurrency: 8, Tokens: all}), nil)
	if err != nil {
		t.Fatal(err)
	}
	artifacts(t, st, s)
	if s.Ended != loop.EndBudget || s.Spent.Tokens > all || s.Spent.Tokens+30_000 <= all {
		t.Errorf("ended by %s with %d tokens spent", s.Ended, s.Spent.Tokens)
	}
	rep, err := runner.Gather(t.Context(), st, s)
	if err != nil {
		t.Fatal(err)
	}
	undone := 0
	for i := range s.Jobs {
		if !s.Jobs[i].Final() {
			undone++
		}
	}
	if len(rep.Undone) != undone || undone == 0 || rep.NotOpened != 8 {
		t.Errorf("the report has %d undone and %d unopened sessions", len(rep.Undone), rep.NotOpened)
	}
	if text := string(rep.Markdown()); !strings.Contains(text, "## Not done") || !strings.Contains(text, "8 sessions in rounds that were not opened") {
		t.Errorf("the report does not list undone sessions:\n%s", text)
	}
}

// A session stopped by its own budget is not done. It has its own status, and the report
// lists it as undone with a command that raises the budget.
func TestSessionsShortOfBudget(t *testing.T) {
	for _, c := range []struct {
		budget int
		detail string
	}{
		{100, "its budget of 100 tokens does not reach for one call"},
		{16000, "its budget of 16000 tokens reached for 1 of 3 rounds"},
	} {
		st := opentest.New(t)
		w := looptest.Work(1, 3)
		w.Settings.Budget = c.budget
		s, err := loopRunner(st, looptest.FastScript()).Start(t.Context(), looptest.NewOpened(w, loop.Limits{Quiet: 1, Rounds: 3}), nil)
		if err != nil || s.Ended != loop.EndRounds && s.Ended != loop.EndQuiet {
			t.Fatalf("%v, %s", err, s.Ended)
		}
		j := s.Jobs[0]
		if j.Status != loop.Cut || j.Settled.Reason != "budget" || !strings.HasPrefix(j.Settled.Detail, c.detail) || s.Count(loop.Finished) != 0 {
			t.Errorf("%d: %+v", c.budget, j)
		}
		if quiet := s.Ended == loop.EndQuiet; quiet != (j.Settled.Merged > 0) {
			t.Errorf("%d: ended by %s, %d rounds merged", c.budget, s.Ended, j.Settled.Merged)
		}
		rep, err := runner.Gather(t.Context(), st, s)
		if err != nil || rep.Short != len(s.Jobs) || len(rep.Undone) != len(s.Jobs) {
			t.Fatalf("%v, %+v", err, rep)
		}
		text := string(rep.Markdown())
		if !strings.Contains(text, c.detail) || !strings.Contains(text, "`brenner session resume "+threadID(1)+" --budget-tokens ") || strings.Contains(text, " failed") || !strings.Contains(text, fmt.Sprintf(", %d out of budget", rep.Short)) {
			t.Errorf("report:\n%s", text)
		}
		// The budget in the command is large enough to continue.
		fields := strings.Fields(rep.Undone[0].Command)
		budget, err := strconv.Atoi(fields[len(fields)-1])
		if err != nil || budget < 2*c.budget || budget < j.Settled.Spent+j.Settled.Wants {
			t.Errorf("%s: %v", rep.Undone[0].Command, err)
		}
	}
}

// A session that follows one without replies is skipped.
func TestFollowersOfUnansweredSessionsAreSkipped(t *testing.T) {
	st := opentest.New(t)
	broken := parse(t, strings.Replace(quota, "times: 1, after: 2h", "times: 0", 1))
	w := looptest.Work(2, 1)
	w.Cells[0].ID, w.Cells[1].After = "first", "first"
	s, err := loopRunner(st, broken).Start(t.Context(), looptest.NewOpened(w, loop.Limits{Quiet: 1, Rounds: 2}), nil)
	if err != nil || s.Ended != loop.EndRounds {
		t.Fatalf("%v, %s", err, s.Ended)
	}
	if j := s.Jobs[1]; j.Status != loop.Omitted || j.Settled.Spent != 0 || !strings.Contains(j.Settled.Detail, "got no replies") {
		t.Errorf("%+v", j)
	}
}

// quota is a script in which the critic's first call fails for lack of quota.
const quota = `schema: brenner.rehearsal/v1
question: Why?
agents:
  - role: hypothesis_generator
    rounds: [{reply: "NO CHANGES: nothing to add"}]
  - role: test_designer
    rounds: [{reply: "NO CHANGES: nothing to add"}]
  - role: adversarial_critic
    rounds:
      - fail: {code: AGENT_UNAVAILABLE, message: no quota, times: 1, after: 2h}
        reply: "NO CHANGES: nothing to add"
`

// A quota pauses the loop until the provider's retry time. Then the session is resumed
// without repeating answered calls.
func TestQuotaPausesLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := memory.New()
		script := parse(t, quota)
		var mu sync.Mutex
		asked := make(map[string]int)
		g := &looptest.Preparer{Store: st, Now: time.Now, Script: func(*loop.Job) *rehearsal.Script { return script }, Around: func(a agent.Agent) agent.Agent {
			return agentFunc(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
				mu.Lock()
				asked[c.Agent]++
				mu.Unlock()
				return a.Ask(ctx, c)
			})
		}}
		r := &runner.Runner{Store: st, Locks: st, Now: time.Now, Sessions: g.Session, Poll: time.Hour}
		began := time.Now()
		s, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), loop.Limits{}), nil)
		if err != nil {
			t.Fatal(err)
		}
		checkProven(t, st)
		if waited := time.Since(began); waited < 2*time.Hour || waited > 2*time.Hour+time.Second {
			t.Errorf("waited %s", waited)
		}
		if s.Ended != loop.EndRounds || s.Count(loop.Finished) != 1 || s.Jobs[0].Attempts != 2 || asked["BlueLake"] != 1 || asked["GreenValley"] != 2 {
			t.Errorf("%s, %+v, %v", s.Ended, s.Jobs[0], asked)
		}
	})
}

type agentFunc func(context.Context, agent.Call) (agent.Reply, error)

func (f agentFunc) Ask(ctx context.Context, c agent.Call) (agent.Reply, error) { return f(ctx, c) }

// slow is a script with slow agents.
const slow = `schema: brenner.rehearsal/v1
question: Why?
agents:
  - role: hypothesis_generator
    rounds: [{reply: "NO CHANGES: nothing to add", delay: 1m}, {reply: "NO CHANGES: nothing to add", delay: 1m}]
  - role: test_designer
    rounds: [{reply: "NO CHANGES: nothing to add", delay: 1m}, {reply: "NO CHANGES: nothing to add", delay: 1m}]
  - role: adversarial_critic
    rounds: [{reply: "NO CHANGES: nothing to add", delay: 1m}, {reply: "NO CHANGES: nothing to add", delay: 1m}]
`

func slowRunner(t testing.TB, st looptest.Store) *runner.Runner {
	script := parse(t, slow)
	g := &looptest.Preparer{Store: st, Now: time.Now, Script: func(*loop.Job) *rehearsal.Script { return script }}
	return &runner.Runner{Store: st, Locks: st, Now: time.Now, Sessions: g.Session}
}

// A follow-up session starts from the earlier one and refers to it.
func TestFollowUps(t *testing.T) {
	st := opentest.New(t)
	w := looptest.Work(1, 3)
	w.Follow = &loop.Follow{From: loop.FollowOwn, Take: loop.Sections(), Relation: "refines"}
	s, err := loopRunner(st, looptest.FastScript()).Start(t.Context(), looptest.NewOpened(w, loop.Limits{Rounds: 2}), nil)
	if err != nil {
		t.Fatal(err)
	}
	checkProven(t, st)
	h, err := session.Load(t.Context(), st, s.Jobs[1].Thread)
	if err != nil {
		t.Fatal(err)
	}
	begun, err := h.Artifact(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	earlier, err := session.Load(t.Context(), st, s.Jobs[0].Thread)
	if err != nil {
		t.Fatal(err)
	}
	was, err := earlier.Artifact(t.Context(), earlier.State.Version())
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range []artifact.Section{artifact.HypothesisSlate, artifact.PredictionsTable, artifact.DiscriminativeTests, artifact.AnomalyRegister} {
		if len(begun.Active(section)) != len(was.Active(section)) {
			t.Errorf("%s: inherited %d of %d", section, len(begun.Active(section)), len(was.Active(section)))
		}
		for _, it := range begun.Active(section) {
			refs, _ := it.Get("references").(artifact.List)
			if len(refs) != 1 || !strings.Contains(string(artifact.Canonical(refs)), threadID(1)) || len(it.Unresolved()) > 0 {
				t.Errorf("%s refers to %v, unresolved %v", it.ID, refs, it.Unresolved())
			}
		}
	}
	// Predictions are for the same hypotheses under their new ids.
	old, fresh := was.Active(artifact.PredictionsTable)[0], begun.Active(artifact.PredictionsTable)[0]
	for _, e := range fresh.Map("predictions") {
		now, _, _ := begun.Find(e.Key)
		for _, o := range old.Map("predictions") {
			before, _, _ := was.Find(o.Key)
			if now.Text("claim") == before.Text("claim") && string(artifact.Canonical(o.Value)) != string(artifact.Canonical(e.Value)) {
				t.Errorf("%s had %v for %s, now %v for %s", old.ID, o.Value, o.Key, e.Value, e.Key)
			}
		}
	}
	proof, err := session.Verify(t.Context(), st, s.Jobs[1].Thread, "")
	if err != nil || errors.Join(proof.Faults...) != nil {
		t.Errorf("%v, %v", err, errors.Join(proof.Faults...))
	}
}

func TestLoopIsLocked(t *testing.T) {
	st := opentest.New(t)
	r := loopRunner(st, looptest.FastScript())
	release, err := r.Hold("night")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Hold("night"); fault.CodeOf(err) != store.Held {
		t.Errorf("locked twice: %v", err)
	}
	release()
	if release, err = r.Hold("night"); err != nil {
		t.Fatal(err)
	}
	release()
}

// A session that already exists under the id of the loop's session is not touched.
func TestExistingSessionIsNotTouched(t *testing.T) {
	st := opentest.New(t)
	r := loopRunner(st, looptest.FastScript())
	if _, err := r.Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), loop.Limits{}), nil); err != nil {
		t.Fatal(err)
	}
	other := opentest.New(t)
	x, err := session.Load(t.Context(), st, threadID(1))
	if err != nil {
		t.Fatal(err)
	}
	if err := copySession(t, other, x); err != nil {
		t.Fatal(err)
	}
	s, err := loopRunner(other, looptest.FastScript()).Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), loop.Limits{}), nil)
	if err != nil || s.Jobs[0].Status != loop.Broken || s.Jobs[0].Settled.Code != session.Exists || s.Spent.Tokens != 0 {
		t.Errorf("%v, %+v", err, s.Jobs[0])
	}
	checkProven(t, other)
}

func copySession(t *testing.T, to looptest.Store, h *session.History) error {
	t.Helper()
	return to.Write(t.Context(), store.Batch{Appends: []store.Append{{Stream: session.Prefix + h.Thread, Entries: h.Entries}}})
}

func TestNoGoroutineLeaks(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	if _, err := loopRunner(memory.New(), looptest.FastScript()).Start(t.Context(), looptest.NewOpened(looptest.Work(8, 1), loop.Limits{Concurrency: 4}), nil); err != nil {
		t.Fatal(err)
	}
}

func TestReportHasLessons(t *testing.T) {
	st := opentest.New(t)
	s, err := loopRunner(st, looptest.FastScript()).Start(t.Context(), looptest.NewOpened(looptest.Work(2, 3), loop.Limits{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := runner.Gather(t.Context(), st, s)
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(map[string]int)
	for _, l := range rep.Learned {
		kinds[l.Kind]++
	}
	if kinds[session.TagLesson] != 1 || kinds[session.TagKilled] != 1 || kinds[session.TagRejected] != 1 || len(kinds) != 3 {
		t.Errorf("%v", rep.Learned)
	}
	if len(rep.Questions) != 1 || len(rep.Questions[0].Disagree) == 0 || len(rep.Tests) == 0 {
		t.Errorf("%+v", rep)
	}
}

// The report reads lessons as the playbook does: also from a fence of tildes and from an
// unclosed one.
func TestReportReadsLessonsLikePlaybook(t *testing.T) {
	const script = `schema: brenner.rehearsal/v1
question: Why?
agents:
  - role: hypothesis_generator
    rounds:
      - reply: |
          ` + "```lesson" + `
          helpful: Look first.
          harmful: Guess first.
          ` + "```" + `
  - role: test_designer
    rounds:
      - reply: |
          ~~~lesson
          Count twice.
          ~~~
  - role: adversarial_critic
    rounds:
      - reply: |
          ` + "```lesson" + `
          Never closed.
`
	st := opentest.New(t)
	s, err := loopRunner(st, parse(t, script)).Start(t.Context(), looptest.NewOpened(looptest.Work(1, 1), loop.Limits{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := runner.Gather(t.Context(), st, s)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range rep.Learned {
		if l.Kind == session.TagLesson {
			got = append(got, l.Text)
		}
	}
	slices.Sort(got)
	if want := []string{"Count twice.", "Guess first.", "Look first.", "Never closed."}; !slices.Equal(got, want) {
		t.Errorf("lessons %q, want %q", got, want)
	}
}
