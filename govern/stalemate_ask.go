package govern

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/agent"
	"brenner/govern/ledger"
	"brenner/internal/fault"
	"brenner/session/stalemate"
	"brenner/session/view"
	"brenner/store"
)

// Arbitrate asks an agent that is not a party for a ruling. It sees only the request. If
// a person rules meanwhile, that verdict is kept.
func (rs *Records) Arbitrate(ctx context.Context, who Actor, h *Helper, of, id string) (*Stalemate, error) {
	s, err := rs.openStalemateFor(ctx, who, of, id, stalemate.Ruled)
	if err != nil {
		return nil, err
	}
	arbiter := stalemate.Arbiter{Kind: stalemate.ByAgent, Name: h.Name, Model: h.Model}
	if s.Request.IsParty(h.Name) || slices.ContainsFunc(rs.Rules.Authorities, func(name string) bool { return strings.EqualFold(name, h.Name) }) {
		return nil, &fault.Error{Code: stalemate.ArbiterIsParty, Op: "ask " + fault.Shown(h.Name), Detail: "it has the name of a party, or of the operator or an authority", Hint: "choose another name for the arbiter"}
	}
	if err := s.Request.Sendable(); err != nil {
		return nil, err
	}
	docs, err := rs.briefDocument(ctx)
	if err != nil {
		return nil, err
	}
	if err := rs.checkFits(h, &s.Request, docs); err != nil {
		return nil, err
	}
	if s, err = rs.explain(ctx, who, h, s, docs); err != nil {
		return nil, err
	}
	message := s.Request.Message(docs...)
	var bad error
	for range stalemate.MaxAnswers {
		a, err := rs.askArbiter(ctx, h, s, message, "")
		if err != nil {
			return nil, err
		}
		v, err := stalemate.ReadVerdict([]byte(a.text), arbiter, &s.Request)
		if err != nil {
			if err := rs.journalProduced(ctx, a); err != nil {
				return nil, err
			}
			bad, message = err, s.Request.Message(docs...)+stalemate.NotAccepted(stalemate.Defects(err))
			continue
		}
		ref, err := rs.putVerdict(ctx, Actor{Name: h.Name, Role: stalemate.ArbiterRole}, s, &v)
		if err := rs.journalResult(ctx, a, ref, err); err != nil {
			return nil, err
		}
		return rs.Stalemate(ctx, "", s.ID)
	}
	return nil, &fault.Error{
		Code: stalemate.NoVerdict, Op: "ask " + fault.Shown(h.Name), Detail: "no reply is a valid verdict", Cause: bad,
		Hint: "list the calls with `brenner store log --calls`, or rule yourself: `brenner stalemate rule " + s.Subject + " " + s.ID + "`",
	}
}

func (rs *Records) checkFits(h *Helper, r *stalemate.Request, docs []stalemate.Document) error {
	return view.CheckOpening(h.Name, rs.Rules.Call, rs.count(r.Message(docs...)))
}

// explain marks a request as given out. Before that it asks the agent once for other explanations, which the request
// then has. The agent can rule in any case.
func (rs *Records) explain(ctx context.Context, who Actor, h *Helper, s *Stalemate, docs []stalemate.Document) (*Stalemate, error) {
	const why = "given out, to be ruled on"
	n := s.Request.Room(rs.Rules.Hypotheses)
	if s.State != stalemate.Open || n == 0 {
		return rs.mark(ctx, who, s, stalemate.Requested, why)
	}
	a, bad := rs.askArbiter(ctx, h, s, s.Request.ExplainMessage(n, docs...), "/explain")
	if bad != nil && (ctx.Err() != nil || a == nil || a.event.Call == "") {
		return nil, bad // it was not asked, or stopped: the next run asks
	}
	var more []stalemate.Hypothesis
	if bad == nil {
		more, bad = stalemate.ReadExplanations([]byte(a.text), n, &s.Request)
	}
	explained := s.Request.Explained(h.Name, more, "")
	if bad == nil {
		bad = rs.checkFits(h, &explained, docs)
	}
	if bad != nil {
		explained = s.Request.Explained(h.Name, nil, fault.CodeOf(bad))
	}
	s.Request = explained
	s, err := rs.mark(ctx, who, s, stalemate.Requested, why)
	if err == nil && a.text != "" { // only now: until the request has them, a later run uses the reply
		err = rs.journalProduced(ctx, a)
	}
	return s, err
}

// askArbiter asks once, unless an unused reply is journaled. The id of the call ends with part.
func (rs *Records) askArbiter(ctx context.Context, h *Helper, s *Stalemate, message, part string) (*helperReply, error) {
	prompt := store.Hash([]byte(message))
	e, err := rs.findUnusedReply(ctx, h, stalemate.ArbiterRole, func(e *ledger.AskedEvent) (bool, error) { return e.Task == s.ID && e.Prompt == prompt, nil })
	if err != nil {
		return nil, err
	}
	if e != nil {
		a := &helperReply{}
		return a, rs.reuseReply(ctx, a, e)
	}
	head, err := rs.head(ctx, Calls)
	if err != nil {
		return nil, err
	}
	request, _, err := rs.Find(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	a := &helperReply{event: ledger.AskedEvent{
		Task: s.ID, Role: stalemate.ArbiterRole, Tokens: rs.count(message), Context: []ledger.ShownEntry{{ID: request.ID, Version: request.Version, Type: request.Type, Form: string(view.Full)}},
	}}
	return a, rs.call(ctx, h, a, &agent.Call{
		ID: fmt.Sprintf("store/%s/%d%s", s.ID, head.Seq+1, part), Thread: s.ID, Subject: stalemate.Subject(s.ID), Turns: []agent.Turn{{Text: message}},
	})
}
