package session

import (
	"context"
	"strings"

	"brenner/internal/fault"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/session/view"
)

// explain asks the model of the arbiter for other explanations before it rules, in a call of its own and once for
// each stalemate. What comes of it is in the request. It never keeps the arbiter from ruling.
func (s *run) explain(ctx context.Context, h *History, id string) error {
	open, _ := s.state.Stalemate(id)
	if s.state.Settings.Hypotheses == 0 || open.State != stalemate.Open || s.state.Arbiter.Scripted() {
		return nil
	}
	request, err := h.Request(ctx, id)
	if err != nil {
		return err
	}
	docs, err := h.questionAndBrief(ctx)
	n := request.Room(s.state.Settings.Hypotheses)
	if err != nil || n == 0 {
		return err
	}
	party := *s.state.Arbiter
	message := request.ExplainMessage(n, docs...)
	input := s.Tokens.Count(message)
	if s.checkSendable(&request, party.Name, input) != nil {
		return nil // the arbiter cannot be asked either, which is reported there
	}
	call := s.arbiterCall(h, id, flow.TurnExplain, message)
	cost := s.state.Settings.Prices.Cost(party.Name, input, call.MaxReply)
	if !s.state.Affords(cost.Plus(cost)) { // the ruling comes first, and costs about the same
		s.Log.Warn().Str("stalemate", id).Msg("the budget does not allow asking for other explanations")
		return nil
	}
	o, err := s.askArbiter(ctx, flow.Stalemated{ID: id, State: stalemate.Open}, flow.TurnExplain, &call, cost)
	if err != nil {
		return err
	}
	var more []stalemate.Hypothesis
	bad := o.err
	if bad == nil {
		more, bad = stalemate.ReadExplanations([]byte(o.reply.Text), n, &request)
	}
	explained := request.Explained(party.Name, more, "")
	if bad == nil {
		bad = view.CheckOpening(party.Name, s.state.Settings.Context, s.Tokens.Count(explained.Message(docs...)))
	}
	if bad != nil {
		s.Log.Warn().Str("stalemate", id).Str("arbiter", party.Name).Msg("no other explanations from the model: " + strings.ReplaceAll(bad.Error(), "\n", "; "))
		explained = request.Explained(party.Name, nil, codeOf(bad))
	}
	return s.recordExplanations(ctx, &open, o, &explained, bad)
}

// codeOf returns the code of what is wrong with an answer, or of why there is none.
func codeOf(err error) fault.Code {
	if code := fault.CodeOf(err); code != "" {
		return code
	}
	return failureOf(err).Code
}

// recordExplanations keeps the answer to a request for explanations, and the new request. After an
// interruption the model is asked again.
func (s *run) recordExplanations(ctx context.Context, open *flow.Stalemate, o *outcome, explained *stalemate.Request, bad error) error {
	interrupted := s.stopping() != "" || s.calls.Err() != nil
	ctx = context.WithoutCancel(ctx) // an answer is kept even if the run ends
	return s.write(ctx, func(state *flow.State) (*draft, error) {
		d := &draft{}
		now := stateOf(state, open.ID)
		body := flow.Stalemated{ID: open.ID, State: now, Late: now != stalemate.Open}
		if o.err != nil {
			failed := s.failed(d, o, failureOf(o.err), state.Settings.Prices)
			body.Failed = &failed
		} else {
			answered := answeredOf(d, o, state.Settings.Prices)
			body.Answered = &answered
		}
		if !body.Late && !(o.err != nil && interrupted) { // otherwise the request was given out, or settled, meanwhile
			body.Kind, body.Request = open.Kind, d.blob(explained.JSON())
			if bad != nil {
				body.Why = "other explanations from the model: " + stalemate.Defects(bad)
			}
		}
		d.event(flow.KindStalemate, body)
		return d, nil
	})
}
