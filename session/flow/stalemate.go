package flow

import (
	"slices"
	"time"

	"brenner/internal/fault"
	"brenner/session/stalemate"
	"brenner/store/journal"
)

// KindStalemate is the event of a stalemate that is opened or changes its state.
const KindStalemate = "stalemate.moved"

// MaxHypotheses bounds the setting of the same name.
const MaxHypotheses = stalemate.MaxExplanations

// Stalemated is one step of a stalemate. Empty fields do not change.
type Stalemated struct {
	ID      string `json:"id"`
	State   string `json:"state"`
	By      string `json:"by,omitempty"`      // author; empty for the program
	Kind    string `json:"kind,omitempty"`    // on opening
	Place   string `json:"place,omitempty"`   // on opening
	Case    string `json:"case,omitempty"`    // hash, on opening
	Request string `json:"request,omitempty"` // hash, on opening, and when a model was asked for explanations
	Reply   string `json:"reply,omitempty"`   // hash of an arbiter's verbatim answer
	Verdict string `json:"verdict,omitempty"` // hash
	Why     string `json:"why,omitempty"`
	// Late marks an arbiter's answer after the stalemate was settled; it has no effect.
	Late bool `json:"late,omitzero"`
	// The arbiter's call that the step begins or ends.
	Began    *Began    `json:"began,omitempty"`
	Answered *Answered `json:"answered,omitempty"`
	Failed   *Failed   `json:"failed,omitempty"`
}

// Stalemate is the current state of a stalemate.
type Stalemate struct {
	Stalemated // the last value of every field
	Opened     time.Time
	Moved      time.Time // when it reached its state
	Replies    []string  // hashes of arbiters' answers, in order
	Former     []string  // hashes of requests that others replaced
}

// Waits reports whether the stalemate needs a ruling, or its ruling must still be carried out.
func (s *Stalemate) Waits() bool { return stalemate.Waits(s.State) }

// Stalemate returns a stalemate by its id.
func (s *State) Stalemate(id string) (Stalemate, bool) {
	for _, one := range s.Stalemates {
		if one.ID == id {
			return one, true
		}
	}
	return Stalemate{}, false
}

// OpenStalemates returns the stalemates that need a ruling or its execution; see Waits.
func (s *State) OpenStalemates() []Stalemate {
	var open []Stalemate
	for _, one := range s.Stalemates {
		if one.Waits() {
			open = append(open, one)
		}
	}
	return open
}

func (s *State) applyArbiterCall(e *journal.Entry, body *Stalemated) error {
	// Cloned, since clones of the state share the slice.
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
			return s.badEntry(e, "the call %s begins, but it is not open", b.Call)
		}
		c.Agent, c.Round, c.Leg, c.Turn, c.Prompt, c.Began, c.Seq = b.Agent, b.Round, b.Leg, b.Turn, b.Prompt, e.At, e.Seq
		c.Status, c.Reserved, c.By = Begun, Cost{b.Reserved, b.ReservedUSD}, s.party(b.Agent)
	}
	for _, id := range body.ends() {
		i := at(id)
		if i < 0 || s.Rulings[i].Status != Begun {
			return s.badEntry(e, "the call %s ends, but it did not begin", id)
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

// OfArbiter reports whether a call is about a stalemate.
func (c *Call) OfArbiter() bool { return c.Turn == TurnRule || c.Turn == TurnExplain }

func (s *State) checkRuling(e *journal.Entry, c *Committed) error {
	one, _ := s.Stalemate(c.Ruling)
	if c.Ruling == "" || one.State == stalemate.Ruled && c.Source == ByPerson && one.By == c.Author {
		return nil
	}
	return s.badEntry(e, "it carries out a ruling of %s in %s that does not exist", fault.Shown(c.Author), fault.Shown(c.Ruling))
}

func (b *Stalemated) ends() []string {
	switch {
	case b.Answered != nil:
		return []string{b.Answered.Call}
	case b.Failed != nil:
		return []string{b.Failed.Call}
	}
	return nil
}

// chargeLostRulings counts the reservations of lost arbiter calls as spent: they may have been
// answered.
func (s *State) chargeLostRulings() {
	s.Rulings = slices.Clone(s.Rulings)
	for i := range s.Rulings {
		if c := &s.Rulings[i]; c.Status == Begun {
			s.Spent, c.Lost, c.Status = s.Spent.Plus(c.Reserved), c.Lost.Plus(c.Reserved), Open
			c.Failures, c.Killed = c.Failures+1, c.Killed+1
		}
	}
}

// Affords reports whether the budget covers a cost besides what was spent.
func (s *State) Affords(c Cost) bool { return s.Settings.Affords(s.Spent.Plus(c)) }

// RoundDone reports whether all agents of the last round were asked and their answers merged.
func (s *State) RoundDone() bool {
	return s.Round() > 0 && s.OpenLeg() == nil && len(s.unaskedAgents()) == 0
}

// applyLate keeps an arbiter's answer that is no longer needed.
func (s *State) applyLate(e *journal.Entry, before *Stalemate, body *Stalemated) error {
	if before.ID == "" || body.State != before.State || body.Began != nil || len(body.ends()) == 0 || body.Verdict+body.Request+body.Case != "" {
		return s.badEntry(e, "it changes stalemate %s beyond adding a late reply", body.ID)
	}
	if err := s.applyArbiterCall(e, body); err != nil || body.Reply == "" {
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

func (s *State) applyStalemate(e *journal.Entry, body *Stalemated) error {
	before, known := s.Stalemate(body.ID)
	if body.Late {
		return s.applyLate(e, &before, body)
	}
	if !stalemate.CanFollow(before.State, body.State) {
		return s.badEntry(e, "stalemate %s is %q and cannot become %q", body.ID, before.State, body.State)
	}
	now := before
	now.Began, now.Answered, now.Failed = nil, nil, nil // they are in Rulings
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
	if before.Request != "" && body.Request != "" {
		now.Former = append(slices.Clip(before.Former), before.Request)
	}
	if body.State == stalemate.Ruled {
		now.Why = body.Why // no longer why an earlier answer was not a verdict
	}
	if body.Reply != "" {
		now.Replies = append(slices.Clip(before.Replies), body.Reply)
	}
	if err := s.applyArbiterCall(e, body); err != nil {
		return err
	}
	// Cloned, since clones of the state share the slice.
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
