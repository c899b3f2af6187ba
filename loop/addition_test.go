package loop_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/internal/fault"
	"brenner/loop"
)

// An added question gets a free id, and a session for every chosen roster and model.
func TestAdd(t *testing.T) {
	w := cells(1)
	w.Questions = append(w.Questions, loop.Question{ID: "added-3", Question: "What?"})
	w.Rosters = append(w.Rosters, loop.Roster{ID: "s", Roster: w.Rosters[0].Roster})
	w.Models = []loop.PlanModel{{ID: "small", Model: "a"}, {ID: "large", Model: "b"}}
	s := open(t, newOpened(w, loop.Limits{})).state
	for name, c := range map[string]struct {
		add  loop.Addition
		want []loop.Cell
	}{
		"all": {loop.Addition{Question: " Who? "}, []loop.Cell{
			{Question: "added-4", Roster: "r", Model: "small"},
			{Question: "added-4", Roster: "r", Model: "large"},
			{Question: "added-4", Roster: "s", Model: "small"},
			{Question: "added-4", Roster: "s", Model: "large"},
		}},
		"one": {loop.Addition{Question: "Who?", Roster: "s", Model: "large", Seed: seed(0), After: "RS-20261115-night-0003"}, []loop.Cell{
			{Question: "added-4", Roster: "s", Model: "large", Seed: seed(0), After: "RS-20261115-night-0003"},
		}},
	} {
		added, err := s.Add(&c.add)
		want := loop.Added{Questions: []loop.Question{{ID: "added-4", Question: "Who?"}}, Cells: c.want}
		if diff := cmp.Diff(want, added); err != nil || diff != "" {
			t.Errorf("%s: error %v, -want +got:\n%s", name, err, diff)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	full := cells(1)
	full.Cells = make([]loop.Cell, loop.MaxSessions)
	long := newOpened(cells(1), loop.Limits{Rounds: 60_000})
	long.Name = "a-name-of-just-thirty-four-letters"
	for _, c := range []struct {
		opened loop.Opened
		add    loop.Addition
		want   string
	}{
		{newOpened(cells(1), loop.Limits{}), loop.Addition{Question: " \n"}, "--question is missing"},
		{newOpened(cells(1), loop.Limits{}), loop.Addition{Question: "Who?", Seed: seed(-1)}, "--seed: -1 is out of range"},
		{newOpened(cells(1), loop.Limits{}), loop.Addition{Question: "Who?", Seed: seed(loop.MaxSeed + 1)}, "--seed: 2147483648 is out of range"},
		{newOpened(cells(1), loop.Limits{}), loop.Addition{Question: "Who?", After: "q"}, "--after: not a session id: q"},
		{newOpened(cells(1), loop.Limits{}), loop.Addition{Question: "Who?", Roster: "q"}, "--roster: the plan has no roster q"},
		{newOpened(cells(1), loop.Limits{}), loop.Addition{Question: "Who?", Model: "q"}, "--model: the plan has no model q"},
		{newOpened(full, loop.Limits{}), loop.Addition{Question: "Who?"}, "the loop would have 100001 sessions per round; the limit is 100000"},
		{long, loop.Addition{Question: "Who?"}, "120000 sessions are too many for a loop name this long"},
	} {
		s := &loop.State{Opened: c.opened, Work: c.opened.Work, Limits: c.opened.Limits}
		_, err := s.Add(&c.add)
		if fault.CodeOf(err) != fault.Usage || err.Error() != c.want {
			t.Errorf("%+v: %v, want %s", c.add, err, c.want)
		}
	}
}
