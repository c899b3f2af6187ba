package runner_test

import (
	"testing"

	"brenner/loop"
	"brenner/loop/report"
	"brenner/loop/runner"
	"brenner/loop/runner/looptest"
	"brenner/store/opentest"
)

// The needs counted in the loop's journal are those listed in its report, each with a
// command.
func TestNeedsAgree(t *testing.T) {
	st := opentest.New(t)
	s, err := loopRunner(st, looptest.FastScript()).Start(t.Context(), looptest.NewOpened(looptest.Work(2, 2), loop.Limits{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := runner.Gather(t.Context(), st, s)
	if err != nil {
		t.Fatal(err)
	}
	listed := make(map[string]int)
	for _, n := range r.Person {
		if n.What == "" || n.Command == "" {
			t.Errorf("%+v has no text or no command", n)
		}
		if n.Kind == report.NeedConflict || n.Kind == report.NeedStalemate {
			listed[n.Session]++
		}
	}
	if got := s.Attention(); got != len(r.Person) {
		t.Errorf("the journal counts %d items, the report lists %d", got, len(r.Person))
	}
	needing := 0
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if got := j.Settled.Needs(); got != listed[j.Thread] {
			t.Errorf("%s: the journal counts %d, the report lists %d", j.Thread, got, listed[j.Thread])
		}
		needing += j.Settled.Needs()
	}
	if needing == 0 || len(s.Needing()) == 0 {
		t.Error("nothing needs a person, but the script has a conflict after its second round")
	}
}
