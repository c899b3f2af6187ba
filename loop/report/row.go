package report

import (
	"fmt"
	"slices"

	"brenner/internal/text"
	"brenner/loop"
	"brenner/session/flow"
)

// Row is a row of the table of sessions.
type Row struct {
	Number    int    `json:"number"`
	Round     int    `json:"round"`
	Name      string `json:"name"`
	Session   string `json:"session"`
	Base      string `json:"base"`
	Status    string `json:"status"`
	Reason    string `json:"reason"`
	Version   int    `json:"version"`
	Tokens    int    `json:"tokens"`
	Lost      int    `json:"tokens_lost"` // part of Tokens: possible cost of calls without a reply
	Missing   int    `json:"missing"`
	Conflicts int    `json:"conflicts"`
	Errors    int    `json:"lint_errors"`
	Warnings  int    `json:"lint_warnings"`
	Nothing   bool   `json:"nothing"`        // no agent contributed
	Silent    int    `json:"silent_agents"`  // that contributed nothing in any round
	File      string `json:"file,omitempty"` // its artifact, relative to the report
	// Idle are the names of the silent agents.
	Idle []string `json:"silent"`
	// Others say which agents were answered by another model than the requested one.
	Others []string `json:"other_models,omitempty"`

	ended bool // the loop has ended
}

// Outcome formats the status of a session, with the reason if it did not end normally.
func (r *Row) Outcome() string {
	outcome := Status(loop.Status(r.Status), r.Session != "", r.ended, !r.Nothing && r.Silent > 0)
	switch r.Reason {
	case "", flow.EndRounds, flow.EndQuiet, flow.EndClean, flow.EndBudget:
	default:
		outcome += " (" + r.Reason + ")"
	}
	if r.Missing > 0 {
		outcome += ", " + text.Plural(r.Missing, "reply", "replies") + " missing"
	}
	switch {
	case r.Nothing:
		outcome += ", contributed nothing"
	case r.Silent > 0 && (r.Status == string(loop.Finished) || r.Status == string(loop.Cut)):
		outcome += fmt.Sprintf(", %d silent", r.Silent)
	}
	return outcome
}

// Status returns the status of a session as text: whether it has begun, whether its loop has ended,
// and whether some of its agents contributed nothing.
func Status(status loop.Status, begun, ended, silent bool) string {
	switch {
	case status == loop.Cut:
		return "out of budget"
	case status == loop.Interrupted:
		return "incomplete"
	case status == loop.Finished && silent:
		return "partly done"
	case status == loop.Waiting && ended && begun:
		return unended
	case status == loop.Waiting && ended:
		return unbegun
	}
	return string(status)
}

// Swapped returns the rows of sessions in which another model answered.
func (r *Report) Swapped() []Row {
	return slices.DeleteFunc(r.Started(), func(s Row) bool { return len(s.Others) == 0 })
}

// OtherModels says in how many sessions another model answered, and names the first, or is "".
func (r *Report) OtherModels() string {
	all := r.Swapped()
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf("another model answered in %s of %d; the report lists them: %s: %s", text.Count(len(all), "session"), len(r.Started()), all[0].Session, all[0].Others[0])
}

// What became of sessions that a loop did not run to their end.
const (
	unbegun = "not begun"
	unended = "begun, not ended"
)

// Started returns the rows of sessions that have begun.
func (r *Report) Started() []Row {
	return slices.DeleteFunc(slices.Clone(r.Sessions), func(s Row) bool { return s.Session == "" })
}
