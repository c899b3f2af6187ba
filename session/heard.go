package session

import (
	"strings"

	"brenner/internal/text"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session/flow"
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
		h.Outcome = LetterRepeated
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
