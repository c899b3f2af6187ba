package session

import (
	"context"
	"slices"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/artifact/lint"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/session/letters"
	"brenner/store"
	"brenner/store/record"
)

func (s *run) brief(ctx context.Context) error {
	return s.commit(ctx, func(state *flow.State) (flow.Committed, [][]byte) {
		return flow.Committed{
			Source: flow.ByBrief, Author: state.Opened.Operator, Deltas: state.Opened.Brief,
			At: state.NextAt(s.Now()),
		}, nil
	})
}

// settle settles the open leg, with the letters that agents sent after their replies.
func (s *run) settle(ctx context.Context) error {
	after, err := s.followUps(ctx)
	if err != nil {
		return err
	}
	err = s.commit(ctx, func(state *flow.State) (c flow.Committed, texts [][]byte) {
		leg := state.OpenLeg()
		c = flow.Committed{Source: flow.ByRound, Round: leg.Round, Leg: leg.Leg, At: leg.At, Stale: leg.Base != state.Version()}
		c.Letters, texts = letters.Journal(state, after)
		return c, texts
	})
	if len(after) > 0 {
		s.restoreMail()
	}
	return err
}

// commit settles a commit and stores the new version in one transaction. If another process
// wrote first, the same contributions are settled on the newer base. About also returns the
// texts that are not stored yet.
func (s *run) commit(ctx context.Context, about func(*flow.State) (flow.Committed, [][]byte)) error {
	var next *settle.Settlement
	err := s.put(ctx, func(state *flow.State) (*draft, error) {
		if err := s.catchUp(ctx); err != nil {
			return nil, err
		}
		h := s.history()
		h.contributions = s.contributions()
		c, unstored := about(state)
		if c.Source == flow.ByThread && len(c.Letters) == 0 {
			next = nil // another process has merged all of them
			return nil, nil
		}
		d, settled, err := h.draft(ctx, s.current, &c, unstored)
		if err != nil {
			return nil, err
		}
		next = &settled
		return d, nil
	})
	if err == nil && next != nil {
		s.current, s.settled = next.Artifact, next
		s.addMoment(next)
		s.report, s.reported = newReport(next), s.state.Commits[len(s.state.Commits)-1].Report
		if s.state.OpenLeg() == nil {
			s.conversations = nil
		}
	}
	return err
}

// checkStale records in c which of the records that it rests on no longer hold. It returns the
// preconditions for storing that.
func (h *History) checkStale(ctx context.Context, c *flow.Committed) ([]store.Append, error) {
	shown := h.State.RecordsShown(c)
	if h.project == nil || len(shown) == 0 {
		return nil, nil
	}
	moved, hold, err := h.project.StaleRecords(ctx, h.Thread, shown)
	c.Moved = moved
	return []store.Append{hold}, err
}

// draft settles a commit on a base and completes it. Unstored texts, if any, are a person's deltas
// or letters that the draft is to store.
func (h *History) draft(ctx context.Context, base artifact.Artifact, c *flow.Committed, unstored [][]byte) (*draft, settle.Settlement, error) {
	d := &draft{}
	for i, text := range unstored {
		hash := d.blob(text)
		switch {
		case len(c.Letters) == 0:
			c.Deltas = hash
		case i < len(c.Letters): // the others are examples
			c.Letters[i].Body = hash
		}
	}
	var err error
	if d.Holds, err = h.checkStale(ctx, c); err != nil {
		return nil, settle.Settlement{}, err
	}
	c.Message = h.State.NextMessage()
	c.Seal = h.State.SealFor(c)
	in, err := h.input(ctx, base, c, h.State.Agents, unstored)
	if err != nil {
		return nil, settle.Settlement{}, err
	}
	out := settle.Settle(in)
	h.complete(d, c, h.State.Items, &base, &out)
	d.event(flow.KindCommitted, *c)
	if out.Changed {
		d.Records = append(d.Records, h.record(c, in.At, &out))
	}
	return d, out, nil
}

// complete writes the result of a settlement into c. Items are the hashes of the items before it.
func (h *History) complete(d *draft, c *flow.Committed, items map[string]string, base *artifact.Artifact, out *settle.Settlement) {
	a := &out.Artifact
	c.Version = a.Metadata.Version
	c.Artifact = store.Hash(a.JSON())
	pieces := a.Pieces(len(base.Deltas))
	c.Metadata, c.Stamps = d.blob(pieces.Metadata), d.blob(pieces.Deltas)
	c.Changed = []flow.Piece{}
	for _, p := range pieces.Items {
		if hash := store.Hash(p.Data); hash != items[p.ID] {
			d.add(hash, p.Data)
			c.Changed = append(c.Changed, flow.Piece{ID: p.ID, Hash: hash})
		}
	}
	c.Report = d.blob(newReport(out).JSON())
	c.Outcome = outcomeOf(out)
	c.Active = make(map[string]int)
	for _, section := range artifact.Sections() {
		c.Active[section.String()] = len(a.Active(section))
	}
	if len(c.Letters) > 0 && h.State.Opened.Reads() != delta.FirstReader {
		c.Letters = slices.Clone(c.Letters)
		for i, one := range out.Last(len(c.Letters)) {
			c.Letters[i].Heard = letterHeard(one.Tally)
			c.Letters[i].Heard.Agent = c.Letters[i].Agent
		}
	}
	if leg := h.State.Leg(c.Round, c.Leg); leg != nil && c.Source == flow.ByRound && h.State.Opened.Follows(flow.SecondProtocol) {
		c.Heard = heard(leg, out.Readings, out.RowsBefore(c.Message+len(leg.Exchanges)))
	}
}

func outcomeOf(out *settle.Settlement) flow.Outcome {
	o := flow.Outcome{Conflicts: len(Conflicts(&out.Artifact))}
	for i := range out.Report.Deltas {
		switch out.Report.Deltas[i].Disposition {
		case merge.Applied:
			o.Applied++
		case merge.Rejected:
			o.Rejected++
		default:
			o.Other++
		}
	}
	for i := range out.Readings {
		if out.Readings[i].TooLong() {
			o.Rejected++
		}
	}
	o.Errors, o.Warnings = countFindings(out.Lint.Findings)
	return o
}

func countFindings(findings []lint.Finding) (errors, warnings int) {
	for _, f := range findings {
		switch f.Severity {
		case lint.Error:
			errors++
		case lint.Warning:
			warnings++
		}
	}
	return errors, warnings
}

// record returns the store's record of the version, in the current wording.
func (h *History) record(c *flow.Committed, at time.Time, out *settle.Settlement) record.Record {
	return h.recordIn(&wordings()[0], c, at, out)
}

func (h *History) recordIn(w *words, c *flow.Committed, at time.Time, out *settle.Settlement) record.Record {
	r := record.Record{
		ID: h.Thread, Type: record.ResearchArtifact, Version: c.Version, Parent: c.Version - 1,
		Status: record.Draft, Module: moduleOf(&h.State.Opened), Summary: w.version(&out.Artifact), SummaryOf: c.Artifact, SummaryBy: record.Extracted, Content: c.Artifact, Creator: h.State.Opened.Operator, At: at,
		Change: w.change(c), Links: sourcesOf(h.State, c),
	}
	if c.Source == flow.ByPerson {
		r.Creator = c.Author
	}
	if h.State.Opened.Rehearsal != "" {
		r.Tags = []string{record.Rehearsal}
	}
	if c.Stale || len(c.Moved) > 0 {
		r.Status = record.NeedsRebase
	}
	return r
}
