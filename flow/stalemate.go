package flow

import (
	"slices"
	"time"

	"brenner/journal"
	"brenner/stalemate"
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
	Input   int    `json:"input_tokens,omitzero"`
	Output  int    `json:"output_tokens,omitzero"`
	Cost    int64  `json:"nano_usd,omitzero"`
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

// Affords tells whether the budget reaches for something beside what was spent.
func (s *State) Affords(c Cost) bool { return s.Settings.affords(s.Spent.plus(c)) }

// RoundDone tells whether all agents of the last round were asked, and what they
// answered was merged.
func (s *State) RoundDone() bool {
	return s.Round() > 0 && s.OpenLeg() == nil && len(s.waiting()) == 0
}

func (s *State) stalemated(e *journal.Entry) error {
	body, err := decode[Stalemated](e)
	if err != nil {
		return err
	}
	before, known := s.Stalemate(body.ID)
	if !stalemate.May(before.State, body.State) {
		return s.wrong(e, "the stalemate %s is %q and cannot become %q", body.ID, before.State, body.State)
	}
	now := before
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
	s.Spent = s.Spent.plus(Cost{body.Input + body.Output, body.Cost})
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
