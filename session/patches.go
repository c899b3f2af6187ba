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

// PatchInput is an answer whose search/replace blocks and anchor patches are to be applied to the records
// that its author was shown.
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
	Source    record.Ref   // the record of the answer; zero before it is stored
	Opened    *flow.Opened // the session's opening
}

// PatchOutcome is the outcome of the blocks about one text, or of one record of an answer, with what was
// parsed and the resulting patch, if any. The runner fills in their hashes.
type PatchOutcome struct {
	flow.Patch
	BlocksText string // of a record: the record as JSON
	PatchText  []byte
}

// patches applies the search/replace blocks and anchor patches in the answers of the last round to records and puts the
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

// applyBlocks applies the search/replace blocks and anchor patches of an answer and of its repair. What was
// refused and sent again is corrected. Until reader/2 a repair counts only if the answer has no blocks.
func (s *run) applyBlocks(ctx context.Context, x *flow.Exchange) ([]PatchOutcome, error) {
	if len(x.Records) == 0 {
		return nil, nil
	}
	found, err := s.applyBlocksOf(ctx, x, &x.Ask)
	repair := x.RepairAnswer()
	if err != nil || repair == nil {
		return found, err
	}
	if !s.state.Opened.Reads().Since(delta.ThirdReader) && slices.ContainsFunc(found, isMeant) {
		return found, nil
	}
	again, err := s.applyBlocksOf(ctx, x, repair)
	return correctBlocks(found, again), err
}

func (s *run) applyBlocksOf(ctx context.Context, x *flow.Exchange, c *flow.Call) (found []PatchOutcome, err error) {
	p := s.patchInput(x)
	if p.Text, err = s.store.Blob(ctx, c.Answered.Reply); err != nil {
		return nil, err
	}
	p.Source = replyRef(s.state, c)
	return s.Project.Patch(ctx, &p)
}

// isMeant reports whether an outcome is that of a change, and not of one that is only shown.
func isMeant(one PatchOutcome) bool { return one.Code != patch.BlockShown }

// correctBlocks returns the outcomes of an answer and its repair. A change of the answer that was refused is
// corrected by one of the same text, or by any if it was about no text. A version that both made is there once.
func correctBlocks(first, again []PatchOutcome) []PatchOutcome {
	for i := range first {
		one := &first[i]
		one.Corrected = one.Code != "" && isMeant(*one) && slices.ContainsFunc(again, func(other PatchOutcome) bool {
			return isMeant(other) && (other.Record == one.Record || !aboutText(one.Record))
		})
	}
	isNew := func(other PatchOutcome) bool {
		return other.Made == "" || !slices.ContainsFunc(first, func(one PatchOutcome) bool { return one.Made == other.Made })
	}
	for _, other := range again {
		if isNew(other) {
			first = append(first, other)
		}
	}
	return first
}

func (s *run) patchInput(x *flow.Exchange) PatchInput {
	c := &x.Ask
	return PatchInput{
		Thread: s.state.Opened.Thread, Call: c.ID, Agent: c.Agent, Role: s.roleOf(c.Agent), Round: c.Round, Shown: x.Records,
		Rehearsal: s.state.Opened.Rehearsal != "", Reader: s.state.Opened.Reads(), Opened: &s.state.Opened,
	}
}

// patchDefects returns what is wrong with the changes of texts in a reply, for a request to correct it, and
// whether some apply and none is refused. Those that are only shown are final: they are no reason to ask.
// Until reader/1 a request did not name them, and until reader/2 no others.
func (s *run) patchDefects(ctx context.Context, t *conversation, x *flow.Exchange) (defects []settle.Defect, applies bool) {
	reader := s.state.Opened.Reads()
	if s.Project == nil || x == nil || len(x.Records) == 0 || reader == delta.FirstReader {
		return nil, false
	}
	p := s.patchInput(x)
	p.Text = t.Text
	all, n, err := s.Project.CheckPatches(ctx, &p)
	if err != nil {
		s.Log.Warn().Err(err).Str("agent", t.Agent).Msg("cannot check the patches of a reply; they are checked again when they are applied")
		return nil, false
	}
	isShown := func(d settle.Defect) bool { return d.Code == patch.BlockShown }
	applies = n > 0 && !slices.ContainsFunc(all, func(d settle.Defect) bool { return !isShown(d) })
	if !reader.Since(delta.ThirdReader) {
		all = slices.DeleteFunc(all, func(d settle.Defect) bool { return !isShown(d) })
	}
	return all, applies
}

// onlyPatches reports whether a reply has no deltas of its own: if its changes of texts apply, its author is
// not asked for deltas.
func (s *run) onlyPatches(t *conversation) bool {
	return !t.Cut && !slices.ContainsFunc(t.Read.Blocks, func(b delta.Block) bool { return !b.Skipped() })
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
			if c := &p.Changes[j]; c.Code != "" && c.Code != patch.BlockShown && c.Kind == "" && !c.Corrected {
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
			if one.Record != c.Place || one.Kind != "" || one.Code == "" || one.Corrected || one.Code == patch.BlockShown || !slices.ContainsFunc(c.Positions, func(q stalemate.Position) bool { return q.Party == p.Agent }) {
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
