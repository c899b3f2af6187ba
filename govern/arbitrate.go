package govern

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/session/stalemate"
	"brenner/session/view"
	"brenner/store"
)

// Arbitrate has an agent that is no party rule on a stalemate about a record. It is
// sent the request and nothing else; every call is journaled as it came, also when a
// person rules meanwhile, whose verdict then stands.
func (d *Door) Arbitrate(ctx context.Context, who Actor, h *Helper, of, id string) (*Stalemate, error) {
	s, err := d.Stalemate(ctx, of, id)
	if err != nil {
		return nil, err
	}
	if err := d.mayRule(who, s, stalemate.Ruled); err != nil {
		return nil, err
	}
	arbiter := stalemate.Arbiter{Kind: stalemate.ByAgent, Name: h.Name, Model: h.Model}
	if s.Request.IsParty(h.Name) || slices.ContainsFunc(d.Rules.Authorities, func(name string) bool { return strings.EqualFold(name, h.Name) }) {
		return nil, &fault.Error{
			Code: stalemate.ArbiterIsParty, Op: "ask " + fault.Shown(h.Name), Detail: "it has the name of a party, or of a person who may decide",
			Hint: "an arbiter is neither: give it a name of its own",
		}
	}
	if err := s.Request.Sendable(); err != nil {
		return nil, err
	}
	if err := view.Opening(h.Name, d.Rules.Call, d.count(s.Request.Message())); err != nil {
		return nil, err
	}
	if s, err = d.requested(ctx, who, s); err != nil {
		return nil, err
	}
	var bad error
	for range stalemate.MostAnswers {
		a, err := d.askArbiter(ctx, h, s)
		if err != nil {
			return nil, err
		}
		v, err := stalemate.ReadVerdict([]byte(a.text), arbiter, &s.Request)
		if err != nil {
			if err := d.produced(ctx, a); err != nil {
				return nil, err
			}
			bad = err
			continue
		}
		ref, err := d.putVerdict(ctx, Actor{Name: h.Name, Role: stalemate.ArbiterRole}, s, &v)
		if err := d.made(ctx, a, ref, err); err != nil {
			return nil, err
		}
		return d.Stalemate(ctx, "", s.ID)
	}
	return nil, &fault.Error{
		Code: stalemate.NoVerdict, Op: "ask " + fault.Shown(h.Name), Detail: "its answers are no verdict", Cause: bad,
		Hint: "`brenner store log --calls` shows them; let a person rule: `brenner stalemate rule " + s.About.ID + " " + s.ID + "`",
	}
}

// askArbiter asks once, and journals what came; what it answered before, and nobody
// read, is not asked for again.
func (d *Door) askArbiter(ctx context.Context, h *Helper, s *Stalemate) (*answer, error) {
	message := s.Request.Message()
	prompt := store.Hash([]byte(message))
	e, err := d.unread(ctx, h, stalemate.ArbiterRole, func(e *askedEvent) (bool, error) { return e.Task == s.ID && e.Prompt == prompt, nil })
	if err != nil {
		return nil, err
	}
	if e != nil {
		a := &answer{}
		return a, d.takeUp(ctx, a, e)
	}
	head, err := d.head(ctx, Calls)
	if err != nil {
		return nil, err
	}
	request, _, err := d.Find(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	call := agent.Call{
		ID: fmt.Sprintf("store/%s/%d", s.ID, head.Seq+1), Agent: h.Name, Role: stalemate.ArbiterRole, Model: h.Model, Thread: s.ID, Round: 1,
		Subject: stalemate.Subject(s.ID), Turns: []agent.Turn{{Text: message}},
	}
	began := d.Now()
	reply, err := h.Agent.Ask(ctx, call)
	a := &answer{event: askedEvent{
		Call: call.ID, Role: call.Role, Agent: h.Name, Model: h.Model, Task: s.ID, Context: []shownEntry{{request.ID, request.Version, request.Type, string(view.Full)}},
		Prompt: prompt, Tokens: d.count(message),
		TookMS: int(d.Now().Sub(began).Milliseconds()), Produced: []string{},
	}}
	return a, d.took(ctx, a, message, reply, err)
}
