package flow

import "slices"

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
			for _, h := range c.Heard {
				if h.Agent == p.Name {
					all[i].Rounds = append(all[i].Rounds, RoundOutcome{c.Round, h})
				}
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

// Idle returns the agents that took part in no round; see TookPart. Sessions before protocol 2 took
// every reply as an answer: in those, Idle returns the agents that never replied.
func (s *State) Idle() []string {
	var idle []string
	for _, o := range s.Outcomes() {
		if s.Opened.Follows(CurrentProtocol) && !o.TookPart() || !s.Opened.Follows(CurrentProtocol) && !s.hasReplied(o.Agent) {
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

// Moved reports whether the artifact changed since the brief.
func (s *State) Moved() bool { return len(s.Commits) > 0 && s.Version() > s.Commits[0].Version }

// CameToNothing reports whether no agent took part and the artifact is that of the brief.
func (s *State) CameToNothing() bool {
	return len(s.Opened.Agents) > 0 && len(s.Idle()) == len(s.Opened.Agents) && !s.Moved()
}
