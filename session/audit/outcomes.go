package audit

import (
	"context"
	"slices"

	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session"
	"brenner/session/flow"
)

// RoundOutcome is what an agent came to in one round.
type RoundOutcome struct {
	Round      int    `json:"round"`
	Outcome    string `json:"outcome"`
	Reason     string `json:"reason,omitempty"` // of NO CHANGES
	Applied    int    `json:"applied"`
	Rejected   int    `json:"rejected"`
	Fields     int    `json:"refused_fields"`
	Unreadable int    `json:"unreadable"`
	Cut        bool   `json:"cut"`
	Idle       int    `json:"idle"` // those of Applied that changed no value
}

// OutcomeCounts counts the rounds of an agent by outcome.
type OutcomeCounts struct {
	Contributed int `json:"contributed"`
	NoChanges   int `json:"no_changes"`
	Refused     int `json:"refused"`
	Unreadable  int `json:"unreadable"`
	Cut         int `json:"cut"`
	ProseOnly   int `json:"prose_only"`
	Failed      int `json:"failed"`
}

func (n *OutcomeCounts) add(outcome string) {
	counts := map[string]*int{
		flow.Contributed: &n.Contributed, flow.NoChanges: &n.NoChanges, flow.Refused: &n.Refused, flow.Unreadable: &n.Unreadable,
		flow.ReplyCut: &n.Cut, flow.ProseOnly: &n.ProseOnly, flow.NoReply: &n.Failed,
	}
	if count := counts[outcome]; count != nil {
		*count++
	}
}

// RefusedField is a field of a delta that was refused; the rest of the delta was applied.
type RefusedField struct {
	Version int        `json:"version"`
	Agent   string     `json:"agent"`
	Delta   string     `json:"delta_id"`
	Place   string     `json:"place"` // item and field
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// addOutcomes adds what the agents of a settled round came to.
func (s *Summary) addOutcomes(c *flow.Commit, heard []flow.Heard) {
	for _, h := range heard {
		for i := range s.Agents {
			if g := &s.Agents[i]; g.Name == h.Agent {
				g.Counts.add(h.Outcome)
				g.Outcomes = append(g.Outcomes, RoundOutcome{
					c.Round, h.Outcome, h.Reason, h.Applied, h.Rejected, h.Fields, h.Unreadable, h.Cut, h.Idle,
				})
			}
		}
	}
}

// countOpenFailures adds the failed calls of a round that is not settled.
func (s *Summary) countOpenFailures(st *flow.State) {
	leg := st.OpenLeg()
	if leg == nil || s.Phase == session.PhaseRunning {
		return
	}
	for i := range s.Agents {
		if x := leg.Of(s.Agents[i].Name); x != nil && x.Ask.Status == flow.Lost {
			s.Agents[i].Counts.Failed++
			s.Agents[i].Outcomes = append(s.Agents[i].Outcomes, RoundOutcome{Round: leg.Round, Outcome: flow.NoReply})
		}
	}
}

// unasked returns the missing replies to questions that were never sent.
func unasked(st *flow.State) []flow.Absence {
	var all []flow.Absence
	for i := range st.Legs {
		l := &st.Legs[i]
		for _, agent := range l.Missing() {
			if x := l.Of(agent); x.Ask.Status == flow.Open && x.Ask.Failures == 0 {
				all = append(all, flow.Absence{Agent: agent, Round: l.Round})
			}
		}
	}
	return all
}

// uncorrected returns the replies with defects whose correction was not asked for, since the budget
// did not cover the call.
func uncorrected(st *flow.State) []flow.Absence {
	var all []flow.Absence
	for i := range st.Legs {
		l := &st.Legs[i]
		for k := range l.Exchanges {
			if x := &l.Exchanges[k]; l.Settled && x.Repair.Status == flow.Open && x.Repair.Failures == 0 {
				all = append(all, flow.Absence{Agent: x.Agent, Round: l.Round})
			}
		}
	}
	return all
}

// addRefusedFields adds the refused fields of deltas that were not rejected.
func (s *Summary) addRefusedFields(c *flow.Commit, report *session.Report) {
	for i := range report.Merge.Deltas {
		row := &report.Merge.Deltas[i]
		if row.Disposition == merge.Rejected {
			continue
		}
		for _, f := range row.Fields {
			if f.Outcome == merge.FieldRefused {
				s.Refused = append(s.Refused, RefusedField{c.Version, row.Agent, row.DeltaID, row.TargetID + "." + f.Field, f.Code(), f.Message})
			}
		}
	}
}

// addIdle adds the applied EDITs of a round that changed no value.
func (s *Summary) addIdle(ctx context.Context, h *session.History, i int, report *session.Report) error {
	c := &h.State.Commits[i]
	if i == 0 || !slices.ContainsFunc(c.Heard, func(one flow.Heard) bool { return one.Idle > 0 }) {
		return nil
	}
	before, err := h.Artifact(ctx, h.State.Commits[i-1].Version)
	if err != nil {
		return err
	}
	after, err := h.Artifact(ctx, c.Version)
	if err != nil {
		return err
	}
	for _, row := range report.Merge.Deltas {
		if settle.Repeats(&before, &after, &row) {
			s.Skipped = append(s.Skipped, Rejection{Version: c.Version, Agent: row.Agent, Delta: row.DeltaID, Target: row.TargetID, Message: "it repeats what is there"})
		}
	}
	return nil
}

// uncorrectedBecause returns why the author of a rejected delta was not asked to correct it, or "".
func uncorrectedBecause(st *flow.State, c *flow.Commit, row *merge.Row) string {
	if c.Source != flow.ByRound {
		return ""
	}
	isOwn := row.NamesOwn() && st.Opened.Reads().Since(delta.FourthReader) // its author is asked
	if why := settle.Final(row.Code); why != "" && !isOwn {
		return "it cannot be corrected: " + why
	}
	if row.Code == delta.AmbiguousDelta {
		return "" // its author took it back after the reply, or was asked
	}
	x := st.Leg(c.Round, c.Leg).Of(row.Agent)
	if x != nil && x.Ask.Answered.Repairable == 0 && st.Opened.Follows(flow.ThirdProtocol) {
		return "not asked to correct it: without the deltas of the others it would have been taken"
	}
	return ""
}

// needsReport reports whether the report of a commit has something for a summary.
func needsReport(st *flow.State, i int) bool {
	c := &st.Commits[i]
	if c.Outcome.Rejected > 0 || c.Outcome.Other > 0 || i == len(st.Commits)-1 || c.Source != flow.ByRound || !st.Opened.Follows(flow.SecondProtocol) {
		return true
	}
	if st.Opened.Rules.Version != merge.First {
		return true // only the report says which ADDs lost a label, and which replies show deltas
	}
	for _, h := range c.Heard {
		if h.Fields > 0 || h.Idle > 0 {
			return true
		}
	}
	return false
}
