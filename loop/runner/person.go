package runner

import (
	"brenner/artifact"
	"brenner/flow"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/session"
)

// What needs a person is known in two forms: how much of it a session left, which the
// journal of the loop keeps and stop rules ask for; and what it is, with the command
// that decides it, for the report. The two must agree, and so they stand side by side.

// countNeeds says how much of a session only a person can decide.
func countNeeds(s *flow.State, out *loop.Settled) {
	if n := len(s.Commits); n > 0 {
		out.Conflicts = s.Commits[n-1].Outcome.Conflicts
	}
}

// needs says what that is.
func needs(h *session.History, a *artifact.Artifact) []report.Need {
	var all []report.Need
	for _, place := range session.Conflicts(a) {
		all = append(all, report.Need{
			Session: h.Thread, What: place + " is in conflict", Command: "brenner session resolve " + h.Thread + " " + place,
		})
	}
	return all
}
