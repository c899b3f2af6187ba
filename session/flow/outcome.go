package flow

import (
	"slices"

	"brenner/artifact/delta"
)

// AgentOutcome is what an agent came to in each settled round, in order.
type AgentOutcome struct {
	Agent  string
	Rounds []RoundOutcome
}

// RoundOutcome is what an agent came to in one round.
type RoundOutcome struct {
	Round int
	Heard
}

// Outcomes returns the outcomes of all agents in roster order, as journaled. Those of sessions before
// protocol 2 are empty.
func (s *State) Outcomes() []AgentOutcome {
	all := make([]AgentOutcome, len(s.Opened.Agents))
	for i, p := range s.Opened.Agents {
		all[i].Agent = p.Name
		for j := range s.Commits {
			c := &s.Commits[j]
			for _, h := range s.HeardIn(c) {
				if h.Agent == p.Name {
					all[i].Rounds = append(all[i].Rounds, RoundOutcome{c.Round, h})
				}
			}
		}
	}
	return all
}

// HeardIn returns what the replies of a round came to: as journaled, but a reply that made a version of a
// record is a contribution, whatever else it has. Until reader/1 only deltas counted.
func (s *State) HeardIn(c *Commit) []Heard {
	leg := s.Leg(c.Round, c.Leg)
	if len(s.Patches) == 0 || leg == nil || s.Opened.Reads() == delta.FirstReader {
		return c.Heard
	}
	all := slices.Clone(c.Heard)
	for i := range all {
		if x := leg.Of(all[i].Agent); x != nil {
			if p := s.PatchesOf(x.Ask.ID); p != nil && p.made() {
				all[i].Outcome = Contributed
			}
		}
	}
	return all
}

// Count returns in how many rounds the agent had an outcome.
func (o *AgentOutcome) Count(outcome string) int {
	n := 0
	for i := range o.Rounds {
		if o.Rounds[i].Outcome == outcome {
			n++
		}
	}
	return n
}

// TookPart reports whether the agent contributed, or wrote that there is nothing to change, in some
// round.
func (o *AgentOutcome) TookPart() bool {
	return slices.ContainsFunc(o.Rounds, func(r RoundOutcome) bool { return r.Outcome == Contributed || r.Outcome == NoChanges })
}

// Waiting returns the agents whose replies are stored and wait for the round to be settled.
func (s *State) Waiting() []string {
	leg := s.OpenLeg()
	if leg == nil {
		return nil
	}
	var all []string
	for i := range leg.Exchanges {
		if x := &leg.Exchanges[i]; x.Answer() != nil {
			all = append(all, x.Agent)
		}
	}
	return all
}

// Idle returns the agents that took part in no round, nor by a letter that was merged, and have no
// reply that waits for its round to be settled; see TookPart.
// Sessions before protocol 2 took every reply as an answer: in those, Idle returns the agents that
// never replied.
func (s *State) Idle() []string {
	var idle []string
	waiting := s.Waiting()
	for _, o := range s.Outcomes() {
		tookPart := o.TookPart() || s.wroteLetters(o.Agent) || slices.Contains(waiting, o.Agent)
		if !s.Opened.Follows(SecondProtocol) {
			tookPart = s.hasReplied(o.Agent)
		}
		if !tookPart {
			idle = append(idle, o.Agent)
		}
	}
	return idle
}

func (s *State) hasReplied(agent string) bool {
	return slices.ContainsFunc(s.Legs, func(l Leg) bool {
		x := l.Of(agent)
		return x != nil && x.Answer() != nil
	})
}

func (s *State) wroteLetters(agent string) bool {
	for i := 1; i < len(s.Commits); i++ {
		c := &s.Commits[i]
		changed := c.Version > s.Commits[i-1].Version
		if slices.ContainsFunc(c.Letters, func(l Letter) bool { return l.Agent == agent && l.tookPart(changed) }) {
			return true
		}
	}
	return false
}

// tookPart reports whether its author took part by the letter. Without an outcome of its own, that of
// the commit counts.
func (l *Letter) tookPart(changed bool) bool {
	switch l.Heard.Outcome {
	case "":
		return changed
	case Contributed, NoChanges:
		return true
	}
	return false
}

// Moved reports whether the artifact changed since the brief. A round whose EDITs only repeat what is
// there makes a version, too, but changes nothing.
func (s *State) Moved() bool {
	for i := 1; i < len(s.Commits); i++ {
		if c := &s.Commits[i]; c.Version > s.Commits[i-1].Version && !c.repeats() {
			return true
		}
	}
	return false
}

func (c *Committed) repeats() bool {
	idle := 0
	for i := range c.Heard {
		if c.Heard[i].Outcome == Contributed {
			return false
		}
		idle += c.Heard[i].Idle
	}
	return idle > 0
}

// CameToNothing reports whether no agent took part and the artifact is that of the brief. Replies of a
// round that is not settled yet may still come to something.
func (s *State) CameToNothing() bool {
	return len(s.Waiting()) == 0 && len(s.Opened.Agents) > 0 && len(s.Idle()) == len(s.Opened.Agents) && !s.Moved()
}

// Verdict is what a session as a whole came to.
type Verdict string

// The verdicts.
const (
	Complete Verdict = "complete" // every agent took part
	Partial  Verdict = "partial"  // some agent took no part, or the session ended without a quorum or for lack of time
	Nothing  Verdict = "nothing"  // no agent took part, and the artifact is that of the brief
)

// Verdict judges the session so far. Before protocol 2 a single missing reply makes it partial.
func (s *State) Verdict() Verdict {
	switch {
	case s.Ended == EndCompiled: // agents were not asked
		return Complete
	case !s.Opened.Follows(SecondProtocol) && len(s.Missing()) == 0 && !s.endedEarly():
		return Complete
	case !s.Opened.Follows(SecondProtocol):
		return Partial
	case s.CameToNothing():
		return Nothing
	case len(s.Idle()) > 0, s.endedEarly(), len(s.Waiting()) > 0:
		return Partial
	}
	return Complete
}

func (s *State) endedEarly() bool { return s.Ended == EndQuorum || s.Ended == EndTime }
