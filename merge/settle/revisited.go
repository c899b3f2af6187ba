package settle

import (
	"fmt"
	"slices"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/internal/remark"
	"brenner/internal/revisit"
	"brenner/merge"
)

// revisited returns a reply without the changes that the answer to a request for corrections leaves open, and what hides the
// sentences about them when the answer is read.
func (c *Contribution) revisited(first *delta.Reply, rules merge.Rules, at time.Time) (*delta.Reply, func([]byte) []byte) {
	flawed := make(map[int]bool)
	for _, f := range c.flaws(first, rules, at) {
		flawed[f.block.Index] = true
	}
	var said revisit.Context
	var blocks []*delta.Block
	for i := range first.Blocks {
		switch b := &first.Blocks[i]; {
		case b.OK && !flawed[b.Index]:
			said.Standing, blocks = append(said.Standing, change(b, 0)), append(blocks, b)
		case !b.Skipped():
			said.Asked = append(said.Asked, change(b, 0))
		}
	}
	answer := delta.Read(c.Repair, c.repairOptions(first))
	said.Own = ownChanges(&answer)
	text, _ := c.Reader.Plain(c.Repair, c.RepairCut)
	said.Before, _ = c.Reader.Plain(c.Text, c.Cut)
	found := revisit.Read(text, said)
	again := make(map[string]bool) // what the answer repeats is meant
	for i := range answer.Blocks {
		if b := &answer.Blocks[i]; b.OK {
			again[string(b.Delta.Content())] = true
		}
	}
	open := make(map[int]string)
	for i, sentence := range found.Open {
		if sentence != "" && !again[string(blocks[i].Delta.Content())] {
			open[blocks[i].Index] = sentence
		}
	}
	return withoutOpen(first, open, "the answer to the request for corrections"), found.Blank
}

func change(b *delta.Block, letter int) revisit.Change {
	d := &b.Delta
	return revisit.Change{Letter: letter, Number: b.Index, Operation: d.Operation, Section: d.Section, Target: d.Target, Name: d.Payload.Text("name")}
}

// ownChanges returns the changes in a reply, readable or not.
func ownChanges(reply *delta.Reply) (all []revisit.Change) {
	for i := range reply.Blocks {
		if b := &reply.Blocks[i]; !b.Skipped() && (b.OK || b.Problems[0].Code != delta.ProseOnly) {
			all = append(all, change(b, 0))
		}
	}
	return all
}

// withoutOpen returns a reply in which the blocks are refused that a later text leaves open, with the sentences that do.
func withoutOpen(reply *delta.Reply, open map[int]string, by string) *delta.Reply {
	if len(open) == 0 {
		return reply
	}
	left := *reply
	left.Blocks = slices.Clone(reply.Blocks)
	for i := range left.Blocks {
		b := &left.Blocks[i]
		if sentence := open[b.Index]; b.OK && sentence != "" {
			b.OK, b.Problems = false, []delta.Located{{
				Code: delta.AmbiguousDelta, Line: b.Line, Column: 1, Hint: "send it again if it is meant",
				Message: fmt.Sprintf("%s takes it back or leaves it open: %q", by, fault.Shown(sentence)),
			}}
		}
	}
	return &left
}

// sentChange is a change in a letter or a reply of an author.
type sentChange struct {
	of       *Contribution
	block    int
	isRepair bool
}

// revisit records what a letter says of the changes in earlier letters of its author. A later letter may keep what another one took
// back.
func (in *Input) revisit(at int) {
	c := &in.Contributions[at]
	said := revisit.Context{IsLetter: true}
	var sent []sentChange
	for i := range at {
		before := &in.Contributions[i]
		if before.Agent != c.Agent || before.Letter == nil {
			continue
		}
		add := func(reply *delta.Reply, isRepair bool) {
			for j := range reply.Blocks {
				if b := &reply.Blocks[j]; b.OK {
					said.Standing, sent = append(said.Standing, change(b, i)), append(sent, sentChange{before, b.Index, isRepair})
				}
			}
		}
		add(before.readText(), false)
		if before.Repair != nil && c.AfterRepair {
			second := delta.Read(before.Repair, before.repairOptions(before.readText()))
			add(&second, true)
		}
	}
	c.hide = nil
	said.Own = ownChanges(c.readText())
	text, _ := c.Reader.Plain(c.Text, c.Cut)
	found := revisit.Read(text, said)
	for i, s := range sent {
		switch {
		case found.Open[i] != "":
			s.leave(found.Open[i])
		case found.Affirmed[i]:
			s.keep()
		}
	}
	if found.Message != "" && slices.ContainsFunc(in.Base.Deltas, func(d *artifact.Stamp) bool { return d.Agent == c.Agent }) {
		c.late = append(c.late, remark.Remark{Line: found.Message})
	}
	if found.IsAbout() {
		c.hide, c.Read = found.Blank, nil
	}
}

func (s sentChange) leave(sentence string) {
	to := &s.of.openFirst
	if s.isRepair {
		to = &s.of.openSecond
	}
	if *to == nil {
		*to = make(map[int]string)
	}
	(*to)[s.block] = sentence
}

func (s sentChange) keep() {
	if s.isRepair {
		delete(s.of.openSecond, s.block)
	} else {
		delete(s.of.openFirst, s.block)
	}
}
