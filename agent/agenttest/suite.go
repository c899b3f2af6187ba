// Package agenttest is the suite that every kind of agent passes. It holds a kind
// to the contract of agent.Agent, in the wrapping in which a session gets it from
// a registry.
//
// It knows nothing of how a kind reaches the other side: each kind brings its own
// other sides, made to answer, to fail or to hang as the suite asks.
package agenttest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"brenner/agent"
	"brenner/roster"
)

// Kind makes agents of one kind on trial, each with an other side of its own.
// What it opens it closes in t.Cleanup; goroutines that are left then are found.
type Kind struct {
	// Answering makes an agent that answers a call of round n with texts[n-1].
	// Another side that sees no rounds finds the number with RoundOf.
	Answering func(t *testing.T, texts ...string) Subject
	// Failing makes an agent that fails so often, in a way that another try may
	// mend, and answers with text then.
	Failing func(t *testing.T, times int, text string) Subject
	// Hanging makes an agent that never answers.
	Hanging func(t *testing.T) Subject
}

// Subject is one agent on trial.
type Subject struct {
	Agent agent.Agent // bare: the suite puts it into a registry itself
	// Asked tells how often the other side was really asked. It is called while
	// calls are under way.
	Asked func() int
}

// Run runs the whole suite.
func Run(t *testing.T, k Kind) {
	t.Helper()
	for _, check := range []struct {
		name string
		run  func(*testing.T, Kind)
	}{
		{"the answer is verbatim", verbatim},
		{"a blank answer is none", blank},
		{"a sign of life comes before the answer", alive},
		{"one call id has one effect", oneEffect},
		{"equal calls at one time have one effect", oneEffectAtOnce},
		{"a call that failed can be tried again", triedAgain},
		{"a stopped call ends at once", stopped},
		{"a call that is over is not put", overBefore},
		{"a call out of time ends at once", outOfTime},
		{"calls at one time do not mix", notMixed},
	} {
		t.Run(check.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			// The first cleanup is the last to run: after all that the kind closes.
			t.Cleanup(func() { goleak.VerifyNone(t, before) })
			check.run(t, k)
		})
	}
}

// made gives the agent as a session would have it.
func made(t *testing.T, s Subject) agent.Agent {
	t.Helper()
	const kind = "on trial"
	r := agent.NewRegistry(map[string]agent.Maker{
		kind: func(agent.Setup) (agent.Agent, error) { return s.Agent, nil },
	})
	a, err := r.Make(kind, agent.Setup{Entry: roster.Entry{Agent: name}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

const name = "BlueLake"

const asking = "This is the question of round %d.\n\nPlease answer.\n"

// call is a question of a round.
func call(id string, round int) agent.Call {
	return agent.Call{
		ID: "RS-20260101-trial/" + id, Agent: name,
		Thread: "RS-20260101-trial", Round: round,
		Subject: "KICKOFF: on trial",
		Turns:   []agent.Turn{{Text: fmt.Sprintf(asking, round)}},
	}
}

// RoundOf gives the round that a question of the suite is of, from its text; 0
// for any other text.
func RoundOf(question string) int {
	var round int
	if _, err := fmt.Sscanf(question, asking, &round); err != nil {
		return 0
	}
	return round
}

// hostile are answers that a careless path would change. All of them are valid
// UTF-8: most ways to an agent carry nothing else.
func hostile() []string {
	return []string{
		"yes",
		"\n\n  leading and trailing  \t\n\n",
		"one\r\ntwo\rthree\n",
		"\x00\x01\x07\x1b[31mred\x1b[0m\x7f",
		"\ufeffa mark at the beginning, \u2028 a line, \u2029 a paragraph, \u0085 next",
		"right to left: \u202eabc\u202c, joined: 👩‍🔬, combined: e\u0301, beyond: 𝔅",
		"```delta\n{\"operation\": \"ADD\"}\n```\n--- \n...\n- a: &b *c !!d\n%YAML 1.2\n",
		`{"choices":[{"message":{"content":"no"}}]} </think> <|im_end|> data: [DONE]`,
		strings.Repeat("A line of 31 bytes, no more: é\n", 1<<20/31+1),
	}
}

func ask(t *testing.T, a agent.Agent, c agent.Call) agent.Reply {
	t.Helper()
	reply, err := a.Ask(t.Context(), c)
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	if reply.Attempts < 1 || reply.Usage.Input < 0 || reply.Usage.Output < 0 {
		t.Errorf("%s: %d attempts, usage %+v", c.ID, reply.Attempts, reply.Usage)
	}
	return reply
}

func verbatim(t *testing.T, k Kind) {
	texts := hostile()
	a := made(t, k.Answering(t, texts...))
	for i, want := range texts {
		if got := ask(t, a, call(fmt.Sprint(i), i+1)).Text; got != want {
			t.Errorf("text %d was changed: %.200q became %.200q", i+1, want, got)
		}
	}
}

func blank(t *testing.T, k Kind) {
	texts := []string{"", " \n\t\n"}
	a := made(t, k.Answering(t, texts...))
	for i := range texts {
		f := fails(t, a, t.Context(), call(fmt.Sprint(i), i+1))
		if f.Code != agent.Empty {
			t.Errorf("%q: %v", texts[i], f)
		}
	}
}

func alive(t *testing.T, k Kind) {
	a := made(t, k.Answering(t, "yes"))
	var signs atomic.Int32
	c := call("alive", 1)
	c.Alive = func() { signs.Add(1) }
	if ask(t, a, c); signs.Load() == 0 {
		t.Error("there was no sign of life")
	}
}

func oneEffect(t *testing.T, k Kind) {
	s := k.Answering(t, "yes", "no")
	a := made(t, s)
	first, again, other := ask(t, a, call("one", 1)), ask(t, a, call("one", 1)), ask(t, a, call("two", 2))
	if first.Text != "yes" || again != first || other.Text != "no" || s.Asked() != 2 {
		t.Errorf("%+v, %+v, %+v: asked %d times", first, again, other, s.Asked())
	}
}

func oneEffectAtOnce(t *testing.T, k Kind) {
	s := k.Answering(t, "yes")
	a := made(t, s)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if reply, err := a.Ask(t.Context(), call("one", 1)); err != nil || reply.Text != "yes" {
				t.Errorf("%+v, %v", reply, err)
			}
		})
	}
	if all.Wait(); s.Asked() != 1 {
		t.Errorf("asked %d times", s.Asked())
	}
}

func notMixed(t *testing.T, k Kind) {
	const rounds, times = 8, 2
	texts := make([]string, rounds)
	for i := range texts {
		texts[i] = strings.Repeat(fmt.Sprintf("The answer of round %d. ", i+1), i*i+1)
	}
	a := made(t, k.Answering(t, texts...))
	var all sync.WaitGroup
	for i := range rounds {
		for n := range times {
			all.Go(func() {
				reply, err := a.Ask(t.Context(), call(fmt.Sprintf("%d/%d", i, n), i+1))
				if err != nil || reply.Text != texts[i] {
					t.Errorf("round %d: %.80q, %v", i+1, reply.Text, err)
				}
			})
		}
	}
	all.Wait()
}

// patience is how long anything may take that should happen at once. It is only
// waited for where something is wrong.
const patience = 10 * time.Second

// fails asks where no answer can come, and wants a proper failure.
func fails(t *testing.T, a agent.Agent, ctx context.Context, c agent.Call) *agent.Failure { //nolint:revive // t comes first in a helper
	t.Helper()
	reply, err := a.Ask(ctx, c)
	return proper(t, reply, err)
}

func proper(t *testing.T, reply agent.Reply, err error) *agent.Failure {
	t.Helper()
	f, ok := err.(*agent.Failure) //nolint:errorlint // the contract wants the very type
	if !ok {
		t.Fatalf("an answer, or an error that is no *Failure: %+v, %v", reply, err)
	}
	if f.Code == "" || f.Detail == "" || reply != (agent.Reply{}) {
		t.Errorf("a failure with half an answer, or without code or detail: %+v, %+v", reply, f)
	}
	return f
}

func triedAgain(t *testing.T, k Kind) {
	s := k.Failing(t, 2, "at last")
	a := made(t, s)
	for n := range 2 {
		if f := fails(t, a, t.Context(), call("again", 1)); !f.Retry || f.Attempts != 1 {
			t.Errorf("try %d: %+v", n+1, f)
		}
	}
	if reply := ask(t, a, call("again", 1)); reply.Text != "at last" || s.Asked() != 3 {
		t.Errorf("%+v: asked %d times", reply, s.Asked())
	}
	a = agent.Retry(made(t, k.Failing(t, 2, "at last")), agent.RetryPolicy{First: time.Millisecond})
	if reply := ask(t, a, call("again", 1)); reply.Attempts != 3 {
		t.Errorf("%+v", reply)
	}
}

// outcome is what a call under way comes to.
type outcome struct {
	reply agent.Reply
	err   error
}

// put puts a call and does not wait for it.
func put(ctx context.Context, a agent.Agent, c agent.Call) <-chan outcome {
	end := make(chan outcome, 1)
	go func() {
		reply, err := a.Ask(ctx, c)
		end <- outcome{reply, err}
	}()
	return end
}

// reached waits until a call that hangs has come to the other side.
func reached(t *testing.T, s Subject, end <-chan outcome) {
	t.Helper()
	tick, limit := time.NewTicker(time.Millisecond), time.NewTimer(patience)
	defer tick.Stop()
	defer limit.Stop()
	for s.Asked() == 0 {
		select {
		case <-tick.C:
		case o := <-end:
			t.Fatalf("it did not hang: %+v, %v", o.reply, o.err)
		case <-limit.C:
			t.Fatal("the other side was never asked")
		}
	}
}

func await(t *testing.T, end <-chan outcome) *agent.Failure {
	t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case o := <-end:
		return proper(t, o.reply, o.err)
	case <-limit.C:
		t.Fatal("the call goes on although its context is over")
		return nil
	}
}

func stopped(t *testing.T, k Kind) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := k.Hanging(t)
	end := put(ctx, made(t, s), call("hanging", 1))
	reached(t, s, end)
	cancel()
	if f := await(t, end); f.Code != agent.Stopped || f.Retry {
		t.Errorf("%+v", f)
	}
}

func overBefore(t *testing.T, k Kind) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := k.Hanging(t)
	if f := fails(t, made(t, s), ctx, call("over", 1)); f.Code != agent.Stopped || f.Attempts != 0 || s.Asked() != 0 {
		t.Errorf("%+v: asked %d times", f, s.Asked())
	}
}

func outOfTime(t *testing.T, k Kind) {
	const soon = 20 * time.Millisecond
	late := agent.Deadline(made(t, k.Hanging(t)), soon)
	if f := await(t, put(t.Context(), late, call("late", 1))); f.Code != agent.TimedOut {
		t.Errorf("%+v", f)
	}
	idle := agent.WatchIdle(made(t, k.Hanging(t)), soon)
	if f := await(t, put(t.Context(), idle, call("idle", 1))); f.Code != agent.Idle {
		t.Errorf("%+v", f)
	}
}
