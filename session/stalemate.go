package session

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner/agent"
	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/session/view"
)

// NoStalemate is the code of an unknown stalemate.
const NoStalemate fault.Code = "NO_STALEMATE" // No stalemate with this id in the session.

func (b *Brief) checkArbiter() error {
	if b.Arbiter == nil {
		return nil
	}
	f := &fault.Error{Code: stalemate.ArbiterIsParty, Detail: "the arbiter " + fault.Shown(b.Arbiter.Name) + " is an agent in the roster", Hint: "choose another name for the arbiter"}
	for _, p := range b.Agents {
		if strings.EqualFold(p.Name, b.Arbiter.Name) {
			return f
		}
	}
	if b.isPerson(b.Arbiter.Name) {
		f.Code, f.Detail = NameTaken, "the arbiter "+fault.Shown(b.Arbiter.Name)+" has the name of an authority"
		return f
	}
	return nil
}

// isPerson reports whether a name is that of an authority. Names that differ only in case are
// the same name.
func (b *Brief) isPerson(name string) bool {
	same := func(other string) bool { return strings.EqualFold(other, name) }
	return same(b.Operator) || slices.ContainsFunc(b.Rules.Authorities, same)
}

func (h *History) stalemateReferences() []Reference {
	var refs []Reference
	for _, s := range h.State.Stalemates {
		refs = append(refs, Reference{s.Case, "the case " + s.ID}, Reference{s.Request, "the request of " + s.ID}, Reference{s.Verdict, "the verdict in " + s.ID})
		for _, former := range s.Former {
			refs = append(refs, Reference{former, "a former request of " + s.ID})
		}
		for _, reply := range s.Replies {
			refs = append(refs, Reference{reply, "an arbiter's reply in " + s.ID})
		}
	}
	for i := range h.State.Rulings {
		c := &h.State.Rulings[i]
		refs = append(refs, Reference{c.Prompt, "the prompt of " + c.ID}, Reference{c.Failed.Partial, "the partial reply of " + c.ID})
	}
	return refs
}

// Moments returns the history in the form in which stalemates are found.
func (h *History) Moments(ctx context.Context) ([]stalemate.Moment, error) {
	all, err := h.Replay(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]stalemate.Moment, len(all))
	for i := range all {
		out[i] = stalemate.Moment{Round: all[i].Commit.Round, At: all[i].Commit.Instant, Out: &all[i].Settlement}
	}
	return out, nil
}

// stalemates looks for stalemates at the end of a round and asks the arbiter, if there is one.
// Without an arbiter the session continues where it can.
func (s *run) stalemates(ctx context.Context) error {
	if !s.state.RoundDone() || s.state.Ended != "" {
		return nil
	}
	h := s.history()
	if len(s.moments) != len(s.state.Commits) { // a resumed run, or a person has written
		var err error
		if s.moments, err = h.Moments(ctx); err != nil {
			return err
		}
	}
	cases := stalemate.Detect(h.Thread, s.moments, h.attempts())
	if err := s.journalStalemates(ctx, cases); err != nil {
		return err
	}
	if s.state.Opened.Arbiter == nil {
		return nil
	}
	for _, open := range s.state.OpenStalemates() {
		if err := s.arbitrate(ctx, h, open.ID); err != nil {
			return err
		}
	}
	return nil
}

// addMoment keeps a settlement of this run, so that the search for stalemates need not settle the
// whole session again after every round.
func (s *run) addMoment(out *settle.Settlement) {
	n := len(s.state.Commits)
	if n == 0 || len(s.moments) != n-1 {
		return // another process wrote meanwhile: the next search reads everything
	}
	c := &s.state.Commits[n-1]
	s.moments = append(s.moments, stalemate.Moment{Round: c.Round, At: c.Instant, Out: out})
}

// journalStalemates journals new stalemates, and the end of those that were settled otherwise.
func (s *run) journalStalemates(ctx context.Context, cases []stalemate.Case) error {
	return s.put(ctx, func(*flow.State) (*draft, error) {
		d := &draft{}
		h := s.history()
		h.expire(d, &s.current)
		for i := range cases {
			if h.hasCase(&cases[i]) {
				continue
			}
			b, err := h.basis(ctx, &cases[i], s.moments)
			if err != nil {
				return nil, err
			}
			r := stalemate.NewRequest(h.Thread, h.lastInstant(), &cases[i], b)
			h.openWith(d, &cases[i], &r, "")
		}
		if len(d.Events) == 0 {
			return nil, nil
		}
		return d, nil
	})
}

func (h *History) expire(d *draft, now *artifact.Artifact) {
	for _, open := range h.State.OpenStalemates() {
		id, _, _ := strings.Cut(open.Place, ".")
		it, _, found := now.Find(id)
		switch {
		case open.State == stalemate.Ruled:
		case open.Kind == stalemate.Conflict && !slices.Contains(Conflicts(now), open.Place):
			d.event(flow.KindStalemate, flow.Stalemated{ID: open.ID, State: stalemate.Expired, Why: "the conflict was settled"})
		case open.Kind == stalemate.Swing && found && it.Killed():
			d.event(flow.KindStalemate, flow.Stalemated{ID: open.ID, State: stalemate.Expired, Why: "the item was killed"})
		}
	}
}

// hasCase reports whether a case is known, or one about the same place is open.
func (h *History) hasCase(c *stalemate.Case) bool {
	_, known := h.State.Stalemate(c.ID)
	return known || h.waitsAt(c.Place)
}

func (h *History) waitsAt(place string) bool {
	return slices.ContainsFunc(h.State.Stalemates, func(s flow.Stalemate) bool { return s.Place == place && s.Waits() })
}

func (h *History) openWith(d *draft, c *stalemate.Case, r *stalemate.Request, by string) {
	d.event(flow.KindStalemate, flow.Stalemated{
		ID: c.ID, State: stalemate.Open, By: by, Kind: c.Kind, Place: c.Place, Case: d.blob(c.JSON()), Request: d.blob(r.JSON()),
	})
}

// lastInstant returns the time of the last commit. Documents derived from a round thus have the
// same bytes whenever they are made.
func (h *History) lastInstant() time.Time {
	if n := len(h.State.Commits); n > 0 {
		return h.State.Commits[n-1].Instant
	}
	return h.State.Began
}

func (s *run) arbitrate(ctx context.Context, h *History, id string) error {
	open, _ := s.state.Stalemate(id)
	if open.State == stalemate.Ruled {
		return s.carryOut(ctx, h, id)
	}
	if len(open.Replies) >= stalemate.MaxAnswers || s.stopping() != "" {
		return nil
	}
	if err := s.explain(ctx, h, id); err != nil || s.stopping() != "" {
		return err
	}
	party := *s.state.Arbiter
	request, err := h.Request(ctx, id)
	if err != nil {
		return err
	}
	docs, err := h.questionAndBrief(ctx)
	if err != nil {
		return err
	}
	message := request.Message(docs...)
	if len(open.Replies) > 0 && open.Why != "" {
		message += stalemate.NotAccepted(open.Why)
	}
	input := s.Tokens.Count(message)
	if err := s.checkSendable(&request, party.Name, input); err != nil {
		s.Log.Warn().Err(err).Str("stalemate", id).Msg("cannot send the request to the arbiter; a person must rule")
		return nil
	}
	call := s.arbiterCall(h, id, strconv.Itoa(len(open.Replies)+1), message)
	cost := s.state.Settings.Prices.Cost(party.Name, input, call.MaxReply)
	if !s.state.Affords(cost) {
		s.Log.Warn().Str("stalemate", id).Msg("budget exhausted; the arbiter was not asked")
		return nil
	}
	o, err := s.askArbiter(ctx, flow.Stalemated{ID: id, State: stalemate.Requested, By: party.Name}, flow.TurnRule, &call, cost)
	if err != nil {
		return err
	}
	if o.err != nil { // it stays requested: the next round, a resume or a person continues with it
		s.Log.Warn().Err(o.err).Str("stalemate", id).Str("arbiter", party.Name).Msg("the arbiter did not answer")
		return s.recordNoAnswer(ctx, id, o)
	}
	return s.recordRuling(ctx, h, id, &request, party, o)
}

// arbiterCall returns the call of a message to the arbiter about a stalemate.
func (s *run) arbiterCall(h *History, id, part, message string) agent.Call {
	return agent.Call{
		ID: h.Thread + "/stalemate/" + id + "/" + part, Agent: s.state.Arbiter.Name,
		Thread: h.Thread, Round: s.state.Round(), Subject: stalemate.Subject(id), MaxReply: s.state.Settings.Reply,
		Turns: []agent.Turn{{Text: message}}, Drain: s.drain,
	}
}

// checkSendable returns an error if a request cannot be sent to an arbiter, because it has
// placeholder evidence or more tokens than one call may have.
func (s *run) checkSendable(r *stalemate.Request, arbiter string, tokens int) error {
	if err := r.Sendable(); err != nil {
		return err
	}
	return view.CheckOpening(arbiter, s.state.Settings.Context, tokens)
}

// askArbiter journals the step that begins a call, and calls.
func (s *run) askArbiter(ctx context.Context, step flow.Stalemated, turn string, call *agent.Call, cost flow.Cost) (*outcome, error) {
	judge, err := s.Agent(*s.state.Arbiter)
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, func(*flow.State) (*draft, error) {
		d := &draft{}
		step.Began = &flow.Began{
			Call: call.ID, Agent: call.Agent, Round: call.Round, Leg: 1, Turn: turn,
			Prompt: d.blob([]byte(call.Turns[0].Text)), Reserved: cost.Tokens, ReservedUSD: cost.USD,
		}
		d.event(flow.KindStalemate, step)
		return d, nil
	})
	if err != nil {
		return nil, err
	}
	began := s.Now()
	reply, err := agent.Whole(judge).Ask(s.calls, *call)
	return &outcome{call: flow.Call{ID: call.ID, Agent: call.Agent, Reserved: cost}, reply: reply, err: err, took: s.Now().Sub(began)}, nil
}

func (s *run) recordNoAnswer(ctx context.Context, id string, o *outcome) error {
	ctx = context.WithoutCancel(ctx)
	failure := failureOf(o.err)
	return s.write(ctx, func(state *flow.State) (*draft, error) {
		d := &draft{}
		failed := s.failed(d, o, failure, state.Settings.Prices)
		now := stateOf(state, id)
		d.event(flow.KindStalemate, flow.Stalemated{ID: id, State: now, By: o.call.Agent, Failed: &failed, Late: now != stalemate.Requested})
		return d, nil
	})
}

// recordRuling keeps an arbiter's answer and, if it is a verdict, carries it out.
func (s *run) recordRuling(ctx context.Context, h *History, id string, r *stalemate.Request, p flow.Party, o *outcome) error {
	ctx = context.WithoutCancel(ctx) // an answer is kept even if the run ends
	v, unreadable := stalemate.ReadVerdict([]byte(o.reply.Text), stalemate.Arbiter{Kind: stalemate.ByAgent, Name: p.Name, Model: p.Model}, r)
	late, bad := false, unreadable
	err := s.write(ctx, func(state *flow.State) (*draft, error) {
		d := &draft{}
		answered := answeredOf(d, o, state.Settings.Prices)
		now := stateOf(state, id)
		late = now != stalemate.Requested
		if unreadable == nil && !late {
			var err error
			if bad, err = s.checkRuling(ctx, h, id, &v); err != nil {
				return nil, err
			}
		}
		body := flow.Stalemated{ID: id, State: stalemate.Ruled, By: p.Name, Reply: answered.Reply, Answered: &answered, Late: late}
		switch {
		case late: // a person ruled first: the answer is kept without effect
			body.State = now
		case bad != nil:
			body.State, body.Why = stalemate.Requested, stalemate.Defects(bad)
		default:
			body.Verdict = d.blob(v.JSON())
		}
		d.event(flow.KindStalemate, body)
		return d, nil
	})
	if err != nil || late {
		return err
	}
	if bad != nil {
		s.Log.Warn().Str("stalemate", id).Str("arbiter", p.Name).Msg("the arbiter's reply is not a verdict: " + stalemate.Defects(bad))
		return s.arbitrate(ctx, h, id)
	}
	return s.carryOut(ctx, h, id)
}

// checkRuling returns why a verdict cannot be carried out, or nil.
func (s *run) checkRuling(ctx context.Context, h *History, id string, v *stalemate.Verdict) (refusal, err error) {
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	now, _ := h.State.Stalemate(id)
	c, err := h.caseOf(ctx, &now)
	if err != nil {
		return nil, err
	}
	_, _, err = h.settleRuling(ctx, s.current, &c, v, h.State.NextAt(s.Now()))
	if isRefusal(err) {
		return err, nil
	}
	return nil, err
}

// carryOut merges the EDIT of a ruling in the name of its author.
func (s *run) carryOut(ctx context.Context, h *History, id string) error {
	var out *settle.Settlement
	err := s.write(ctx, func(state *flow.State) (*draft, error) {
		if err := s.catchUp(ctx); err != nil {
			return nil, err
		}
		var d *draft
		var err error
		d, out, err = h.draftRuling(ctx, s.current, id, state.NextAt(s.Now()))
		return d, err
	})
	if err == nil && out != nil {
		s.current = out.Artifact
		s.addMoment(out)
	}
	return err
}

// draftRuling drafts the last step of a ruled stalemate: it merges the EDIT and records whether it
// was applied. It can be refused here only if the artifact changed since the ruling was checked.
func (h *History) draftRuling(ctx context.Context, base artifact.Artifact, id, at string) (*draft, *settle.Settlement, error) {
	now, _ := h.State.Stalemate(id)
	if now.State != stalemate.Ruled {
		return nil, nil, nil
	}
	c, v, err := h.ruling(ctx, &now)
	if err != nil {
		return nil, nil, err
	}
	d, out, err := h.settleRuling(ctx, base, &c, &v, at)
	if isRefusal(err) {
		return newDraft(flow.KindStalemate, flow.Stalemated{ID: id, State: stalemate.Refused, By: v.Arbiter.Name, Why: err.Error()}), nil, nil
	}
	return d, out, err
}

// RulingRefused is the code of a ruling that the merge does not take.
const RulingRefused fault.Code = "RULING_REFUSED" // The merge does not take the ruling, so it is not accepted; the stalemate is unchanged.

// isRefusal reports whether an error says that a ruling cannot be carried out.
func isRefusal(err error) bool {
	code := fault.CodeOf(err)
	return code == stalemate.NothingToWrite || code == RulingRefused
}

// settleRuling merges the EDIT of a ruling in the name of its author and drafts the last step. If it cannot
// be carried out, isRefusal holds for the error.
func (h *History) settleRuling(ctx context.Context, base artifact.Artifact, c *stalemate.Case, v *stalemate.Verdict, at string) (*draft, *settle.Settlement, error) {
	last := flow.Stalemated{ID: c.ID, State: stalemate.Applied, By: v.Arbiter.Name}
	text, err := stalemate.Ruling(c, v)
	switch {
	case err == nil:
	case aboutText(c.Place):
		last.Why = "it changes no text by itself: its author is told in the session's next round, and a new patch can"
		return newDraft(flow.KindStalemate, last), nil, nil
	case v.For == stalemate.TheRules:
		last.Why = "the refusal stands; nothing is changed"
		return newDraft(flow.KindStalemate, last), nil, nil
	default:
		return nil, nil, err
	}
	commit := flow.Committed{Source: flow.ByPerson, Author: v.Arbiter.Name, At: at, Ruling: c.ID}
	d, out, err := h.draft(ctx, base, &commit, [][]byte{text})
	if err != nil {
		return nil, nil, err
	}
	if reason := whyNotApplied(c, &out); reason != "" { // then its reasons stay out of the artifact, too
		return nil, nil, &fault.Error{Code: RulingRefused, Place: "value", Detail: "the merge did not take it: " + reason, Hint: "rule again with a value that " + c.Place + " can have"}
	}
	d.event(flow.KindStalemate, last)
	return d, &out, nil
}

func (h *History) ruling(ctx context.Context, s *flow.Stalemate) (stalemate.Case, stalemate.Verdict, error) {
	c, err := h.caseOf(ctx, s)
	if err != nil {
		return c, stalemate.Verdict{}, err
	}
	v, err := h.Verdict(ctx, s.ID)
	return c, v, err
}

func (h *History) caseOf(ctx context.Context, s *flow.Stalemate) (stalemate.Case, error) {
	data, err := h.Store.Blob(ctx, s.Case)
	if err != nil {
		return stalemate.Case{}, err
	}
	return stalemate.ReadCase(data)
}

// Request returns the request of a stalemate.
func (h *History) Request(ctx context.Context, id string) (stalemate.Request, error) {
	s, err := h.stalemate(id)
	if err != nil {
		return stalemate.Request{}, err
	}
	data, err := h.Store.Blob(ctx, s.Request)
	if err != nil {
		return stalemate.Request{}, err
	}
	r, _, err := stalemate.ReadRequest(data)
	return r, err
}

// Verdict returns the verdict on a ruled stalemate.
func (h *History) Verdict(ctx context.Context, id string) (stalemate.Verdict, error) {
	s, err := h.stalemate(id)
	if err != nil {
		return stalemate.Verdict{}, err
	}
	r, err := h.Request(ctx, id)
	if err != nil {
		return stalemate.Verdict{}, err
	}
	data, err := h.Store.Blob(ctx, s.Verdict)
	if err != nil {
		return stalemate.Verdict{}, err
	}
	return stalemate.StoredVerdict(data, &r)
}

func (h *History) stalemate(id string) (flow.Stalemate, error) {
	s, ok := h.State.Stalemate(id)
	if ok {
		return s, nil
	}
	f := &fault.Error{Code: NoStalemate, Detail: h.Thread + " has no stalemate " + fault.Shown(id), Hint: "the session has no stalemates"}
	var names []string
	for _, one := range h.State.Stalemates {
		names = append(names, one.ID)
	}
	if len(names) > 0 {
		f.Hint = "stalemates: " + strings.Join(names, ", ")
	}
	return s, f
}
