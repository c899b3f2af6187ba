package session

import (
	"context"
	"errors"
	"strings"
	"time"

	"brenner/agent"
	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/session/view"
	"brenner/store"
)

// outcome is what came of one call.
type outcome struct {
	call  flow.Call
	reply agent.Reply
	err   error
	took  time.Duration
}

// ask journals that calls begin, all of them at once, and then makes them. Each
// has a slot of its own; nothing depends on the order in which they end.
func (s *run) ask(ctx context.Context, asks []flow.Ask) error {
	var calls []asked
	err := s.write(ctx, func(state *flow.State) (d *draft, err error) {
		d, calls, err = s.asking(ctx, state, asks)
		return d, err
	})
	if err == nil {
		s.send(calls)
	}
	return err
}

// asked is a call that is about to be made.
type asked struct {
	agent.Call
	of flow.Call
}

// asking drafts that calls begin.
func (s *run) asking(ctx context.Context, state *flow.State, asks []flow.Ask) (*draft, []asked, error) {
	d := &draft{}
	calls := make([]asked, len(asks))
	for i, a := range asks {
		if c, ok := state.Call(a.Call.ID); !ok || c.Status != flow.Open {
			return nil, nil, overtaken(state)
		}
		call, err := s.call(ctx, a)
		if err != nil {
			return nil, nil, err
		}
		calls[i] = asked{call, *a.Call}
		prompt := a.Exchange.Body
		if a.Call.Turn == flow.TurnRepair {
			prompt = d.blob([]byte(call.Turns[len(call.Turns)-1].Text))
		}
		reserved := state.Reserve(a.Exchange, a.Call)
		d.event(flow.KindBegan, flow.Began{
			Call: call.ID, Agent: call.Agent, Round: a.Call.Round, Leg: a.Call.Leg, Turn: a.Call.Turn,
			Prompt: prompt, Reserved: reserved.Tokens, ReservedUSD: reserved.USD,
		})
	}
	return d, calls, nil
}

// send makes calls that are journaled.
func (s *run) send(calls []asked) {
	for _, c := range calls {
		s.flying++
		s.group.Go(func() error {
			began := s.Now()
			reply, err := s.agents[c.Agent].Ask(s.calls, c.Call)
			s.done <- outcome{call: c.of, reply: reply, err: err, took: s.Now().Sub(began)}
			return nil
		})
	}
}

// call puts a call together: the kickoff, and for a repair what was answered to
// it and what could not be read.
func (s *run) call(ctx context.Context, a flow.Ask) (agent.Call, error) {
	var p flow.Party
	for _, o := range s.state.Opened.Agents {
		if o.Name == a.Call.Agent {
			p = o
		}
	}
	c := agent.Call{
		ID: a.Call.ID, Agent: p.Name, Role: p.Role, Program: p.Program, Model: p.Model,
		Thread: s.state.Opened.Thread, Round: a.Call.Round, Subject: a.Exchange.Subject, MaxReply: s.state.Settings.Reply, Drain: s.Drain,
	}
	body, err := s.Store.Blob(ctx, a.Exchange.Body)
	if err != nil {
		return c, err
	}
	c.Turns = []agent.Turn{{Text: string(body)}}
	if p.Via == flow.ViaMail { // nobody else can be reminded
		c.Nudge, err = view.Nudge(&view.NudgeInput{
			Role: p.Name, Bound: s.state.Settings.Context, Count: s.Tokens.Count, Subject: c.Subject, Question: s.state.Opened.Question, Saw: a.Exchange.Saw,
		})
		if err != nil {
			return c, err
		}
	}
	if a.Call.Turn != flow.TurnRepair {
		return c, nil
	}
	first := a.Exchange.Ask.Answered.Reply
	reply, err := s.Store.Blob(ctx, first)
	if err != nil {
		return c, err
	}
	read, err := s.read(ctx, a.Exchange.Kickoff, first, reply)
	if err != nil {
		return c, err
	}
	asked := kickoff.Repair(c.Thread, settle.Mendable(&read))
	again, err := view.Repair(&view.RepairInput{
		Role: p.Name, Bound: s.views[p.Name].Bound(), Call: s.state.Settings.Context, Count: s.Tokens.Count,
		Opening: string(body), Answer: string(reply), Head: asked.Head, Tail: asked.Tail, Problems: asked.Problems, Lines: asked.Lines, More: asked.More,
	})
	if err != nil {
		return c, err
	}
	c.Turns = append(c.Turns, agent.Turn{Own: true, Text: again.Answer}, agent.Turn{Text: again.Request})
	return c, nil
}

// record journals what came of calls, with the replies as they came.
func (s *run) record(ctx context.Context, all ...outcome) error {
	ctx = context.WithoutCancel(ctx) // an answer is kept, whatever else ends
	return s.write(ctx, s.recording(ctx, all))
}

// recordAndAsk does so as well, and asks those who are to mend what they said: that
// they are asked is stored with what they said.
func (s *run) recordAndAsk(ctx context.Context, all ...outcome) error {
	ctx = context.WithoutCancel(ctx)
	var calls []asked
	err := s.write(ctx, s.recording(ctx, all), func(state *flow.State) (d *draft, err error) {
		calls = nil
		var asks []flow.Ask
		for _, c := range flow.Next(state) {
			if a, ok := c.(flow.Ask); ok && a.Call.Turn == flow.TurnRepair {
				asks = append(asks, a)
			}
		}
		if s.flying > 0 { // who does not fit beside those is asked later, or not at all
			asks = s.Allowance.afforded(state, asks)
		}
		if len(asks) == 0 {
			return nil, nil
		}
		if d, calls, err = s.asking(ctx, state, asks); err != nil {
			return nil, nil // what was answered is stored all the same; asking again says what is wrong
		}
		return d, nil
	})
	if err == nil {
		s.send(calls)
	}
	return err
}

func (s *run) recording(ctx context.Context, all []outcome) func(*flow.State) (*draft, error) {
	return func(state *flow.State) (*draft, error) {
		d := &draft{}
		for i := range all {
			if err := s.came(ctx, d, state, &all[i]); err != nil {
				return nil, err
			}
		}
		return d, nil
	}
}

// failureOf gives what went wrong with a call; nil where nothing did.
func failureOf(err error) *agent.Failure {
	var failure *agent.Failure
	if err != nil && !errors.As(err, &failure) {
		failure = &agent.Failure{Code: agent.Unavailable, Detail: err.Error()}
	}
	return failure
}

// answeredOf says what was answered, and keeps it as it came.
func answeredOf(d *draft, o *outcome, prices flow.Prices) flow.Answered {
	used := &o.reply.Usage
	return flow.Answered{
		Call: o.call.ID, Reply: d.blob([]byte(o.reply.Text)), Model: strings.ToValidUTF8(o.reply.Model, "\ufffd"),
		Input: used.Input, Output: used.Output, Guessed: used.Guessed, Cost: prices.Of(o.call.Agent, used.Input, used.Output),
		Attempts: max(o.reply.Attempts, 1), TookMS: int(o.took.Milliseconds()), Letter: o.reply.Letter,
	}
}

// came adds what came of one call to a draft.
func (s *run) came(ctx context.Context, d *draft, state *flow.State, o *outcome) error {
	c, ok := state.Call(o.call.ID)
	if !ok || c.Status != flow.Begun {
		return overtaken(state)
	}
	o.call.Reserved = c.Reserved // which was not known when it was commanded
	prices := state.Settings.Prices
	if failure := failureOf(o.err); failure != nil {
		s.givenUp = s.givenUp || failure.Retry && s.stopping() == flow.EndInterrupted
		d.event(flow.KindFailed, s.failed(d, o, failure, prices))
		return nil
	}
	answered := answeredOf(d, o, prices)
	var err error
	if answered.Mend, err = s.mend(ctx, o, answered.Reply); err != nil {
		return err
	}
	d.event(flow.KindAnswered, answered)
	return nil
}

// overtaken is what a run says that finds another one at its work: the lock should
// have kept them apart.
func overtaken(state *flow.State) error {
	return &fault.Error{
		Code: store.Held, Detail: "another process runs " + state.Opened.Thread + " as well; this one stops",
		Hint: "`brenner session status " + state.Opened.Thread + "` shows how it goes on",
	}
}

// mend counts what could be mended in a first answer.
func (s *run) mend(ctx context.Context, o *outcome, hash string) (int, error) {
	if o.call.Turn != flow.TurnAsk {
		return 0, nil
	}
	reply, err := s.read(ctx, s.state.OpenLeg().Of(o.call.Agent).Kickoff, hash, []byte(o.reply.Text))
	return len(settle.Mendable(&reply)), err
}

func (s *run) failed(d *draft, o *outcome, f *agent.Failure, prices flow.Prices) flow.Failed {
	spent := spentBy(o.call.Agent, f, o.call.Reserved, prices)
	body := flow.Failed{
		Call: o.call.ID, Code: f.Code, Detail: f.Detail, Hint: f.Hint,
		Attempts: f.Attempts, TookMS: int(o.took.Milliseconds()), Spent: spent.Tokens, SpentUSD: spent.USD,
	}
	if f.Cause != nil {
		body.Detail += ": " + fault.Shown(f.Cause.Error())
	}
	if f.Partial != "" {
		body.Partial = d.blob([]byte(f.Partial))
	}
	if f.After >= time.Second { // less is not worth coming back for
		body.RetryAt = artifact.FormatInstant(s.Now().Add(f.After))
	}
	body.Detail, body.Hint = strings.ToValidUTF8(body.Detail, "\ufffd"), strings.ToValidUTF8(body.Hint, "\ufffd")
	return body
}
