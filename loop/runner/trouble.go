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
