package audit

import (
	"context"

	"brenner/artifact/delta"
	"brenner/kickoff"
	"brenner/session"
	"brenner/session/flow"
)

// Ignored is a delta that a reply only shows: a draft, a quotation or an example.
type Ignored struct {
	Written
	Target string `json:"target_id,omitempty"`
	Form   string `json:"form"` // a flag such as delta.FlagDraft
	Reason string `json:"reason"`
}

// IgnoredInCall is an ignored delta of a settled round.
type IgnoredInCall struct {
	Version int    `json:"version"`
	Agent   string `json:"agent"`
	Call    string `json:"call"`
	Ignored
}

// ignoredIn returns the deltas that a reply only shows. If fresh is set, those that it also proposes are
// left out.
func ignoredIn(reply *delta.Reply, fresh bool) []Ignored {
	taken := make(map[string]bool)
	for i := range reply.Blocks {
		if b := &reply.Blocks[i]; fresh && b.OK {
			taken[string(b.Delta.Content())] = true
		}
	}
	var all []Ignored
	for i := range reply.Blocks {
		b := &reply.Blocks[i]
		if !b.Skipped() || taken[string(b.Delta.Content())] {
			continue
		}
		row := Ignored{Written: writtenAt(b.Line, &b.Delta), Target: b.Delta.Target}
		for _, f := range b.Flags { // the last one says why
			row.Form, row.Reason = f.Name, f.Text
		}
		all = append(all, row)
	}
	return all
}

// lessonsIn returns the lessons that a reply only shows, or that were too many.
func lessonsIn(h *session.History, c *flow.Call, text []byte) (all []Ignored) {
	for _, l := range kickoff.FindLessons(string(text), c.Answered.Cut, h.State.Opened.Reads()) {
		if l.Why != "" {
			all = append(all, Ignored{Written: Written{Line: l.Line, Operation: "lesson", Name: l.Text}, Form: l.Form, Reason: l.Why})
		}
	}
	return all
}

// addIgnored adds the deltas that the replies of a round only show.
func (s *Summary) addIgnored(ctx context.Context, h *session.History, c *flow.Commit, report *session.Report) error {
	leg := h.State.Leg(c.Round, c.Leg)
	for _, r := range report.Readings {
		if r.Shown == 0 || c.Source != flow.ByRound || leg == nil {
			continue
		}
		x := leg.Of(r.Agent)
		if x == nil {
			continue
		}
		for _, call := range []*flow.Call{&x.Ask, &x.Repair} {
			reply, err := h.Reading(ctx, call)
			if err != nil {
				return err
			}
			for _, row := range ignoredIn(&reply, true) {
				s.Ignored = append(s.Ignored, IgnoredInCall{c.Version, r.Agent, call.ID, row})
			}
		}
	}
	return nil
}
