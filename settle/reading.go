package settle

import (
	"crypto/sha256"
	"strconv"
	"time"

	"brenner/artifact"
	"brenner/delta"
	"brenner/fault"
)

// Reading is what the reader made of one contribution.
type Reading struct {
	Agent    string
	ID       string
	Taken    int // blocks that went to the merge
	Refused  int // blocks that could not be read; the merge accounts for them
	Repaired int // blocks that the repair took the place of
	Shown    int // blocks that were quotations or examples
	Problems []delta.Located
}

// read finds the deltas of a contribution and signs them.
func (c *Contribution) read(at time.Time, message int) (Reading, []delta.Delta) {
	r := Reading{Agent: c.Agent, ID: c.ID}
	if c.File && artifact.IsJSON(c.Text) {
		deltas := c.file(at, message, &r)
		return r, deltas
	}
	first := delta.Read(c.Text, delta.Options{Examples: c.Examples})
	r.take(first)
	if c.Repair == nil {
		return r, first.Stamped(c.envelope(at, message, c.ID))
	}
	r.Repaired, r.Refused = r.Refused, 0
	blocks := len(first.Blocks)
	first.Blocks = readable(first.Blocks)
	deltas := first.Stamped(c.envelope(at, message, c.ID))
	second := delta.Read(c.Repair, delta.Options{Examples: c.Examples})
	r.take(second)
	said := make(map[[sha256.Size]byte]bool, len(deltas))
	for i := range deltas {
		said[deltas[i].Hash()] = true
	}
	for _, d := range second.Stamped(c.envelope(at, message, c.ID+"/repair")) {
		// Agents like to send everything again: what they said before, they said once.
		if said[d.Hash()] {
			r.Taken--
			r.Shown++
			continue
		}
		d.Place.Block += blocks
		deltas = append(deltas, d)
	}
	return r, deltas
}

func (c *Contribution) envelope(at time.Time, message int, id string) delta.Envelope {
	return delta.Envelope{Agent: c.Agent, At: at, MessageID: id, Message: message, Shown: c.Shown}
}

// file reads deltas in JSON. Whoever sends them signs them: names and times in
// the file count for nothing.
func (c *Contribution) file(at time.Time, message int, r *Reading) []delta.Delta {
	deltas, err := delta.ReadFile(c.Text)
	if err != nil {
		r.Problems = append(r.Problems, delta.Located{Code: fault.CodeOf(err), Message: err.Error(), Line: 1, Column: 1, Hint: fault.HintOf(err)})
		return nil
	}
	for i := range deltas {
		d := &deltas[i]
		d.Agent, d.Timestamp = c.Agent, artifact.FormatInstant(at)
		d.ID = delta.DerivedID(c.ID, strconv.Itoa(i+1), string(d.Content()))
		d.Place = &delta.Place{Message: message, Block: i + 1, Shown: c.Shown}
		d.Seal()
		if d.Problem != nil {
			r.Refused++
		} else {
			r.Taken++
		}
	}
	return deltas
}

func (r *Reading) take(reply delta.Reply) {
	r.Problems = append(r.Problems, reply.Problems...)
	for i := range reply.Blocks {
		b := &reply.Blocks[i]
		switch {
		case b.OK:
			r.Taken++
		case b.Skipped():
			r.Shown++
		default:
			r.Refused++
			r.Problems = append(r.Problems, b.Problems...)
		}
	}
}

func readable(blocks []delta.Block) []delta.Block {
	var ok []delta.Block
	for _, b := range blocks {
		if b.OK {
			ok = append(ok, b)
		}
	}
	return ok
}

// Mendable gives what an agent could mend in its reply if it were asked: blocks
// that cannot be read, and deltas that were announced and never came. A reply
// that simply says nothing is an answer.
func Mendable(text []byte, examples []string) []delta.Located {
	reply := delta.Read(text, delta.Options{Examples: examples})
	var found []delta.Located
	for _, p := range reply.Problems {
		if p.Code == delta.ProseOnly {
			found = append(found, p)
		}
	}
	for i := range reply.Blocks {
		if b := &reply.Blocks[i]; !b.OK && !b.Skipped() {
			found = append(found, b.Problems...)
		}
	}
	return found
}
