package session_test

import (
	"context"
	"strings"
	"testing"

	"brenner/agent"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/store/opentest"
)

// checkNotSent runs a session and checks that its stalemate is not sent to the arbiter and stays
// open.
func checkNotSent(t *testing.T, b *session.Brief, script string, meanwhile func(st opentest.Store, round int)) {
	t.Helper()
	st, j := opentest.New(t), &recordingJudge{actors: actors{script: parse(t, script)}}
	r := runner(st, &j.actors)
	r.Agent = func(p flow.Party) (agent.Agent, error) {
		a, err := j.agent(p)
		if err != nil || p.Name != "BlueLake" {
			return a, err
		}
		return agentFunc(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
			meanwhile(st, c.Round)
			return a.Ask(ctx, c)
		}), nil
	}
	if _, err := r.Start(t.Context(), *b); err != nil {
		t.Fatal(err)
	}
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	if open := h.State.OpenStalemates(); len(open) != 1 || open[0].State != stalemate.Open {
		t.Errorf("%+v", h.State.Stalemates)
	}
	if n := j.asked.Load(); n != 0 || len(h.State.Rulings) != 0 {
		t.Errorf("the arbiter was asked %d times: %+v", n, h.State.Rulings)
	}
}

// The token limit of a call also holds for the arbiter's: agents may write very long fields.
func TestRequestOverTokenLimitIsNotSent(t *testing.T) {
	long := strings.NewReplacer(`"claim":"blue"`, `"claim":"`+strings.Repeat("blue ", 10_000)+`"`)
	b := quarrelBrief(3)
	b.Settings.Context = 15_000
	checkNotSent(t, &b, long.Replace(quarrel), func(opentest.Store, int) {})
}

// A request with placeholder evidence is kept but not sent.
func TestRequestWithPlaceholderIsNotSent(t *testing.T) {
	const request = `{"protocol_id":"Stalemate_Protocol_v1.1","session_timestamp":"2026-11-15T09:00:00Z","stalemate_summary":"s",
		"hypotheses":{"parties":[{"party":"Anna","statement":"f"},{"party":"Bert","statement":"e"}],"hallucinated_hypotheses":[{"statement":"h"}]},
		"objective_evidence":[{"type":"log","content":"[the log from above]"}],"arbitration_request":"Who is right, and why?"}`
	b := quarrelBrief(2)
	checkNotSent(t, &b, quarrel, func(st opentest.Store, round int) {
		if round != 2 {
			return
		}
		person := &session.Editor{Store: st, Now: clock, As: "operator"}
		if _, _, warnings, err := person.OpenStalemate(t.Context(), thread, "H1.mechanism", []byte(request)); err != nil || len(warnings) != 1 {
			t.Errorf("%v, %v", warnings, err)
		}
	})
}
