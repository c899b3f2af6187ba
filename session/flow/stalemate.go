package flow

import (
	"slices"
	"time"

	"brenner/internal/fault"
	"brenner/session/stalemate"
	"brenner/store/journal"
)

// KindStalemate is the event of a stalemate that is opened or goes on to its next
// state.
const KindStalemate = "stalemate.moved"

// Stalemated is one step of a stalemate. What is empty stays as it was.
type Stalemated struct {
	ID      string `json:"id"`
	State   string `json:"state"`
	By      string `json:"by,omitempty"`      // who did it; empty for the program
	Kind    string `json:"kind,omitempty"`    // when it is opened
	Place   string `json:"place,omitempty"`   // when it is opened
	Case    string `json:"case,omitempty"`    // hash, when it is opened
	Request string `json:"request,omitempty"` // hash, when it is opened
	Reply   string `json:"reply,omitempty"`   // hash of an arbiter's answer, verbatim
	Verdict string `json:"verdict,omitempty"` // hash
	Why     string `json:"why,omitempty"`
	// Late says that an arbiter was answering when somebody else settled it: what came
	// is kept, and changes nothing.
	Late bool `json:"late,omitzero"`
	// The call of an arbiter that the step begins or ends.
	Began    *Began    `json:"began,omitempty"`
	Answered *Answered `json:"answered,omitempty"`
	Failed   *Failed   `json:"failed,omitempty"`
}

// Stalemate is a stalemate as it stands.
type Stalemate struct {
	Stalemated           // the last of everything
	Opened     time.Time // when it was opened
	Moved      time.Time // when it came to its state
	Replies    []string  // of arbiters, verbatim, in order
}

// Waits tells whether somebody is still needed.
func (s *Stalemate) Waits() bool { return stalemate.Waits(s.State) }

// Stalemate finds a stalemate by its id.
func (s *State) Stalemate(id string) (Stalemate, bool) {
	for _, one := range s.Stalemates {
		if one.ID == id {
			return one, true
		}
	}
	return Stalemate{}, false
}

// OpenStalemates gives those that somebody is still needed for.
func (s *State) OpenStalemates() []Stalemate {
	var open []Stalemate
	for _, one := range s.Stalemates {
		if one.Waits() {
			open = append(open, one)
		}
	}
	return open
}

// arbitrated follows the call of an arbiter.
func (s *State) arbitrated(e *journal.Entry, body *Stalemated) error {
	// Copied, since a trial of what may follow shares the list.
	s.Rulings = slices.Clone(s.Rulings)
	at := func(id string) int {
		return slices.IndexFunc(s.Rulings, func(c Call) bool { return c.ID == id })
	}
	if b := body.Began; b != nil {
		i := at(b.Call)
		if i < 0 {
			i = len(s.Rulings)
			s.Rulings = append(s.Rulings, Call{ID: b.Call, Status: Open})
		}
		c := &s.Rulings[i]
		if c.Status == Begun || c.Status == Replied {
			return s.wrong(e, "the call %s begins, but it is not open", b.Call)
		}
		c.Agent, c.Round, c.Leg, c.Turn, c.Prompt, c.Began, c.Seq = b.Agent, b.Round, b.Leg, b.Turn, b.Prompt, e.At, e.Seq
		c.Status, c.Reserved = Begun, Cost{b.Reserved, b.ReservedUSD}
	}
	for _, id := range body.ends() {
		i := at(id)
		if i < 0 || s.Rulings[i].Status != Begun {
			return s.wrong(e, "the call %s ends, but it did not begin", id)
		}
		c := &s.Rulings[i]
		c.Ended, c.Seq = e.At, e.Seq
		if a := body.Answered; a != nil {
			c.Status, c.Answered = Replied, *a
			s.Spent = s.Spent.Plus(a.Spent())
			continue
		}
		c.Status, c.Failed = Lost, *body.Failed
		lost := Cost{body.Failed.Spent, body.Failed.SpentUSD}
		s.Spent, c.Lost, c.Failures = s.Spent.Plus(lost), c.Lost.Plus(lost), c.Failures+1
	}
	return nil
}

// rulingGiven refuses a commit that says it carries out a ruling that is none.
func (s *State) rulingGiven(e *journal.Entry, c *Committed) error {
	one, _ := s.Stalemate(c.Ruling)
	if c.Ruling == "" || one.State == stalemate.Ruled && c.Source == ByPerson && one.By == c.Author {
		return nil
	}
	return s.wrong(e, "it carries out a ruling of %s in %s that nobody gave", fault.Shown(c.Author), fault.Shown(c.Ruling))
}

// ends gives the call that a step ends, if any.
func (b *Stalemated) ends() []string {
	switch {
	case b.Answered != nil:
		return []string{b.Answered.Call}
	case b.Failed != nil:
		return []string{b.Failed.Call}
	}
	return nil
}

// forgotten counts as spent what was set aside for an arbiter that nobody heard of
// again: it may well have answered.
func (s *State) forgotten() {
	s.Rulings = slices.Clone(s.Rulings)
	for i := range s.Rulings {
		if c := &s.Rulings[i]; c.Status == Begun {
			s.Spent, c.Lost, c.Failures, c.Status = s.Spent.Plus(c.Reserved), c.Lost.Plus(c.Reserved), c.Failures+1, Open
		}
	}
}

// Affords tells whether the budget reaches for something beside what was spent.
func (s *State) Affords(c Cost) bool { return s.Settings.Affords(s.Spent.Plus(c)) }

// RoundDone tells whether all agents of the last round were asked, and what they
// answered was merged.
func (s *State) RoundDone() bool {
	return s.Round() > 0 && s.OpenLeg() == nil && len(s.waiting()) == 0
}

// late keeps the answer of an arbiter that came when it was not needed any more.
func (s *State) late(e *journal.Entry, before *Stalemate, body *Stalemated) error {
	if before.ID == "" || body.State != before.State || body.Began != nil || len(body.ends()) == 0 || body.Verdict+body.Request+body.Case != "" {
		return s.wrong(e, "it says more of the stalemate %s than that an answer came late", body.ID)
	}
	if err := s.arbitrated(e, body); err != nil || body.Reply == "" {
		return err
	}
	s.Stalemates = slices.Clone(s.Stalemates)
	for i := range s.Stalemates {
		if one := &s.Stalemates[i]; one.ID == body.ID {
			one.Replies = append(slices.Clip(one.Replies), body.Reply)
		}
	}
	return nil
}

func (s *State) stalemated(e *journal.Entry, body *Stalemated) error {
	before, known := s.Stalemate(body.ID)
	if body.Late {
		return s.late(e, &before, body)
	}
	if !stalemate.May(before.State, body.State) {
		return s.wrong(e, "the stalemate %s is %q and cannot become %q", body.ID, before.State, body.State)
	}
	now := before
	now.Began, now.Answered, now.Failed = nil, nil, nil // they stand in Rulings
	now.ID, now.State, now.Moved = body.ID, body.State, e.At
	if !known {
		now.Opened = e.At
	}
	for _, f := range []struct{ to, from *string }{
		{&now.By, &body.By},
		{&now.Kind, &body.Kind},
		{&now.Place, &body.Place},
		{&now.Case, &body.Case},
		{&now.Request, &body.Request},
		{&now.Reply, &body.Reply},
		{&now.Verdict, &body.Verdict},
		{&now.Why, &body.Why},
	} {
		if *f.from != "" {
			*f.to = *f.from
		}
	}
	if body.Reply != "" {
		now.Replies = append(slices.Clip(before.Replies), body.Reply)
	}
	if err := s.arbitrated(e, body); err != nil {
		return err
	}
	// Copied, since a trial of what may follow shares the list.
	s.Stalemates = slices.Clone(s.Stalemates)
	for i := range s.Stalemates {
		if s.Stalemates[i].ID == body.ID {
			s.Stalemates[i] = now
			return nil
		}
	}
	s.Stalemates = append(s.Stalemates, now)
	return nil
}
