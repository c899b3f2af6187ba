package settle

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/internal/remark"
	"brenner/internal/text"
	"brenner/merge"
)

// Reading is the result of reading one contribution. Its JSON is frozen: reports contain it, and
// journals refer to reports by hash.
type Reading struct {
	Agent    string          `json:"agent"`
	ID       string          `json:"message"`
	Taken    int             `json:"taken"`      // blocks that went to the merge
	Refused  int             `json:"refused"`    // unreadable blocks; the merge accounts for them
	Repaired int             `json:"repaired"`   // blocks that the repair replaced
	Shown    int             `json:"only_shown"` // quotations and examples
	Problems []delta.Located `json:"problems"`
	// NoChanges and Cut are not part of a report: the journal has them.
	NoChanges *delta.Statement `json:"-"`
	Cut       bool             `json:"-"` // the reply, or its repair, ends at the limit of its length
	Replaced  []Replaced       `json:"-"` // deltas that the repair replaced
	Idle      []string         `json:"-"` // applied EDITs that changed no value
	Notes     []delta.Note     `json:"-"` // what was noticed about its blocks
	Aside     []Refusal        `json:"-"` // drafts, examples and quotations
	Records   []delta.Draft    `json:"-"` // records to put, after those of a repair have replaced others
	third     bool             // of a session that follows protocol 3
	message   int              // its number in the thread
	cutOff    int              // unreadable blocks in which it, or its repair, was cut off
	written   map[place]string // what the blocks that were not taken look like, by the places of their problems
}

// place is a line and a column of a reply.
type place struct{ line, column int }

// Replaced is a delta that does not go to the merge, since its author sent another one instead.
type Replaced struct {
	Delta delta.Delta
	By    string // the id of the other one
}

// TooLong reports whether the entire message was refused as too long.
func (r *Reading) TooLong() bool {
	return slices.ContainsFunc(r.Problems, func(p delta.Located) bool { return p.Code == delta.MessageTooLarge })
}

// read finds the deltas of a contribution and stamps them.
func (c *Contribution) read(at time.Time, message int, rules merge.Rules) (Reading, []delta.Delta) {
	r := Reading{Agent: c.Agent, ID: c.ID, Cut: c.Cut || c.RepairCut, third: c.Third, message: message}
	if c.File && artifact.IsJSON(c.Text) {
		deltas := c.file(at, message, &r)
		return r, deltas
	}
	first := withoutOpen(withoutRecalled(c.readText(), c.recalled, laterLetter), c.openFirst, laterLetter)
	var hide func([]byte) []byte
	switch isAnswered := c.Third && c.Repair != nil; {
	case isAnswered && c.Reader.Since(delta.FifthReader):
		first, hide = c.revisited(first, rules, at)
	case isAnswered:
		taken := slices.DeleteFunc(c.Reader.Remarks(c.Agent).Recalls(c.ownText(c.Repair)), func(said remark.Remark) bool {
			return said.All && !text.HasAny(strings.ToLower(said.Line), "all ", "everything", "whole", "entire") // it is about what was asked for
		})
		first = withoutRecalled(first, taken, "the answer to the request for corrections")
	}
	r.Take(first)
	r.addLate(c)
	r.Records = recordsOf(first, false)
	r.NoChanges = first.NoChanges
	if c.Repair == nil {
		return r, c.stamp(first, at, message)
	}
	opt := c.repairOptions(first)
	opt.Hide = hide
	read := delta.Read(c.Repair, opt)
	second := withoutOpen(withoutRecalled(&read, c.revoked, laterLetter), c.openSecond, laterLetter)
	r.Take(second)
	if second.NoChanges != nil || isOwn(second) {
		r.NoChanges = second.NoChanges
	}
	if c.Third && c.Base != nil {
		deltas := c.correct(first, second, at, message, rules, &r)
		return r, deltas
	}
	r.Records = append(r.Records, recordsOf(second, true)...)
	more := c.newDeltas(first, second, at, message, &r)
	fixes, full := c.corrections(first, more, rules, at)
	for i := range more {
		p := more[i].Place
		p.Written, p.Repair, p.Block = p.Block, true, p.Block+len(first.Blocks)
	}
	deltas := r.combine(c.stamp(first, at, message), more, fixes, full, c.Base != nil)
	if c.Base != nil {
		for i := range deltas {
			p := deltas[i].Place
			p.Written, p.Block = p.Source(), i+1
		}
	}
	return r, deltas
}

// laterLetter is what takes back changes of replies and letters.
const laterLetter = "a later letter of its author"

// repairOptions returns how the correction of a reply is read.
func (c *Contribution) repairOptions(first *delta.Reply) delta.Options {
	opt := c.Options()
	opt.Cut, opt.Repair, opt.Doubted, opt.Hide = c.RepairCut, true, doubted(first), nil
	return opt
}

// recall sets the instant of deltas that the author sent before, in the same round, to that time, so that
// the merge knows them. Agents resend letters, often with an addition. Deltas that were rejected are tried
// again: what they refer to may exist by now.
func (c *Contribution) recall(deltas []delta.Delta, base *artifact.Artifact) {
	if len(c.Before) == 0 {
		return
	}
	said := make(map[[sha256.Size]byte]bool)
	for _, s := range base.Deltas {
		if s.Agent == c.Agent && !c.Refused[s.Delta] {
			said[s.Hash] = true
		}
	}
	for i := range deltas {
		for _, at := range c.Before {
			d := deltas[i]
			d.Timestamp = at
			if d.Seal(); d.Problem == nil && said[d.Hash()] {
				deltas[i] = d
				break
			}
		}
	}
}

// doubted returns the deltas of a reply that were refused as ambiguous.
func doubted(reply *delta.Reply) (all []delta.Delta) {
	for i := range reply.Blocks {
		if b := &reply.Blocks[i]; !b.OK && len(b.Problems) > 0 && b.Problems[0].Code == delta.AmbiguousDelta {
			all = append(all, b.Delta)
		}
	}
	return all
}

// isOwn reports whether a reply has a delta of its own, readable or not.
func isOwn(reply *delta.Reply) bool {
	return slices.ContainsFunc(reply.Blocks, func(b delta.Block) bool { return !b.Skipped() }) || reply.Open > 0
}

// newDeltas returns the deltas of a repair that are new: agents often send everything again.
func (c *Contribution) newDeltas(first, second *delta.Reply, at time.Time, message int, r *Reading) []delta.Delta {
	said := make(map[[sha256.Size]byte]bool)
	for _, d := range c.stamp(first, at, message) {
		if d.Problem == nil {
			said[d.Hash()] = true
		}
	}
	var more []delta.Delta
	for _, d := range second.Stamped(c.envelope(at, message, c.ID+"/repair")) {
		if said[d.Hash()] {
			r.Taken--
			r.Shown++
			continue
		}
		more = append(more, d)
	}
	return more
}

func isRefused(b *delta.Block) bool { return !b.OK && !b.Skipped() }

// stamps are the deltas of a reply that was read before, for the same instant: the search for
// defects and the settlement need them.
type stamps struct {
	reply  *delta.Reply
	at     time.Time
	deltas []delta.Delta
}

// stamp returns the deltas of a reply, which the caller may change.
func (c *Contribution) stamp(reply *delta.Reply, at time.Time, message int) []delta.Delta {
	if s := &c.stamped; s.reply != reply || !s.at.Equal(at) {
		*s = stamps{reply, at, reply.Stamped(c.envelope(at, message, c.ID))}
	}
	deltas := slices.Clone(c.stamped.deltas)
	for i := range deltas {
		place := *deltas[i].Place
		place.Message = message
		deltas[i].Place = &place
	}
	return deltas
}

func (c *Contribution) envelope(at time.Time, message int, id string) delta.Envelope {
	letter := c.Letter
	if letter != nil && len(c.Before) > 0 {
		with := *letter
		for _, before := range c.Before {
			if at, err := artifact.ParseInstant(before); err == nil {
				with.Before = append(with.Before, at)
			}
		}
		letter = &with
	}
	return delta.Envelope{Agent: c.Agent, At: at, MessageID: id, Message: message, Shown: c.Shown, Letter: letter}
}

// file reads deltas in JSON. The sender is their author: names and times in the file are ignored.
func (c *Contribution) file(at time.Time, message int, r *Reading) []delta.Delta {
	read := delta.ReadFile
	if c.Reader == delta.FirstReader {
		read = delta.ReadRows
	}
	deltas, err := read(c.Text)
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

// Take counts the blocks of a reply and keeps its problems.
func (r *Reading) Take(reply *delta.Reply) {
	r.Problems = append(r.Problems, reply.Problems...)
	for i := range reply.Blocks {
		b := &reply.Blocks[i]
		for _, f := range b.Flags {
			r.Notes = append(r.Notes, delta.Note{Line: b.Line, What: f.Name, Text: f.Text})
			if b.Skipped() {
				r.Aside = append(r.Aside, Refusal{Line: b.Line, Delta: b.Delta.Brief(), Code: fault.Code(f.Name), Message: f.Text})
			}
		}
		switch {
		case b.OK:
			r.Taken++
		case b.Skipped():
			r.Shown++
		default:
			r.Refused++
			r.Problems = append(r.Problems, b.Problems...)
			if r.written == nil {
				r.written = make(map[place]string)
			}
			for _, p := range b.Problems {
				r.written[place{p.Line, p.Column}] = b.Delta.Brief()
			}
			if b.Cut {
				r.cutOff++
			}
		}
	}
}

// Repairable returns the problems that an agent could fix in its reply, as sessions of protocol 1
// see it: unreadable blocks, announced deltas that are missing, a message too long to read. See
// Defects for later sessions.
func Repairable(reply *delta.Reply) []delta.Located {
	var found []delta.Located
	for _, p := range reply.Problems {
		if p.Code == delta.ProseOnly || p.Code == delta.MessageTooLarge {
			found = append(found, p)
		}
	}
	for i := range reply.Blocks {
		if b := &reply.Blocks[i]; isRefused(b) {
			found = append(found, b.Problems...)
		}
	}
	return found
}

// rename replaces ids in deltas: as targets, as keys of maps, and as whole texts. A label that is a known id was not taken, and is
// left out, unless labelsWin: then the label of an ADD means its item even if it is a known id, as in merge/1.
// The hashes stay those of the original deltas.
func rename(deltas []delta.Delta, ids map[string]string, labelsWin bool) {
	if len(ids) == 0 {
		return
	}
	for i := range deltas {
		d := &deltas[i]
		own := func(id string) bool { return labelsWin && slices.Contains(d.Labels, id) }
		if to, ok := ids[d.Target]; ok {
			d.Target = orNowhere(to, d.Target)
		}
		if !labelsWin {
			d.Labels = slices.DeleteFunc(slices.Clone(d.Labels), func(label string) bool { _, known := ids[label]; return known })
		}
		for j := range d.Payload {
			d.Payload[j].Value = renamed(d.Payload[j].Value, ids, own)
		}
	}
}

func renamed(v artifact.Value, ids map[string]string, own func(string) bool) artifact.Value {
	switch v := v.(type) {
	case artifact.Text:
		if to, ok := ids[string(v)]; ok && !own(string(v)) {
			return artifact.Text(orNowhere(to, string(v)))
		}
	case artifact.List:
		out := make(artifact.List, len(v))
		for i := range v {
			out[i] = renamed(v[i], ids, own)
		}
		return out
	case artifact.Map:
		out := make([]artifact.Entry, len(v))
		for i, e := range v {
			if to, ok := ids[e.Key]; ok && !own(e.Key) {
				e.Key = orNowhere(to, e.Key)
			}
			e.Value = renamed(e.Value, ids, own)
			out[i] = e
		}
		return artifact.MapOf(out...)
	}
	return v
}

// orNowhere returns the new id of an item. An id that has none becomes one that no item has.
func orNowhere(id, was string) string {
	if id == "" {
		return was + " (not in this replay)"
	}
	return id
}
