package session_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"brenner/agent"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/stalemate"
	"brenner/store/opentest"
)

// quarrel has a conflict in round 2 that round 3 does not settle, and a judge.
const quarrel = `schema: brenner.rehearsal/v1
question: q
agents:
  - name: BlueLake
    rounds:
      - reply: |
          ` + "```delta" + `
          {"operation":"ADD","section":"hypothesis_slate","payload":{"name":"One","claim":"first"}}
          ` + "```" + `
      - reply: |
          ` + "```delta" + `
          {"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"blue"},"rationale":"seen"}
          ` + "```" + `
  - name: RedSky
    rounds:
      - reply: 'NO CHANGES: it stands'
      - reply: |
          ` + "```delta" + `
          {"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"red"},"rationale":"heard"}
          ` + "```" + `
  - name: Judge
    rounds:
      - reply: 'NO CHANGES: it stands'
      - reply: 'NO CHANGES: it stands'
      - reply: |
          {"ruling_for":"RedSky","root_cause":"Two lamps.","reasoning":["It is red."],"confidence":1,
           "rejected":[{"hypothesis":"BlueLake","why":"w"},{"hypothesis":"D1","why":"w"},{"hypothesis":"D2","why":"w"}]}
`

func quarrelBrief(rounds int) session.Brief {
	b := brief(rounds)
	b.Roster.Entries = b.Roster.Entries[:2]
	b.Roster.Entries[1].Agent, b.Roster.Entries[1].Role = "RedSky", b.Roster.Entries[0].Role
	b.Agents = b.Agents[:2]
	b.Agents[1].Name, b.Agents[1].Role = "RedSky", b.Agents[0].Role
	b.Views["RedSky"] = b.Views["BlueLake"]
	b.Hypotheses = nil
	b.Arbiter = &flow.Party{Name: "Judge", Role: "arbiter", Via: "rehearsal"}
	return b
}

// recordingJudge counts the calls of the judge and keeps the last one.
type recordingJudge struct {
	actors
	asked atomic.Int64
	saw   atomic.Value
}

func (j *recordingJudge) agent(p flow.Party) (agent.Agent, error) {
	a, err := j.actors.agent(p)
	if err != nil || p.Name != "Judge" {
		return a, err
	}
	return agentFunc(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
		j.asked.Add(1)
		j.saw.Store(c)
		return a.Ask(ctx, c)
	}), nil
}

func ruledSession(t *testing.T) (*session.History, *recordingJudge) {
	t.Helper()
	st, j := opentest.New(t), &recordingJudge{actors: actors{script: parse(t, quarrel)}}
	r := runner(st, &j.actors)
	r.Agent = j.agent
	if _, err := r.Start(t.Context(), quarrelBrief(3)); err != nil {
		t.Fatal(err)
	}
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	return h, j
}

// The arbiter sees only the request, which has the question. Its ruling is a commit in its name.
func TestArbiterRules(t *testing.T) {
	h, j := ruledSession(t)
	if n := len(h.State.Stalemates); n != 1 || h.State.Stalemates[0].State != stalemate.Applied || len(h.State.OpenStalemates()) != 0 {
		t.Fatalf("%+v", h.State.Stalemates)
	}
	last := h.State.Commits[len(h.State.Commits)-1]
	if last.Author != "Judge" || last.Source != flow.ByPerson || last.Outcome.Conflicts != 0 {
		t.Errorf("%+v", last)
	}
	call := j.saw.Load().(agent.Call)
	r, err := h.Request(t.Context(), h.State.Stalemates[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(call.Turns) != 1 || call.Turns[0].Text != r.Message() || !strings.Contains(call.Turns[0].Text, "How does a cell") {
		t.Errorf("the arbiter was sent %+v", call.Turns)
	}
	if p, err := session.Verify(t.Context(), h.Store, thread, h.State.Seal()); err != nil || p.Err() != nil {
		t.Errorf("%v, %v", err, p.Err())
	}
}

// A person rules while the arbiter is answering: the person's ruling holds, and the arbiter's reply
// is kept.
func TestPersonRulesBeforeArbiter(t *testing.T) {
	st, j := opentest.New(t), &recordingJudge{actors: actors{script: parse(t, quarrel)}}
	r := runner(st, &j.actors)
	r.Agent = func(p flow.Party) (agent.Agent, error) {
		a, err := j.agent(p)
		if err != nil || p.Name != "Judge" {
			return a, err
		}
		return agentFunc(func(ctx context.Context, c agent.Call) (agent.Reply, error) {
			h, err := session.Load(ctx, st, thread)
			if err != nil {
				return agent.Reply{}, err
			}
			person := &session.Editor{Store: st, Now: r.Now, As: h.State.Opened.Operator}
			text := `{"ruling_for":"BlueLake","root_cause":"One lamp.","reasoning":["It is blue."],"confidence":1,
				"rejected":[{"hypothesis":"RedSky","why":"w"},{"hypothesis":"D1","why":"w"},{"hypothesis":"D2","why":"w"}]}`
			if _, _, err := person.Rule(ctx, thread, h.State.Stalemates[0].ID, []byte(text)); err != nil {
				t.Error(err)
			}
			return a.Ask(ctx, c)
		}), nil
	}
	if _, err := r.Start(t.Context(), quarrelBrief(3)); err != nil {
		t.Fatal(err)
	}
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	s := h.State.Stalemates[0]
	if s.State != stalemate.Applied || s.By != h.State.Opened.Operator || len(s.Replies) != 2 {
		t.Fatalf("%+v", s)
	}
	v, err := h.Verdict(t.Context(), s.ID)
	if err != nil || v.For != "BlueLake" {
		t.Errorf("%+v, %v", v, err)
	}
	if text, err := st.Blob(t.Context(), s.Replies[1]); err != nil || !strings.Contains(string(text), "Two lamps.") {
		t.Errorf("the arbiter's reply was not kept: %q, %v", text, err)
	}
	if c := h.State.Rulings; len(c) != 1 || c[0].Status != flow.Replied {
		t.Errorf("%+v", c)
	}
	if p, err := session.Verify(t.Context(), st, thread, h.State.Seal()); err != nil || p.Err() != nil {
		t.Errorf("%v, %v", err, p.Err())
	}
}

// Killed after any write, a session with a ruling resumes to the same artifact, and an arbiter that
// answered is not asked again.
func TestRulingSurvivesEveryKill(t *testing.T) {
	h, _ := ruledSession(t)
	want := finalArtifact(t, h)
	for n := 1; n < len(h.Entries); n++ {
		if e := &h.Entries[n]; e.Kind == flow.KindStalemate && h.Entries[n-1].Kind == flow.KindCommitted && contains(e, stalemate.Applied) {
			continue // the two are one transaction
		}
		st, j := storeWithPrefix(t, h, n), &recordingJudge{actors: actors{script: parse(t, quarrel)}}
		left, err := flow.Fold(h.Entries[:n])
		if err != nil {
			t.Fatal(err)
		}
		r := runner(st, &j.actors)
		r.Agent = j.agent
		if _, err := r.Resume(t.Context(), thread, nil); err != nil {
			t.Fatalf("prefix %d: %v", n, err)
		}
		got, err := session.Load(t.Context(), st, thread)
		if err != nil {
			t.Fatal(err)
		}
		if finalArtifact(t, got) != want {
			t.Errorf("prefix %d: another artifact", n)
		}
		if len(left.Stalemates) > 0 && len(left.Stalemates[0].Replies) > 0 && j.asked.Load() > 0 {
			t.Errorf("prefix %d: the arbiter was asked again", n)
		}
		if p, err := session.Verify(t.Context(), st, thread, h.State.Seal()); err != nil || p.Err() != nil {
			t.Errorf("prefix %d: %v %v", n, err, p.Err())
		}
	}
}

// A party cannot rule, and a stalemate is ruled on only once.
func TestPersonRules(t *testing.T) {
	st := opentest.New(t)
	b := quarrelBrief(3)
	b.Arbiter = nil
	if _, err := runner(st, &actors{script: parse(t, quarrel)}).Start(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	open := h.State.OpenStalemates()
	if len(open) != 1 || open[0].State != stalemate.Open || open[0].Place != "H1.claim" {
		t.Fatalf("%+v", open)
	}
	const verdict = `{"ruling_for":"BlueLake","root_cause":"r","reasoning":["x"],"confidence":0.5,
		"rejected":[{"hypothesis":"RedSky","why":"w"},{"hypothesis":"D1","why":"w"},{"hypothesis":"D2","why":"w"}]}`
	party := &session.Editor{Store: st, Now: clock, As: "RedSky", Authorities: []string{"RedSky"}}
	if _, _, err := party.Rule(t.Context(), thread, open[0].ID, []byte(verdict)); fault.CodeOf(err) != stalemate.ArbiterIsParty {
		t.Errorf("%v", err)
	}
	person := &session.Editor{Store: st, Now: clock, As: "operator"}
	h, out, err := person.Rule(t.Context(), thread, open[0].ID, []byte(verdict))
	if err != nil || out == nil || len(h.State.OpenStalemates()) != 0 {
		t.Fatalf("%v, %+v", err, h.State.Stalemates)
	}
	it, _, _ := out.Artifact.Find("H1")
	if it.Text("claim") != "blue" || !strings.Contains(it.Text("ruling_claim"), "operator") {
		t.Errorf("%+v", it)
	}
	if _, _, err := person.Rule(t.Context(), thread, open[0].ID, []byte(verdict)); fault.CodeOf(err) != stalemate.BadState {
		t.Errorf("%v", err)
	}
	if _, err := h.Replay(t.Context()); err != nil {
		t.Error(err)
	}
}

// The reservation of a lost arbiter call counts as spent, as for any call.
func TestLostArbiterCallCostsItsReservation(t *testing.T) {
	h, _ := ruledSession(t)
	if n := len(h.State.Rulings); n != 1 || h.State.Rulings[0].Status != flow.Replied || h.State.Rulings[0].Reserved.Tokens == 0 {
		t.Fatalf("%+v", h.State.Rulings)
	}
	at := 0
	for i := range h.Entries {
		if e := &h.Entries[i]; e.Kind == flow.KindStalemate && contains(e, `"began"`) {
			at = i + 1
		}
	}
	st := storeWithPrefix(t, h, at)
	left, err := session.Load(t.Context(), st, thread)
	if err != nil || left.State.InFlight() != h.State.Rulings[0].Reserved {
		t.Fatalf("%+v, %v", left, err)
	}
	if _, err := runner(st, &actors{script: parse(t, quarrel)}).Resume(t.Context(), thread, nil); err != nil {
		t.Fatal(err)
	}
	got, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	c := got.State.Rulings[0]
	if c.Failures != 1 || c.Killed != 1 || c.Lost != c.Reserved || got.State.Spent.Tokens != h.State.Spent.Tokens+c.Reserved.Tokens {
		t.Errorf("%+v, %+v and before %+v", c, got.State.Spent, h.State.Spent)
	}
}

// A stalemate stays open if the arbiter fails, and the journal has the reason.
func TestArbiterFailure(t *testing.T) {
	st, s := opentest.New(t), &actors{script: parse(t, quarrel)}
	r := runner(st, s)
	r.Agent = func(p flow.Party) (agent.Agent, error) {
		if p.Name != "Judge" {
			return s.agent(p)
		}
		return agentFunc(func(context.Context, agent.Call) (agent.Reply, error) {
			return agent.Reply{}, &agent.Failure{Code: agent.Unavailable, Detail: "gone", Attempts: 1}
		}), nil
	}
	if _, err := r.Start(t.Context(), quarrelBrief(3)); err != nil {
		t.Fatal(err)
	}
	h, err := session.Load(t.Context(), st, thread)
	if err != nil {
		t.Fatal(err)
	}
	if c := h.State.Rulings; len(c) != 1 || c[0].Status != flow.Lost || c[0].Failed.Code != agent.Unavailable {
		t.Errorf("%+v", c)
	}
	if open := h.State.OpenStalemates(); len(open) != 1 || open[0].State != stalemate.Requested {
		t.Errorf("%+v", open)
	}
	if p, err := session.Verify(t.Context(), st, thread, h.State.Seal()); err != nil || p.Err() != nil {
		t.Errorf("%v, %v", err, p.Err())
	}
}
