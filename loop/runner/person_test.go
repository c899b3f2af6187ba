package runner_test

import (
	"testing"

	"brenner/loop"
	"brenner/loop/runner"
	"brenner/store/memory"
)

// TestNeedsAgree: what the loop's journal counts as in need of a person is what its
// report lists, session by session, each with a command.
func TestNeedsAgree(t *testing.T) {
	st := memory.New()
	s, err := loopRunner(st, swift()).Start(t.Context(), opened(work(2, 2), loop.Limits{}), nil)
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
			t.Errorf("%+v says not what to do", n)
		}
		listed[n.Session]++
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
		t.Error("nothing of it needs a person: the script has a conflict after its second round")
	}
}
