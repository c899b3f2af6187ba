package audit

import (
	"context"
	"slices"
	"strings"

	"brenner/artifact/delta"
	"brenner/internal/pattern"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session"
	"brenner/session/flow"
)

// Written is where an agent wrote a delta, and what it would do.
type Written struct {
	Text      string `json:"text,omitempty"` // of several texts of one round: reply, repair or letter
	Line      int    `json:"line,omitzero"`  // of its block in that text
	Operation string `json:"operation,omitempty"`
	Section   string `json:"section,omitempty"`
	Name      string `json:"name,omitempty"` // of the item that it would add
}

// inLetter is the Text of what was written in a letter that follows a reply of the round.
const inLetter = "letter"

// What returns what the delta would do: ADD hypothesis_slate "Name".
func (w *Written) What() string {
	what := strings.TrimSpace(w.Operation + " " + w.Section)
	if w.Name != "" {
		what += ` "` + w.Name + `"`
	}
	return what
}

func writtenAt(line int, d *delta.Delta) Written {
	w := Written{Line: line, Operation: d.Operation, Section: d.Section}
	if d.Operation == delta.Add {
		w.Name = d.Payload.Text("name")
	}
	if d.Section == delta.RecordSection && d.Target == "" && len(d.Labels) > 0 {
		w.Name = d.Labels[0] // the id of a record
	}
	return w
}

// writtenIn returns where the agents wrote the deltas of a round, by id: all deltas of each agent of which
// one was rejected, had no effect, lost its label or has an unresolved reference.
func writtenIn(ctx context.Context, h *session.History, c *flow.Commit, report *session.Report) (map[string]Written, error) {
	leg := h.State.Leg(c.Round, c.Leg)
	if c.Source != flow.ByThread && (c.Source != flow.ByRound || leg == nil) {
		return nil, nil
	}
	agents := make(map[string]bool)
	for i := range report.Merge.Deltas {
		row := &report.Merge.Deltas[i]
		if row.Code == merge.LabelTaken || slices.Contains([]merge.Disposition{merge.Rejected, merge.Skipped, merge.Superseded}, row.Disposition) {
			agents[row.Agent] = true
		}
	}
	for _, row := range report.Merge.Unresolved() {
		agents[row.Agent] = true
	}
	all := make(map[string]Written)
	if err := addLetters(ctx, h, c, agents, all); err != nil || c.Source == flow.ByThread {
		return all, err
	}
	for i := range leg.Exchanges {
		x := &leg.Exchanges[i]
		if !agents[x.Agent] {
			continue
		}
		for _, one := range []struct {
			call     *flow.Call
			id, text string
		}{{&x.Ask, x.Ask.ID, "reply"}, {&x.Repair, x.Ask.ID + "/repair", "repair"}} {
			if x.RepairAnswer() == nil {
				one.text = ""
			}
			if err := addWritten(ctx, h, one.call, one.id, one.text, all); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// addLetters adds the deltas in the letters of some agents.
func addLetters(ctx context.Context, h *session.History, c *flow.Commit, agents map[string]bool, all map[string]Written) error {
	in := settle.Input{At: settle.Undated()}
	kind := ""
	if c.Source == flow.ByRound {
		kind = inLetter
	}
	for _, l := range c.Letters {
		if !agents[l.Agent] {
			continue
		}
		text, err := h.Store.Blob(ctx, l.Body)
		if err != nil {
			return err
		}
		in.Contributions = append(in.Contributions, settle.Contribution{
			Agent: l.Agent, ID: h.Thread + "/letter/" + l.ID, Text: text, Reader: h.State.Opened.Reads(), Letter: &delta.Letter{},
		})
	}
	_, deltas := settle.Read(in)
	for i := range deltas {
		d := &deltas[i]
		from := &in.Contributions[d.Place.Message]
		all[d.ID] = writtenBlock(from.Read, d, from.Text, kind)
	}
	return nil
}

// addWritten adds the deltas of the reply to a call.
func addWritten(ctx context.Context, h *session.History, c *flow.Call, message, text string, all map[string]Written) error {
	reply, err := h.Reading(ctx, c)
	if err != nil || len(reply.Blocks) == 0 {
		return err
	}
	source, err := h.Store.Blob(ctx, c.Answered.Reply)
	if err != nil {
		return err
	}
	for _, d := range reply.Stamped(delta.Envelope{MessageID: message}) { // ids are made from that of the message
		all[d.ID] = writtenBlock(&reply, &d, source, text)
	}
	return nil
}

// writtenBlock returns where a delta is in a reply.
func writtenBlock(reply *delta.Reply, d *delta.Delta, source []byte, text string) Written {
	b := &reply.Blocks[d.Place.Block-1]
	w := writtenAt(b.Line, d)
	w.Text = text
	if w.Name == "" && d.Operation == delta.Add && d.Problem != nil {
		lines := strings.SplitAfter(string(source), "\n")
		end := len(lines)
		if d.Place.Block < len(reply.Blocks) {
			end = min(end, reply.Blocks[d.Place.Block].Line-1)
		}
		w.Name = nameIn(lines[min(max(b.Line-1, 0), end):end])
	}
	return w
}

var nameKey = pattern.New(`"name"\s*:\s*"([^"\\\n]{1,200})"`)

// nameIn returns the name in a block that is not JSON, or "".
func nameIn(lines []string) string {
	const most = 50
	if m := nameKey.FindStringSubmatch(strings.Join(lines[:min(len(lines), most)], "")); m != nil {
		return m[1]
	}
	return ""
}
