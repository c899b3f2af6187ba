package loop

import (
	"time"

	"brenner/session/flow"
	"brenner/store/journal"
)

// Justified tells whether an entry that the loop itself decides follows from what was
// journaled before it: that a round is opened, that a session begins and what is set
// aside for it, that one is skipped, and by which rule the loop ends. Other entries are
// words of people and what sessions came to; they need no reason.
func (s *State) Justified(e *journal.Entry) bool {
	var is func(Command) bool
	switch e.Kind {
	case KindRound:
		body, err := decode[RoundOpened](e)
		is = func(c Command) bool { return err == nil && c == OpenRound(body) }
	case KindEnded:
		body, err := decode[Ended](e)
		is = func(c Command) bool { return err == nil && c == End(body) }
	case KindBegan:
		body, err := decode[Began](e)
		is = func(c Command) bool {
			r, ok := c.(Run)
			return ok && err == nil && r.Job.Number == body.Job && r.Thread == body.Thread && r.Base == body.Base &&
				r.Reserve == flow.Cost{Tokens: body.Reserved, USD: body.ReservedUSD}
		}
	case KindSettled:
		body, err := decode[Settled](e)
		if err != nil || body.Outcome != Skipped {
			return err == nil
		}
		is = func(c Command) bool {
			skip, ok := c.(Skip)
			return ok && skip.Job.Number == body.Job
		}
	default:
		return true
	}
	for _, now := range s.instants(e.At) {
		for _, c := range Next(s, now) {
			if is(c) {
				return true
			}
		}
	}
	return false
}

// instants are those until an entry was written between which nothing changes: when
// exactly it was decided is not known.
func (s *State) instants(at time.Time) []time.Time {
	all := []time.Time{at, s.Last}
	until, timed := s.until()
	for _, between := range []time.Time{s.Hold, until.Add(-1)} {
		if (timed || between.Equal(s.Hold)) && between.After(s.Last) && between.Before(at) {
			all = append(all, between)
		}
	}
	for i := s.first; i < len(s.Jobs) && s.begun > 0; i++ {
		if again := s.Again(&s.Jobs[i]); again.After(s.Last) && again.Before(at) {
			all = append(all, again)
		}
	}
	return all
}
