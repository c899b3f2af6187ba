package playbook_test

import (
	"testing"

	"brenner/playbook"
)

func TestStats(t *testing.T) {
	s := newTestBook(t)
	id, _ := s.learn("", playbook.Helpful, "Name the mechanism", "")
	for range 4 {
		s.credit("", id, playbook.Helpful)
	}
	s.learn("", playbook.Harmful, "Averages hide effects", "")
	var c playbook.Counter
	for i := range s.entries {
		e, err := playbook.Read(&s.entries[i])
		if err != nil {
			t.Fatal(err)
		}
		c.Take(&e)
	}
	got := c.Stats([]*playbook.Bullet{s.book.At(0), s.book.At(1)})
	if got.Bullets != 2 || got.Entries != 8 || got.Waiting != 1 || len(got.Days) != 1 || got.Days[0] != (playbook.Day{Date: "2026-01-01", Added: 2, Counted: 4, Other: 2}) {
		t.Errorf("%+v", got)
	}
	if got.Stages[0].Count != 1 || got.Stages[1].Count != 1 || got.Sections[1].Count != 1 || got.Ops[0] != (playbook.Tally{Name: "add", Count: 2}) {
		t.Errorf("%+v", got)
	}
}
