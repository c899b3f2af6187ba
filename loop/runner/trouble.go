package runner

import (
	"slices"

	"brenner/loop"
	"brenner/session"
	"brenner/session/flow"
)

// troubleOf returns the trouble of a session without a quorum, and the call that shows it.
// Any lasting failure is lasting; an outage only if all failures are. Scripted agents and
// mailboxes have no endpoints.
func troubleOf(s *flow.State) (string, *flow.Call) {
	leg := s.OpenLeg()
	if leg == nil || s.Opened.Rehearsal != "" {
		return "", nil
	}
	var lost *flow.Call
	passing := true
	for c := range leg.Calls() {
		if c.Status != flow.Lost {
			continue
		}
		mail := slices.ContainsFunc(s.Agents, func(p flow.Party) bool { return p.Name == c.Agent && p.Via == flow.ViaMail })
		if !mail && session.Lasts(c.Failed.Code) {
			return loop.Lasting, c
		}
		passing = passing && !mail && session.MayPass(c.Failed.Code)
		if lost == nil {
			lost = c
		}
	}
	if lost == nil || !passing {
		return "", nil
	}
	return loop.Passing, lost
}

// silence reports whether no agent of a session contributed and the artifact did not move,
// and counts the agents that contributed nothing in any round. NO CHANGES is a contribution.
// Sessions that do not journal the outcomes of replies are not judged.
func silence(s *flow.State) (nothing bool, silent int) {
	heard, moved := make(map[string]bool), false
	for i := range s.Commits {
		c := &s.Commits[i]
		if c.Source == flow.ByRound && len(c.Heard) == 0 {
			return false, 0
		}
		moved = moved || c.Source != flow.ByBrief && c.Outcome.Applied > 0
		for _, h := range c.Heard {
			if h.Outcome == flow.Contributed || h.Outcome == flow.NoChanges {
				heard[h.Agent] = true
			}
		}
	}
	for i := range s.Opened.Agents {
		if !heard[s.Opened.Agents[i].Name] {
			silent++
		}
	}
	return !moved && len(heard) == 0, silent
}
