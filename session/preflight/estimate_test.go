package preflight_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/agent"
	"brenner/internal/tokens"
	"brenner/kickoff"
	"brenner/merge"
	"brenner/roster"
	"brenner/session"
	"brenner/session/flow"
	"brenner/session/preflight"
	"brenner/session/view"
	"brenner/store/opentest"
)

// writer is a model that writes what is likely to cost much, and counts what it was sent.
type writer struct {
	sync.Mutex
	seed    uint64
	count   func(string) int
	lessons int
	asked   map[string][2]int // tokens of the question and of the repair, by agent and round
	wrote   map[string]int
}

func keyOf(agent string, round int) string { return fmt.Sprint(agent, " in round ", round) }

func (w *writer) Ask(_ context.Context, c agent.Call) (agent.Reply, error) {
	w.Lock()
	defer w.Unlock()
	used := agent.Usage{}
	for _, t := range c.Turns {
		used.Input += w.count(t.Text)
	}
	text, cut := w.text(c.ID, c.Round), false
	for w.count(text) > c.MaxReply {
		text, cut = text[:len(text)*9/10], true
	}
	used.Output = w.count(text)
	key := keyOf(c.Agent, c.Round)
	in := w.asked[key]
	in[min(len(c.Turns)-1, 1)] += used.Input
	w.asked[key] = in
	w.wrote[key] += used.Output
	return agent.Reply{Text: text, Usage: used, Attempts: 1, Cut: cut}, nil
}

// text returns what a call always gets, in whatever order calls come.
func (w *writer) text(call string, round int) string {
	hash := fnv.New64()
	_, _ = io.WriteString(hash, call)
	r := rand.New(rand.NewPCG(w.seed, hash.Sum64()))
	var b strings.Builder
	for n := range r.IntN(20) + 1 {
		switch r.IntN(4) {
		case 0:
			b.WriteString("```delta\n{\"operation\": ADD}\n```\n")
		case 1:
			fmt.Fprintf(&b, "```delta\n{\"operation\":\"EDIT\",\"section\":\"hypothesis_slate\",\"target_id\":\"H%d\",\"payload\":{\"claim\":\"Edited %d\"}}\n```\n", r.IntN(90), n)
		case 2:
			fmt.Fprintf(&b, "```delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"name\":\"N\",\"claim\":%q,\"odd_field\":1}}\n```\n", fmt.Sprint(round, n, words(r, 100)))
		default:
			b.WriteString(words(r, 60) + "\n")
		}
	}
	return b.String()
}

func words(r *rand.Rand, most int) string {
	var b strings.Builder
	for range r.IntN(most) {
		b.WriteString([]string{"differentiation ", "a ", "0x3f9 ", "é世界 ", "| ", "why? ", "understanding "}[r.IntN(7)])
	}
	return b.String()
}

// Recall returns lessons within their limit. New sessions of odd seeds have none yet.
func (w *writer) Recall(context.Context, session.LessonQuery) (out session.LessonSet, err error) {
	w.Lock()
	defer w.Unlock()
	if w.lessons%2 == 1 && len(w.asked) == 0 {
		return out, nil
	}
	text := ""
	for n := 0; ; n++ {
		l := kickoff.Bullet{ID: fmt.Sprint("b", n), Text: "Mind the differentiation"}
		if text += l.Quoted(); w.count(text) > w.lessons {
			return out, nil
		}
		out.Lessons = append(out.Lessons, l)
	}
}

// draw returns a session with a random roster, and random limits and texts.
func draw(r *rand.Rand) session.Brief {
	b := session.Brief{
		Thread: "RS-20261115-cost", Operator: "operator", Program: "brenner test", Question: "Why is the sky dark at night?" + words(r, 20),
		Context: words(r, 50), Excerpt: words(r, 200), Views: make(map[string]view.Spec), Rules: merge.Rules{Scopes: merge.DefaultScopes()},
		Settings: flow.Settings{
			Rounds: 1 + r.IntN(3), Flow: []string{flow.FlowParallel, flow.FlowStaged}[r.IntN(2)], Quorum: flow.QuorumRole,
			Repair: r.IntN(4) > 0, Reply: 50 + r.IntN(2000),
		},
	}
	for range r.IntN(3) {
		b.Hypotheses = append(b.Hypotheses, "H "+words(r, 400))
		b.Evidence = append(b.Evidence, session.File{Name: "notes.txt", Data: []byte(words(r, 3000))})
	}
	for i := range 1 + r.IntN(4) {
		e := roster.Entry{Agent: fmt.Sprintf("Agent%d", i), Role: roster.AllRoles()[r.IntN(3)]}
		b.Roster.Entries = append(b.Roster.Entries, e)
		b.Agents = append(b.Agents, flow.Party{Name: e.Agent, Role: string(e.Role), Via: "openai", ModelID: "m"})
		spec := view.Default(string(e.Role))
		spec.MaxTokens = []int{600, 900, 6000}[r.IntN(3)]
		b.Views[e.Agent] = spec
	}
	return b
}

// No agent uses more in any round than the estimate says, and a budget of the estimate suffices.
func TestEstimateIsAnUpperBound(t *testing.T) {
	counter := tokens.New()
	for _, seed := range []uint64{1, 12, 26, 39, 55} {
		r := rand.New(rand.NewPCG(seed, 22))
		b := draw(r)
		w := &writer{seed: seed, count: counter.Count, lessons: 50 + r.IntN(400), asked: make(map[string][2]int), wrote: make(map[string]int)}
		st := opentest.New(t)
		run := &session.Runner{
			Store: st, Locks: st, Now: func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }, Tokens: counter, Memory: w,
			Agent: func(flow.Party) (agent.Agent, error) { return w, nil },
		}
		o, err := run.Preview(t.Context(), &b, true)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		est := preflight.Estimator{
			Settings: b.Settings, Count: counter.Count, Lessons: w.lessons, Parties: b.Agents, Free: func(*flow.Party) bool { return true },
		}
		e := est.Estimate(o)
		b.Settings.Budget = e.Worst.Tokens
		result, err := run.Start(t.Context(), b)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		if result.State.Ended == flow.EndBudget {
			t.Errorf("%d: the estimate of %d tokens does not suffice", seed, e.Worst.Tokens)
		}
		for _, a := range e.Agents {
			for _, round := range a.Rounds {
				key := keyOf(a.Agent, round.Round)
				if in := w.asked[key]; in[0] > round.Input || round.Exact && in[0] < round.Input || in[1] > round.RepairInput || w.wrote[key] > round.Output {
					t.Errorf("%d: %s: sent %d, wrote %d; estimated %+v", seed, key, in, w.wrote[key], round)
				}
			}
		}
	}
}
