package flow

import (
	"slices"

	"brenner/internal/fault"
	"brenner/store/journal"
)

// Shown gives the records that the authors of a commit were shown: those of a round
// by its messages, those of letters by the last one that each of them was sent.
// People look for themselves.
func (s *State) Shown(c *Committed) []RecordRef {
	var all []RecordRef
	take := func(k *Kickoff) {
		for _, r := range k.Records {
			if !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	switch c.Source {
	case ByRound:
		if leg := s.OpenLeg(); leg != nil {
			for i := range leg.Kickoffs {
				take(&leg.Kickoffs[i])
			}
		}
	case ByThread:
		var authors []string
		for _, l := range c.Letters {
			if !slices.Contains(authors, l.Agent) {
				authors = append(authors, l.Agent)
				if k := s.lastKickoff(l.Agent); k != nil {
					take(k)
				}
			}
		}
	}
	return all
}

// lastKickoff gives the last message that was composed for an agent.
func (s *State) lastKickoff(agent string) *Kickoff {
	for i := len(s.Legs) - 1; i >= 0; i-- {
		for j := range s.Legs[i].Kickoffs {
			if k := &s.Legs[i].Kickoffs[j]; k.Agent == agent {
				return k
			}
		}
	}
	return nil
}

// moved refuses records that moved and that nobody was shown.
func (s *State) moved(e *journal.Entry, c *Committed) error {
	if len(c.Moved) == 0 {
		return nil
	}
	shown := s.Shown(c)
	for _, m := range c.Moved {
		if m.Now == m.Version || !slices.ContainsFunc(shown, func(r RecordRef) bool { return r.ID == m.ID && r.Version == m.Version }) {
			return s.wrong(e, "version %d of %s moved, but nobody was shown it, or it did not", m.Version, fault.Shown(m.ID))
		}
	}
	return nil
}
