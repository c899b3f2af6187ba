package settle

import (
	"fmt"
	"slices"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/internal/markdown"
	"brenner/internal/remark"
)

// setRecalled records for each letter the remarks in later letters of its author that take it back, or changes in it, and
// for each letter those that no earlier one is left for: what they take back has been merged.
func (in *Input) setRecalled() {
	all := in.Contributions
	for i := range all {
		c := &all[i]
		c.recalled, c.revoked, c.late, c.openFirst, c.openSecond = nil, nil, nil, nil, nil
		if c.Letter == nil || c.File || c.Text == nil || c.followed {
			continue
		}
		if c.Reader.Since(delta.FifthReader) {
			in.revisit(i)
			continue
		}
		for _, said := range c.Reader.Remarks(c.Agent).Recalls(c.ownText(c.Text)) {
			isLeft := !said.All
			for j := i - 1; j >= 0; j-- {
				if before := &all[j]; before.Agent == c.Agent && before.Letter != nil && before.recallBy(c, said) {
					isLeft = true
					if !said.Several {
						break
					}
				}
			}
			if !isLeft && slices.ContainsFunc(in.Base.Deltas, func(d *artifact.Stamp) bool { return d.Agent == c.Agent }) {
				c.late = append(c.late, said)
			}
		}
	}
}

// SetFollowed records that letters of its author follow a reply, which was sent by mail at a time. They may correct it as they
// correct letters.
func (c *Contribution) SetFollowed(sent time.Time) {
	c.Letter, c.followed, c.stamped = &delta.Letter{Sent: sent, Direct: true}, true, stamps{}
}

// recallBy records a remark of a later letter if it is about a change in the text or its correction, and reports whether it is.
func (c *Contribution) recallBy(letter *Contribution, said remark.Remark) bool {
	is := names(c.readText(), said)
	if is {
		c.recalled = append(c.recalled, said)
	}
	if c.Repair != nil && letter.AfterRepair {
		if second := delta.Read(c.Repair, c.repairOptions(c.readText())); names(&second, said) {
			c.revoked, is = append(c.revoked, said), true
		}
	}
	return is
}

// ownText returns what a letter says outside of blocks, quotations and reasoning.
func (c *Contribution) ownText(text []byte) (own []byte) {
	text, _ = c.Reader.Plain(text, false)
	for b := range markdown.Blocks(text, markdown.Third) {
		if b.Kind == markdown.Prose && !b.Quoted && !b.Draft {
			own = append(append(own, text[b.Start:b.End]...), "\n\n"...)
		}
	}
	return own
}

// names reports whether a text has a change that a remark is about.
func names(text *delta.Reply, said remark.Remark) bool {
	return slices.ContainsFunc(text.Blocks, func(b delta.Block) bool {
		return b.OK && said.Names(0, b.Delta.Operation, b.Delta.Target)
	})
}

// readText reads Text once.
func (c *Contribution) readText() *delta.Reply {
	if c.Read == nil {
		read := delta.Read(c.Text, c.Options())
		c.Read = &read
	}
	return c.Read
}

// withoutRecalled returns a reply in which the changes are refused that its author took back later.
func withoutRecalled(reply *delta.Reply, taken []remark.Remark, by string) *delta.Reply {
	if len(taken) == 0 {
		return reply
	}
	left := *reply
	left.Blocks = slices.Clone(reply.Blocks)
	for i := range left.Blocks {
		b := &left.Blocks[i]
		for _, said := range taken {
			if b.OK && said.Names(i+1, b.Delta.Operation, b.Delta.Target) {
				b.OK, b.Problems = false, []delta.Located{{
					Code: delta.AmbiguousDelta, Line: b.Line, Column: 1, Hint: "send it again if it is meant",
					Message: fmt.Sprintf("%s takes it back: %q", by, fault.Shown(said.Line)),
				}}
			}
		}
	}
	return &left
}

// addLate records the remarks that take back what has been merged.
func (r *Reading) addLate(c *Contribution) {
	for _, said := range c.late {
		r.Problems = append(r.Problems, delta.Located{
			Code: delta.ProseOnly, Line: 1, Column: 1, Hint: "send an EDIT or a KILL that undoes it",
			Message: fmt.Sprintf("it takes back an earlier letter, which has been merged: %q", fault.Shown(said.Line)),
		})
	}
}
