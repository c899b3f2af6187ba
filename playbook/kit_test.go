package playbook_test

import (
	"fmt"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/playbook"
	"brenner/store/journal"
)

// testBook is a book with its journal.
type testBook struct {
	t interface {
		Helper()
		Fatal(args ...any)
	}
	rules   playbook.Rules
	book    *playbook.Book
	entries []journal.Entry
	now     time.Time
}

func newTestBook(t interface {
	Helper()
	Fatal(args ...any)
},
) *testBook {
	return &testBook{t: t, rules: playbook.DefaultRules(), book: &playbook.Book{}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// try journals and applies the entries of a draft.
func (s *testBook) try(act playbook.Act, do func(*playbook.Draft) error) ([]playbook.Entry, error) {
	s.t.Helper()
	s.now = s.now.Add(time.Second)
	act.At = s.now
	if act.Actor == "" {
		act.Actor = "Sydney"
	}
	d := s.book.Draft(s.rules, act)
	if err := do(d); err != nil {
		if fault.CodeOf(err) == playbook.Impossible {
			s.t.Fatal(err)
		}
		return nil, err
	}
	chained, err := chain(journal.HeadOf(s.entries), d.Entries())
	if err != nil {
		s.t.Fatal(err)
	}
	var read []playbook.Entry
	for i := range chained {
		e, err := playbook.Read(&chained[i])
		if err == nil {
			err = s.book.Apply(&e)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		read = append(read, e)
	}
	s.entries = append(s.entries, chained...)
	return read, nil
}

func (s *testBook) do(act playbook.Act, do func(*playbook.Draft) error) []playbook.Entry {
	s.t.Helper()
	entries, err := s.try(act, do)
	if err != nil {
		s.t.Fatal(err)
	}
	return entries
}

// learn adds an insight of an agent, which matches a bullet unless match is empty.
func (s *testBook) learn(session string, section playbook.Section, text, match string) (id string, entries []playbook.Entry) {
	s.t.Helper()
	entries = s.do(playbook.Act{Actor: "BlueLake", Session: session}, func(d *playbook.Draft) error {
		var matches []playbook.Match
		if match != "" {
			matches = []playbook.Match{{ID: match, Cosine: 0.85}}
		}
		out, err := d.Learn(playbook.Insight{Domain: "general", Section: section, Text: text}, matches, playbook.Embedding{})
		id = out.Bullet
		return err
	})
	return id, entries
}

func (s *testBook) credit(session, id string, polarity playbook.Section) []playbook.Entry {
	s.t.Helper()
	return s.do(playbook.Act{Session: session}, func(d *playbook.Draft) error {
		_, err := d.Credit(id, polarity)
		return err
	})
}

func (s *testBook) find(id string) *playbook.Bullet {
	s.t.Helper()
	b, err := s.book.Find(id)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// state formats the stage, counters and review of a bullet.
func (s *testBook) state(id string) string {
	s.t.Helper()
	b := s.find(id)
	return fmt.Sprintf("%s %d/%d/%d %s", b.Stage, b.Helpful, b.Harmful, b.Neutral, b.Review)
}

func (s *testBook) want(t *testing.T, id, state string) {
	t.Helper()
	if got := s.state(id); got != state {
		t.Errorf("%s is %q, want %q", id, got, state)
	}
}

func ops(entries []playbook.Entry) (all []playbook.Op) {
	for _, e := range entries {
		all = append(all, e.Op)
	}
	return all
}

// chain converts the entries of a draft to journal entries.
func chain(after journal.Head, entries []playbook.Entry) ([]journal.Entry, error) {
	out := make([]journal.Entry, 0, len(entries))
	for i := range entries {
		body, err := journal.Encode(&entries[i].Body)
		if err != nil {
			return nil, err
		}
		e, err := after.Next(playbook.Stream, entries[i].At, string(entries[i].Op), body)
		if err != nil {
			return nil, err
		}
		out, after = append(out, e), e.Head()
	}
	return out, nil
}
