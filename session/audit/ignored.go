package audit

import (
	"context"

	"brenner/artifact/delta"
	"brenner/session"
	"brenner/session/flow"
)

// Ignored is a delta that a reply only shows: a draft, a quotation or an example.
type Ignored struct {
	Line      int    `json:"line"` // in the reply
	Operation string `json:"operation,omitempty"`
	Section   string `json:"section,omitempty"`
	Target    string `json:"target_id,omitempty"`
	Form      string `json:"form"` // a flag such as delta.FlagDraft
	Reason    string `json:"reason"`
	Name      string `json:"name,omitempty"` // of the item that it would add
}

// IgnoredInCall is such a delta of a round that was settled.
type IgnoredInCall struct {
	Version int    `json:"version"`
	Agent   string `json:"agent"`
	Call    string `json:"call"`
	Ignored
}

// ignoredIn returns the deltas that a reply only shows. Those that it has outside as well are left out
// if fresh is set.
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
		row := Ignored{Line: b.Line, Operation: b.Delta.Operation, Section: b.Delta.Section, Target: b.Delta.Target}
		if b.Delta.Operation == delta.Add {
			row.Name = b.Delta.Payload.Text("name")
		}
		for _, f := range b.Flags { // the last one says why
			row.Form, row.Reason = f.Name, f.Text
		}
		all = append(all, row)
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
