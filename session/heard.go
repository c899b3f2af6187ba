package session

import (
	"context"
	"slices"
	"strings"

	"brenner/internal/text"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/session/letters"
)

// heard returns what each agent of a round came to. Rows are those of the merge. An agent without a
// reading did not reply.
func heard(leg *flow.Leg, readings []settle.Reading, rows []merge.Row) []flow.Heard {
	if leg == nil {
		return nil
	}
	all := make([]flow.Heard, len(leg.Exchanges))
	for i := range leg.Exchanges {
		agent := leg.Exchanges[i].Agent
		if r := settle.ReadingOf(readings, agent); r != nil {
			all[i] = heardOf(r.Tally(rows))
		} else {
			all[i].Outcome = flow.NoReply
		}
		all[i].Agent = agent
	}
	return all
}

func heardOf(t settle.Tally) flow.Heard {
	const longest = 200
	h := flow.Heard{
		Applied: t.Applied, Rejected: t.Rejected, Fields: t.Fields, Unreadable: t.Unreadable, Cut: t.Cut, Outcome: flow.ProseOnly, Idle: t.Idle,
	}
	switch {
	case t.Changed > 0:
		h.Outcome = flow.Contributed
	case t.NoChanges != nil:
		h.Outcome, h.Reason = flow.NoChanges, text.First(strings.ToValidUTF8(t.NoChanges.Reason, "\ufffd"), longest)
	case t.Rejected > 0 || t.Other > 0 || t.Applied > 0:
		h.Outcome = flow.Refused
	case t.Unreadable > t.CutOff:
		h.Outcome = flow.Unreadable
	case t.Cut:
		h.Outcome = flow.ReplyCut
	}
	return h
}

// letterHeard returns what a letter came to. One that says only what its author said before is not a failure.
func letterHeard(t settle.Tally) flow.Heard {
	h := heardOf(t)
	h.Repeated = t.Repeated
	if t.Repeated > 0 && t.Repeated == t.Other && h.Outcome == flow.Refused && t.Applied+t.Rejected+t.Unreadable == 0 {
		h.Outcome = letters.Repeated
	}
	return h
}

// Heard returns what each agent of a settled round came to: as journaled or, for sessions before
// protocol 2, as far as the report shows it.
func (h *History) Heard(c *flow.Commit, report *Report) []flow.Heard {
	if c.Source != flow.ByRound || h.State.Opened.Follows(flow.SecondProtocol) {
		return h.State.HeardIn(c)
	}
	return heard(h.State.Leg(c.Round, c.Leg), report.Readings, report.Merge.Deltas)
}

// Defects returns what the author of the answer to a call can correct, as a repair turn names it.
func (h *History) Defects(ctx context.Context, c *flow.Call) ([]settle.Defect, error) {
	leg, x := h.State.Planned(c)
	if x == nil || c.Status != flow.Replied {
		return nil, nil
	}
	rules, err := h.State.Opened.MergeRules()
	if err != nil {
		return nil, err
	}
	base, err := h.Artifact(ctx, leg.Base)
	if err != nil {
		return nil, err
	}
	all, err := h.answers(ctx, leg, &base)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(one settle.Contribution) bool { return one.Agent == c.Agent })
	its := &all[at] // an exchange has a contribution
	if c.Turn == flow.TurnRepair {
		its.Text, its.Cut, its.IsRepair = its.Repair, its.RepairCut, true
	}
	return its.Defects(rules, leg.Instant), nil
}
