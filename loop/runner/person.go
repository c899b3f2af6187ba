package runner

import (
	"cmp"

	"brenner/artifact"
	"brenner/loop"
	"brenner/loop/report"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/stalemate"
)

// What needs a person is known in two forms: how much of it a session left, which the
// journal of the loop keeps and stop rules ask for; and what it is, with the command
// that decides it, for the report. The two must agree, and so they stand side by side.

// countNeeds says how much of a session only a person can decide.
func countNeeds(s *flow.State, out *loop.Settled) {
	if n := len(s.Commits); n > 0 {
		out.Conflicts = s.Commits[n-1].Outcome.Conflicts
	}
	for _, m := range s.OpenStalemates() {
		if m.Kind != stalemate.Conflict { // that is counted already
			out.Stalemates++
		}
	}
}

// needs says what that is.
func needs(h *session.History, a *artifact.Artifact) []report.Need {
	var all []report.Need
	rule := make(map[string]string) // of conflicts that are stalemates, by place
	for _, m := range h.State.OpenStalemates() {
		command := "brenner stalemate show " + h.Thread + " " + m.ID
		if m.Kind == stalemate.Conflict {
			rule[m.Place] = command
			continue
		}
		all = append(all, report.Need{Session: h.Thread, What: "stuck on " + m.Place + " (" + m.Kind + ")", Command: command})
	}
	for _, place := range session.Conflicts(a) {
		all = append(all, report.Need{
			Session: h.Thread, What: place + " is in conflict", Command: cmp.Or(rule[place], session.ResolveCommand(h.Thread, place)),
		})
	}
	return all
}
