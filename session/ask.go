package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"brenner/agent"
	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/merge/settle"
	"brenner/session/flow"
	"brenner/session/view"
)

type outcome struct {
	call  flow.Call
	reply agent.Reply
	err   error
	took  time.Duration
}

// conversation is one agent's exchange in the open leg: the kickoff and the contribution so far.
type conversation struct {
	settle.Contribution
	body string
}

// conversations returns the exchanges of the open leg; current is the newest version.
func (h *History) conversations(ctx context.Context, current *artifact.Artifact) ([]conversation, error) {
	leg := h.State.OpenLeg()
	heard, err := h.answers(ctx, leg, current)
	if err != nil {
		return nil, err
	}
	all := make([]conversation, len(heard))
	for i := range all {
		t, x := &all[i], &leg.Exchanges[i]
		t.Contribution = heard[i]
		body, err := h.Store.Blob(ctx, x.Body)
		if err != nil {
			return nil, err
		}
		t.body = string(body)
		if t.Known, err = h.common.examples(ctx, h.Store, x.Examples, h.State.Opened.Reads()); err != nil {
			return nil, err
		}
		if t.Text != nil {
			t.setReply(t.Text)
		}
	}
	return all, nil
}

func (t *conversation) setReply(text []byte) {
	reply := delta.Read(text, t.Options())
	t.Text, t.Read = text, &reply
}

func (s *run) conversation(agent string) *conversation {
	return &s.conversations[slices.IndexFunc(s.conversations, func(t conversation) bool { return t.Agent == agent })]
}

func (s *run) contributions() []settle.Contribution {
	var all []settle.Contribution
	for i := range s.conversations {
		all = append(all, s.conversations[i].Contribution)
	}
	return all
}

// ask journals that calls begin, in one transaction, and then makes them. Nothing depends on
// the order in which they end.
func (s *run) ask(ctx context.Context, asks []flow.Ask) error {
	calls := make([]pendingCall, len(asks))
	err := s.write(ctx, func(state *flow.State) (*draft, error) {
		d := &draft{}
		for i, a := range asks {
			if c, ok := state.Call(a.Call.ID); !ok || c.Status != flow.Open {
				return nil, overtakenError(state)
			}
			call, err := s.call(ctx, a)
			if err != nil {
				return nil, err
			}
			calls[i] = pendingCall{call, *a.Call}
			prompt := a.Exchange.Body
			if a.Call.Turn == flow.TurnRepair {
				prompt = d.blob([]byte(call.Turns[len(call.Turns)-1].Text))
			}
			schema := ""
			if call.Schema != nil {
				schema = d.blob(call.Schema)
			}
			reserved := state.Reserve(a.Exchange, a.Call)
			d.event(flow.KindBegan, flow.Began{
				Call: call.ID, Agent: call.Agent, Round: a.Call.Round, Leg: a.Call.Leg, Turn: a.Call.Turn,
				Prompt: prompt, Reserved: reserved.Tokens, ReservedUSD: reserved.USD, Schema: schema,
				Once: state.Opened.Party(call.Agent).Via == flow.ViaMail,
			})
		}
		return d, nil
	})
	if err == nil {
		s.send(calls)
	}
	return err
}

type pendingCall struct {
	agent.Call
	call flow.Call
}

func (s *run) send(calls []pendingCall) {
	reader, lost := s.state.Opened.Reads(), s.isLost()
	for _, c := range calls {
		s.inFlight++
		if lost { // storing has waited for longer than the lease
			s.done <- outcome{call: c.call, err: &agent.Failure{Code: agent.Stopped, Detail: "the session's lease was lost before the call was sent", Retry: true, Unsent: true}}
			continue
		}
		s.group.Go(func() error {
			began := s.Now()
			reply, err := s.agents[c.Agent].Ask(s.calls, c.Call)
			reply.Text = reader.Stored(reply.Text, reply.Reasoning, c.Schema != nil, reply.Cut)
			s.done <- outcome{call: c.call, reply: reply, err: err, took: s.Now().Sub(began)}
			return nil
		})
	}
}

// call composes a call: the kickoff and, for a repair, the first answer and a request to correct it.
func (s *run) call(ctx context.Context, a flow.Ask) (c agent.Call, err error) {
	p := s.state.Opened.Party(a.Call.Agent)
	t := s.conversation(p.Name)
	c = agent.Call{
		ID: a.Call.ID, Agent: p.Name, Before: a.Call.Failures,
		Thread: s.state.Opened.Thread, Round: a.Call.Round, Subject: a.Exchange.Subject, MaxReply: s.state.Settings.Reply, Drain: s.drain,
		Turns: []agent.Turn{{Text: t.body}}, Tokens: a.Exchange.Tokens, Schema: s.schema(p, a.Exchange, t.body),
	}
	if p.Via == flow.ViaMail { // only mail can send a reminder
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
	request := s.repairRequest(ctx, t, a.Exchange)
	if c.Schema != nil && !a.Exchange.Ask.Answered.NoSchema {
		request = request.AsJSON()
	}
	repair, err := view.Repair(&view.RepairInput{
		Role: p.Name, Bound: s.views[p.Name].Bound(), Call: s.callBound(p.Name).tokens, Around: s.around(p.Via), Count: s.Tokens.Count,
		Opening: t.body, Answer: string(t.Text), Head: request.Head, Blocks: request.Blocks, Tail: request.Tail, Problems: request.Problems, Lines: request.Lines, More: request.More,
	})
	if err != nil {
		return c, err
	}
	c.Turns, c.Tokens = append(c.Turns, agent.Turn{Own: true, Text: repair.Answer}, agent.Turn{Text: repair.Request}), c.Tokens+repair.Tokens+s.around(p.Via)
	return c, nil
}

// schema returns the schema of a reply, or nil if the agent is asked for fences. The shown items count as they are now:
// one that was killed meanwhile cannot be changed.
func (s *run) schema(p flow.Party, x *flow.Exchange, body string) []byte {
	if p.Structured() == "" {
		return nil
	}
	shown := kickoff.Shown{Agent: p.Name, Artifact: &s.current, Items: x.Saw, MaxReply: s.state.Settings.Reply, Limits: s.rules.Limits}
	if s.state.Opened.ReadsRecords() != delta.NoRecords {
		shown.Creates = kickoff.CreatesIn(body)
		for _, r := range x.Records {
			shown.Records = append(shown.Records, refOf(r))
		}
	}
	return kickoff.Schema(s.roster, s.rules.Scopes, x.Template, shown)
}

// repairRequest returns the request to correct the answer of an exchange.
func (s *run) repairRequest(ctx context.Context, t *conversation, x *flow.Exchange) kickoff.Request {
	asked := &x.Ask
	if t.Base == nil {
		return kickoff.Repair(s.state.Opened.Thread, settle.Repairable(t.Read))
	}
	defects := t.Defects(s.rules, s.state.OpenLeg().Instant)
	if t.Third {
		patches, _ := s.patchDefects(ctx, t, x)
		defects = slices.Concat(defects, s.mistakes(ctx, t, x), patches)
		if s.state.Opened.Task != "" {
			return kickoff.CorrectTask(s.state.Opened.Thread, asked.Answered.Output, defects)
		}
		return kickoff.Correct(s.state.Opened.Thread, asked.Answered.Output, defects)
	}
	return kickoff.RepairDefects(s.state.Opened.Thread, asked.Answered.Output, defects)
}

// countDefects returns how many defects of an answer its author can correct.
func (s *run) countDefects(ctx context.Context, t *conversation, leg *flow.Leg) int {
	if t.Base == nil {
		return len(settle.Repairable(t.Read))
	}
	x := leg.Of(t.Agent)
	patches, applies := s.patchDefects(ctx, t, x)
	if applies && s.onlyPatches(t) {
		return 0
	}
	return settle.Correctable(slices.Concat(t.Defects(s.rules, leg.Instant), s.mistakes(ctx, t, x), patches))
}

// recordOutcomes adds the outcomes of calls and their raw replies to the state. They stay valid
// whatever other processes write meanwhile. They are stored with the next request, or before the
// run uses them or waits.
func (s *run) recordOutcomes(ctx context.Context, all ...outcome) error {
	return s.keep(func(state *flow.State) (*draft, error) {
		d := &draft{}
		d.Fact = true
		for i := range all {
			if err := s.recordOutcome(context.WithoutCancel(ctx), d, state, &all[i]); err != nil {
				return nil, err
			}
		}
		return d, nil
	})
}

func failureOf(err error) *agent.Failure {
	var failure *agent.Failure
	if err != nil && !errors.As(err, &failure) {
		failure = &agent.Failure{Code: agent.Unavailable, Detail: err.Error()}
	}
	return failure
}

// failureOf returns the failure of a call, or nil. To sessions before protocol 2 a cut reply is one, and
// before protocol 3 one that was cut before its first word. One that is nothing but reasoning is one to readers before the fourth.
func (s *run) failureOf(o *outcome) *agent.Failure {
	keeps := flow.SecondProtocol
	if strings.TrimSpace(o.reply.Text) == "" {
		keeps = flow.ThirdProtocol
	}
	if o.err == nil && (o.reply.Cut && !s.state.Opened.Follows(keeps) || !o.reply.Cut && strings.TrimSpace(o.reply.Text) == "") {
		return o.reply.AsFailure()
	}
	return failureOf(o.err)
}

// answeredOf returns the journal body of an answer and adds the raw reply to the draft.
func answeredOf(d *draft, o *outcome, prices flow.Prices) flow.Answered {
	used := &o.reply.Usage
	return flow.Answered{
		Call: o.call.ID, Reply: d.blob([]byte(o.reply.Text)), Model: strings.ToValidUTF8(o.reply.Model, "\ufffd"),
		Input: used.Input, Output: used.Output, Guessed: used.Guessed, Cost: prices.Of(o.call.Agent, used.Input, used.Output),
		Attempts: max(o.reply.Attempts, 1), TookMS: int(o.took.Milliseconds()), Letter: o.reply.Letter, Cut: o.reply.Cut, NoSchema: o.reply.NoSchema,
	}
}

func (s *run) recordOutcome(ctx context.Context, d *draft, state *flow.State, o *outcome) error {
	c, ok := state.Call(o.call.ID)
	if !ok || c.Status != flow.Begun {
		return overtakenError(state)
	}
	o.call.Reserved = c.Reserved // not known when the call was commanded
	prices := state.Settings.Prices
	if failure := s.failureOf(o); failure != nil {
		s.interrupted = s.interrupted || failure.Retry && s.stopping() == flow.EndInterrupted
		d.event(flow.KindFailed, s.failed(d, o, failure, prices))
		return nil
	}
	answered := answeredOf(d, o, prices)
	if by := state.Reached(c); by != nil && by.Way != nil {
		answered.Program = strings.ToValidUTF8(o.reply.Program, "\ufffd")
	}
	t := s.conversation(o.call.Agent)
	if o.call.Turn == flow.TurnRepair {
		t.Repair, t.RepairCut = []byte(o.reply.Text), o.reply.Cut
	} else {
		t.Cut = o.reply.Cut
		t.setReply([]byte(o.reply.Text))
		answered.Repairable = s.countDefects(ctx, t, state.OpenLeg())
	}
	d.event(flow.KindAnswered, answered)
	return nil
}

func (s *run) failed(d *draft, o *outcome, f *agent.Failure, prices flow.Prices) flow.Failed {
	spent := FailureCost(o.call.Agent, f, o.call.Reserved, prices)
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
	if f.After >= time.Second { // a shorter wait is not worth reporting
		body.RetryAt = artifact.FormatInstant(s.Now().Add(f.After))
	}
	body.Detail, body.Hint = strings.ToValidUTF8(body.Detail, "\ufffd"), strings.ToValidUTF8(body.Hint, "\ufffd")
	return body
}
