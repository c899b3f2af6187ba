package session

import (
	"context"
	"slices"

	"brenner/artifact/delta"
	"brenner/merge/settle"
	"brenner/patch"
	"brenner/roster"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/session/view"
	"brenner/store/record"
)

// PatchInput is an answer whose search/replace blocks are to be applied to the records that its
// author was shown.
type PatchInput struct {
	Thread    string
	Call      string
	Agent     string
	Role      string
	Round     int
	Text      []byte
	Reader    delta.Reader
	Shown     []flow.RecordRef
	Rehearsal bool
	Source    record.Ref // the record of the answer; zero before it is stored
}

// PatchOutcome is the outcome of the blocks about one text, or of one record of an answer, with what was
// parsed and the resulting patch, if any. The runner fills in their hashes.
type PatchOutcome struct {
	flow.Patch
	BlocksText string // of a record: the record as JSON
	PatchText  []byte
}

// patches applies the search/replace blocks in the answers of the last round to records and puts the
// records in them, in roster order, and journals the outcome. A resumed run repeats it safely: a record
// takes the same answer only once.
func (s *run) patches(ctx context.Context) error {
	leg := s.state.LastSettled()
	if s.Project == nil || leg == nil {
		return nil
	}
	drafts, err := s.draftsOf(ctx, leg)
	if err != nil {
		return err
	}
	for i := range leg.Exchanges {
		x := &leg.Exchanges[i]
		if x.Answer() == nil || len(x.Records)+len(drafts[x.Agent]) == 0 || s.state.PatchesOf(x.Ask.ID) != nil {
			continue
		}
		if err := s.patchesOf(ctx, x, drafts[x.Agent]); err != nil {
			return err
		}
	}
	return nil
}

// patchesOf changes and puts records by one answer and journals both in one event.
func (s *run) patchesOf(ctx context.Context, x *flow.Exchange, drafts []delta.Draft) error {
	c := &x.Ask
	if err := s.flush(ctx); err != nil { // a record must not refer to a round that is not in the journal
		return err
	}
	found, err := s.applyBlocks(ctx, x)
	if err == nil && len(drafts) > 0 {
		var made []PatchOutcome
		made, err = s.Project.Write(ctx, s.writeInput(x, drafts))
		found = append(found, made...)
	}
	if err != nil || len(found) == 0 {
		return err
	}
	return s.write(ctx, func(state *flow.State) (*draft, error) {
		if state.PatchesOf(c.ID) != nil {
			return nil, nil
		}
		d := &draft{}
		body := flow.Patched{Call: c.ID, Agent: c.Agent, Round: c.Round}
		for i := range found {
			one := found[i].Patch
			one.Blocks = d.blob([]byte(found[i].BlocksText))
			if found[i].PatchText != nil {
				one.Patch = d.blob(found[i].PatchText)
			}
			body.Changes = append(body.Changes, one)
		}
		d.event(flow.KindPatched, body)
		return d, nil
	})
}

// applyBlocks applies the search/replace blocks of an answer or, if it has none, of its repair.
func (s *run) applyBlocks(ctx context.Context, x *flow.Exchange) (found []PatchOutcome, err error) {
	if len(x.Records) == 0 {
		return nil, nil
	}
	p := s.patchInput(x)
	apply := func(c *flow.Call) error {
		if p.Text, err = s.store.Blob(ctx, c.Answered.Reply); err != nil {
			return err
		}
		p.Source = replyRef(s.state, c)
		more, err := s.Project.Patch(ctx, &p)
		found = append(found, more...)
		return err
	}
	err = apply(&x.Ask)
	meant := func(one PatchOutcome) bool { return one.Code != patch.BlockShown }
	if repair := x.RepairAnswer(); err == nil && !slices.ContainsFunc(found, meant) && repair != nil {
		err = apply(repair)
	}
	return found, err
}

func (s *run) patchInput(x *flow.Exchange) PatchInput {
	c := &x.Ask
	return PatchInput{
		Thread: s.state.Opened.Thread, Call: c.ID, Agent: c.Agent, Role: s.roleOf(c.Agent), Round: c.Round, Shown: x.Records,
		Rehearsal: s.state.Opened.Rehearsal != "", Reader: s.state.Opened.Reads(),
	}
}

// onlyPatches reports whether a reply without deltas of its own has search/replace blocks that apply: its
// author is not asked for deltas. Until reader/1 it was.
func (s *run) onlyPatches(ctx context.Context, t *conversation, x *flow.Exchange) bool {
	if s.Project == nil || t.Cut || len(x.Records) == 0 || s.state.Opened.Reads() == delta.FirstReader ||
		slices.ContainsFunc(t.Read.Blocks, func(b delta.Block) bool { return !b.Skipped() }) {
		return false
	}
	p := s.patchInput(x)
	p.Text = t.Text
	applies, err := s.Project.Applies(ctx, &p)
	return err == nil && applies
}

// shownPatches returns the search/replace blocks of a reply that are only shown, in reasoning or as a
// quotation, for a request to correct it. Until reader/1 a request did not name them.
func (s *run) shownPatches(t *conversation) []settle.Defect {
	x := s.state.OpenLeg().Of(t.Agent)
	if x == nil || len(x.Records) == 0 || s.state.Opened.Reads() == delta.FirstReader {
		return nil
	}
	var all []settle.Defect
	for _, one := range patch.ReadBlocks(t.Text, s.state.Opened.Reads()).Shown {
		p := &one.Problem
		all = append(all, settle.Defect{Line: p.Line, Column: 1, Code: p.Code, Message: p.Message, Hint: p.Hint})
	}
	return all
}

// roleOf returns the role with whose rights an agent reads and writes records.
func (s *run) roleOf(name string) string {
	if s.roster.Mode == roster.Unified && s.state.Opened.Task == "" {
		return view.Unified
	}
	return s.state.Opened.Party(name).Role
}

func (h *History) attempts() []stalemate.Attempt {
	var all []stalemate.Attempt
	for i := range h.State.Patches {
		p := &h.State.Patches[i]
		for j := range p.Changes {
			if c := &p.Changes[j]; c.Code != "" && c.Code != patch.BlockShown && c.Kind == "" {
				all = append(all, stalemate.Attempt{
					Round: p.Round, By: p.Agent, Place: c.Record, Content: c.Blocks, Code: c.Code, Message: c.Message,
				})
			}
		}
	}
	return all
}

// patchedText returns the text that a case is about, with the blocks refused last, or nil if the
// case is not about a text.
func (h *History) patchedText(ctx context.Context, c *stalemate.Case) (*stalemate.PatchedText, error) {
	for i := range slices.Backward(h.State.Patches) {
		p := &h.State.Patches[i]
		for j := range p.Changes {
			one := &p.Changes[j]
			if one.Record != c.Place || one.Kind != "" || one.Code == "" || one.Code == patch.BlockShown || !slices.ContainsFunc(c.Positions, func(q stalemate.Position) bool { return q.Party == p.Agent }) {
				continue
			}
			blocks, err := h.Store.Blob(ctx, one.Blocks)
			if err != nil || one.Text == "" {
				return nil, err
			}
			text, err := h.Store.Blob(ctx, one.Text)
			return &stalemate.PatchedText{Name: one.Record, Content: string(text), Patch: string(blocks)}, err
		}
	}
	return nil, nil
}

func (h *History) patchReferences() []Reference {
	var refs []Reference
	for i := range h.State.Patches {
		for _, c := range h.State.Patches[i].Changes {
			refs = append(refs, Reference{c.Blocks, "the blocks about " + c.Record}, Reference{c.Text, "the text of " + c.Record}, Reference{c.Patch, "the patch of " + c.Record})
		}
	}
	return refs
}

// patchFeedback returns the outcomes of the blocks and records in an agent's last answer, and the rulings on
// its stalemates about texts. A ruling does not change a text; the next patch does.
func (s *run) patchFeedback(ctx context.Context, state *flow.State, name string) ([]view.Outcome, error) {
	var out []view.Outcome
	for i := range slices.Backward(state.Patches) {
		p := &state.Patches[i]
		if p.Agent != name {
			continue
		}
		for j := range p.Changes {
			if !p.Changes[j].Corrected {
				out = append(out, patchOutcome(&p.Changes[j]))
			}
		}
		break
	}
	h := s.history()
	for i := range state.Stalemates {
		one := &state.Stalemates[i]
		if !aboutText(one.Place) || one.Verdict == "" {
			continue
		}
		r, err := h.Request(ctx, one.ID)
		if err != nil {
			return nil, err
		}
		if !r.IsParty(name) {
			continue
		}
		v, err := h.Verdict(ctx, one.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, view.Outcome{Delta: one.ID, Target: one.Place, Disposition: "ruled", Message: v.Reasons(one.ID)})
	}
	return out, nil
}

func patchOutcome(c *flow.Patch) view.Outcome {
	o := view.Outcome{Delta: "patch", Target: c.Record, Disposition: "rejected", Code: c.Code, Message: c.Message + ". " + c.Hint}
	if c.Kind == flow.RecordKind {
		o.Delta = flow.RecordKind
	}
	if c.Code == patch.BlockShown {
		o.Disposition = "ignored"
	}
	if c.Made != "" {
		o.Disposition, o.Message = "applied", "it made "+c.Made+" ("+c.Status+"), which nobody has promoted. "+c.Message
	}
	return o
}

// aboutText reports whether a stalemate is about a version of a record: "memo-1@v3".
func aboutText(place string) bool {
	ref, err := record.ParseAddress(place)
	return err == nil && ref.Version > 0
}
