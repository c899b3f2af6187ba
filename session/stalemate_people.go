package session

import (
	"cmp"
	"context"
	"slices"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/store"
)

// OpenStalemate opens a stalemate on behalf of a person and returns its id. It is about an
// existing conflict, or about the subject of the person's own request.
func (ed *Editor) OpenStalemate(ctx context.Context, thread, place string, request []byte) (*History, string, []*fault.Error, error) {
	h, err := ed.load(ctx, thread)
	if err != nil {
		return nil, "", nil, err
	}
	at, err := parseFieldPath(place)
	if err != nil {
		return h, "", nil, err
	}
	var warnings []*fault.Error
	id := ""
	err = ed.ledger(h).write(ctx, func(state *flow.State) (*draft, error) {
		base, err := h.Artifact(ctx, state.Version())
		if err != nil {
			return nil, err
		}
		c, r, read, err := h.declared(ctx, &base, at, request, state.Round())
		if err != nil {
			return nil, err
		}
		warnings = read
		if err = h.renew(&c); err != nil {
			return nil, err
		}
		id = c.ID
		dr := &draft{}
		h.openWith(dr, &c, &r, ed.As)
		return dr, nil
	})
	return h, id, warnings, err
}

// declared returns the case that a person declares at a place, and its request: the person's own, or a new one.
func (h *History) declared(ctx context.Context, base *artifact.Artifact, at fieldPath, request []byte, round int) (c stalemate.Case, r stalemate.Request, warnings []*fault.Error, err error) {
	place := at.String()
	c, moments, err := h.conflictCase(ctx, base, place)
	stuck := c.ID != ""
	switch {
	case err != nil:
	case request != nil:
		if r, warnings, err = stalemate.ReadSubmittedRequest(request); err == nil {
			err = at.checkIn(base)
		}
		if stuck && err == nil {
			stalemate.AddParties(&c, &r)
		} else if err == nil {
			c = stalemate.FromRequest(h.Thread, &r, place, round)
		}
	case stuck:
		r, err = h.newRequest(ctx, &c, moments)
	default:
		if _, err = ConflictAt(base, place); err == nil {
			err = noConflict(base, place)
		}
	}
	return c, r, warnings, err
}

// conflictCase returns the case of the conflict at a place, and the history that it is from; without one, it has no id.
func (h *History) conflictCase(ctx context.Context, base *artifact.Artifact, place string) (stalemate.Case, []stalemate.Moment, error) {
	if !slices.Contains(Conflicts(base), place) {
		return stalemate.Case{}, nil, nil
	}
	moments, err := h.Moments(ctx)
	if err != nil {
		return stalemate.Case{}, nil, err
	}
	c, _ := stalemate.FromConflict(h.Thread, moments, place)
	return c, moments, nil
}

// renew sets an id of its own for a case that a person opens: what was closed may be opened again. One that is open is an error.
func (h *History) renew(c *stalemate.Case) error {
	if h.waitsAt(c.Place) {
		return &fault.Error{Code: stalemate.BadState, Detail: "a stalemate about " + c.Place + " is open already", Hint: "`brenner stalemate list " + h.Thread + "` shows it"}
	}
	for h.hasCase(c) {
		c.ID = stalemate.NextID(c.ID)
	}
	return nil
}

// newRequest returns the request for a case that a person declares.
func (h *History) newRequest(ctx context.Context, c *stalemate.Case, moments []stalemate.Moment) (stalemate.Request, error) {
	b, err := h.basis(ctx, c, moments)
	if err != nil {
		return stalemate.Request{}, err
	}
	return stalemate.NewRequest(h.Thread, h.lastInstant(), c, b), nil
}

func (p fieldPath) checkIn(a *artifact.Artifact) error {
	f := &fault.Error{Code: BadAddress, Detail: fault.Shown(p.String()) + " not found", Hint: "name a field of an active item, such as H2.claim"}
	it, _, ok := a.Find(p.item)
	if !ok {
		return f
	}
	if it.Killed() {
		f.Detail = it.ID + " was killed by " + fault.Shown(it.Kill.By)
		return f
	}
	spec, known := p.section.Spec().Field(p.field)
	_, isMap := it.Get(p.field).(artifact.Map)
	if it.Get(p.field) == nil && !known || p.key != "" && !isMap && (!known || spec.Kind != artifact.KindMap && spec.Kind != artifact.KindScore) {
		return f
	}
	return nil
}

func stateOf(s *flow.State, id string) string {
	one, _ := s.Stalemate(id)
	return one.State
}

// SendStalemate marks a request as sent and returns it. Placeholder evidence cannot be sent.
func (ed *Editor) SendStalemate(ctx context.Context, thread, id string) (*History, stalemate.Request, error) {
	h, err := ed.load(ctx, thread)
	if err != nil {
		return nil, stalemate.Request{}, err
	}
	r, err := h.Request(ctx, id)
	if err == nil {
		err = r.Sendable()
	}
	if err != nil {
		return h, r, err
	}
	return h, r, ed.ledger(h).write(ctx, func(state *flow.State) (*draft, error) {
		if stateOf(state, id) == stalemate.Requested {
			return nil, nil
		}
		if err := stalemate.CheckTransition(id, stateOf(state, id), stalemate.Requested); err != nil {
			return nil, err
		}
		return newDraft(flow.KindStalemate, flow.Stalemated{ID: id, State: stalemate.Requested, By: ed.As}), nil
	})
}

// Rule journals a person's verdict and carries it out through the merge. A party of the
// stalemate cannot rule. A verdict that cannot be carried out is an error and changes nothing.
func (ed *Editor) Rule(ctx context.Context, thread, id string, verdict []byte) (*History, *settle.Settlement, error) {
	h, err := ed.load(ctx, thread)
	if err != nil {
		return nil, nil, err
	}
	r, err := h.Request(ctx, id)
	if err != nil {
		return h, nil, err
	}
	v, err := stalemate.ReadVerdict(verdict, stalemate.Arbiter{Kind: stalemate.ByPerson, Name: ed.As}, &r)
	if err != nil {
		return h, nil, err
	}
	var out *settle.Settlement
	err = ed.ledger(h).write(ctx, func(state *flow.State) (*draft, error) {
		now, _ := state.Stalemate(id)
		if err := stalemate.CheckTransition(id, now.State, stalemate.Ruled); err != nil {
			return nil, err
		}
		c, err := h.caseOf(ctx, &now)
		if err != nil {
			return nil, err
		}
		base, err := h.Artifact(ctx, state.Version())
		if err != nil {
			return nil, err
		}
		var dr *draft
		if dr, out, err = h.settleRuling(ctx, base, &c, &v, state.NextAt(ed.Now())); err != nil {
			return nil, err
		}
		ruled := store.Event{Kind: flow.KindStalemate, Body: flow.Stalemated{ID: id, State: stalemate.Ruled, By: ed.As, Reply: dr.blob(verdict), Verdict: dr.blob(v.JSON())}}
		dr.Events = slices.Insert(dr.Events, 0, ruled)
		return dr, nil
	})
	return h, out, err
}

// WithdrawStalemate closes a stalemate without a ruling. Who may rule on it may withdraw it.
func (ed *Editor) WithdrawStalemate(ctx context.Context, thread, id, why string) (*History, error) {
	h, err := ed.load(ctx, thread)
	if err != nil {
		return nil, err
	}
	r, err := h.Request(ctx, id)
	if err == nil {
		err = r.CheckWithdrawal(ed.As, why)
	}
	if err != nil {
		return h, err
	}
	return h, ed.ledger(h).write(ctx, func(state *flow.State) (*draft, error) {
		if err := stalemate.CheckTransition(id, stateOf(state, id), stalemate.Withdrawn); err != nil {
			return nil, err
		}
		return newDraft(flow.KindStalemate, flow.Stalemated{ID: id, State: stalemate.Withdrawn, By: ed.As, Why: why}), nil
	})
}

// whyNotApplied returns why the merge did not apply a ruling, or "". It is not enough that its
// reasons were applied: the disputed field must have the ruled value.
func whyNotApplied(c *stalemate.Case, out *settle.Settlement) string {
	reasons, stands := stalemate.ReasonsField(c.Place), false
	for i := range out.Report.Deltas {
		row := &out.Report.Deltas[i]
		if row.Disposition == merge.Rejected || row.Disposition == merge.Skipped {
			return row.Message + fieldReason(row)
		}
		for j := range row.Fields {
			f := &row.Fields[j]
			switch {
			case f.Field == reasons:
			case f.Outcome == merge.FieldApplied, f.Outcome == merge.FieldUnchanged:
				stands = true
			case f.Outcome == merge.FieldRefused, f.Outcome == merge.FieldSkipped, f.Outcome == merge.FieldConflicted:
				return f.Field + ": " + cmp.Or(f.Message, f.Outcome.String())
			}
		}
	}
	switch {
	case !stands:
		return "none of its fields can be written"
	case c.Kind == stalemate.Conflict && slices.Contains(Conflicts(&out.Artifact), c.Place):
		return c.Place + " would still be in conflict"
	}
	return ""
}

// fieldReason returns the reason for the first refused field of a delta that was refused as a whole.
func fieldReason(row *merge.Row) string {
	for i := range row.Fields {
		if f := &row.Fields[i]; f.Message != "" {
			return " (" + f.Field + ": " + f.Message + ")"
		}
	}
	return ""
}
