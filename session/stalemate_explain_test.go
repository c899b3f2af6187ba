package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"brenner/agent"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/store"
	"brenner/store/opentest"
)

// explained is the quarrel with an arbiter whose model has an explanation, which its verdict rejects.
func explained(t *testing.T) (*actors, session.Brief) {
	t.Helper()
	b := quarrelBrief(3)
	b.Settings.Hypotheses, b.Arbiter.Via = 3, "openai"
	return &actors{script: parse(t, strings.Replace(quarrel, `{"hypothesis":"D2","why":"w"}`, `{"hypothesis":"D2","why":"w"},{"hypothesis":"D3","why":"w"}`, 1))}, b
}

// explainingAgents counts the calls for explanations, and answers them.
func explainingAgents(s *actors, asked *int, answer func() (agent.Reply, error)) func(flow.Party) (agent.Agent, error) {
	return func(p flow.Party) (agent.Agent, error) {
		p.Via = "rehearsal"
		a, err := s.agent(p)
		return agentFunc(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
			if strings.HasSuffix(c.ID, "/explain") {
				*asked++
				return answer()
			}
			return a.Ask(ctx, c)
		}), err
	}
}

func lampExplains() (agent.Reply, error) {
	return agent.Reply{Text: `{"hypotheses":[{"statement":"The lamp is mixed.","justification":"Two colours were seen."}]}`}, nil
}

// fallingStore fails from one of its writes on, like a process that was killed.
type fallingStore struct {
	opentest.Store
	at, writes int
}

func (f *fallingStore) Write(ctx context.Context, b store.Batch) error {
	if f.writes++; f.writes >= f.at {
		return errors.New("killed")
	}
	return f.Store.Write(ctx, b)
}

// Wherever a session is killed, a call for explanations whose answer is journaled is not made again, and the
// ruling is the same.
func TestExplanationsAreAskedOnce(t *testing.T) {
	for at := 1; ; at++ {
		s, b := explained(t)
		st, asked := &fallingStore{Store: opentest.New(t), at: at}, 0
		r := runner(st, s)
		r.Agent = explainingAgents(s, &asked, lampExplains)
		_, err := r.Start(t.Context(), b)
		done := err == nil
		before, _ := session.Load(t.Context(), st.Store, thread)
		if before == nil {
			continue // it was not opened
		}
		answered := 0
		for _, c := range before.State.Rulings {
			if c.Turn == flow.TurnExplain && c.Status == flow.Replied {
				answered++
			}
		}
		was := asked
		r.Store, r.Locks = st.Store, st.Store
		if before.State.Ended == "" {
			if _, err := r.Resume(t.Context(), thread, nil); err != nil {
				t.Fatalf("killed at write %d: %v", at, err)
			}
		}
		h, err := session.Load(t.Context(), st.Store, thread)
		if err != nil {
			t.Fatal(err)
		}
		if answered == 1 && asked != was {
			t.Errorf("killed at write %d: asked again for explanations that are journaled", at)
		}
		one := h.State.Stalemates[0]
		request, err := h.Request(t.Context(), one.ID)
		if err != nil || one.State != stalemate.Applied || len(one.Former) != 1 || len(request.Dissidents) != 3 || request.Dissidents[2].Source != "model Judge" {
			t.Errorf("killed at write %d: got %s with %+v, %v; want it applied, with an explanation of the model", at, one.State, request.Dissidents, err)
		}
		if _, err := h.Replay(t.Context()); err != nil {
			t.Errorf("killed at write %d: %v", at, err)
		}
		if done {
			return
		}
	}
}

// Whatever the model answers, or whether it does, the arbiter rules, and the request says it.
func TestExplanationsNeverBlock(t *testing.T) {
	for name, c := range map[string]struct {
		answer func() (agent.Reply, error)
		change func(*session.Brief)
		asked  int
		want   string
	}{
		"fails":     {answer: func() (agent.Reply, error) { return agent.Reply{}, &agent.Failure{Code: agent.TimedOut, Attempts: 1} }, asked: 1, want: "no usable answer (" + string(agent.TimedOut) + ")."},
		"prose":     {answer: func() (agent.Reply, error) { return agent.Reply{Text: "None."}, nil }, asked: 1, want: "no usable answer (NO_EXPLANATIONS)."},
		"none":      {answer: func() (agent.Reply, error) { return agent.Reply{Text: `{"hypotheses":[]}`}, nil }, asked: 1, want: "found none."},
		"poor":      {answer: lampExplains, change: func(b *session.Brief) { b.Settings.Budget = 24_600 }, want: "No model was asked for more."},
		"is not on": {answer: lampExplains, change: func(b *session.Brief) { b.Settings.Hypotheses = 0 }, want: "No model was asked for more."},
		"scripted":  {answer: lampExplains, change: func(b *session.Brief) { b.Arbiter.Via = "rehearsal" }, want: "No model was asked for more."},
	} {
		_, b := explained(t)
		if c.change != nil {
			c.change(&b)
		}
		s, st, asked := &actors{script: parse(t, quarrel)}, opentest.New(t), 0
		r := runner(st, s)
		r.Agent = explainingAgents(s, &asked, c.answer)
		if _, err := r.Start(t.Context(), b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		h, err := session.Load(t.Context(), st, thread)
		if err != nil {
			t.Fatal(err)
		}
		one := h.State.Stalemates[0]
		request, err := h.Request(t.Context(), one.ID)
		if err != nil || one.State != stalemate.Applied || !strings.HasSuffix(request.Arbitration, c.want) || asked != c.asked {
			t.Errorf("%s: got %s after %d calls, %q, %v; want it applied after %d, and %q (spent %v)", name, one.State, asked, request.Arbitration, err, c.asked, c.want, h.State.Spent)
		}
	}
}
