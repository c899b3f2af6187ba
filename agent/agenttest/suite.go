// Package agenttest is the suite that every kind of agent passes. It tests a kind
// against the contract of agent.Agent, wrapped as a session gets it from a registry.
//
// It is independent of how a kind reaches the other side: each kind supplies peers
// that reply, fail or hang as the suite requires.
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

// Kind makes agents of the kind under test, each with its own peer. It closes
// what it opens in t.Cleanup; the suite detects leaked goroutines.
type Kind struct {
	// Answering makes an agent that replies to a call of round n with texts[n-1].
	// A peer that does not get the round can find it with RoundOf.
	Answering func(t *testing.T, texts ...string) Subject
	// Failing makes an agent that fails the given number of times with a retryable
	// failure, then replies with text; nil if it waits until such failures pass.
	Failing func(t *testing.T, times int, text string) Subject
	// Hanging makes an agent that never replies.
	Hanging func(t *testing.T) Subject
}

// Subject is one agent under test.
type Subject struct {
	Agent agent.Agent // bare: the suite wraps it itself
	// Asked returns the number of calls that reached the peer. It is called while
	// calls are in flight.
	Asked func() int
}

// Run runs the suite.
func Run(t *testing.T, k Kind) {
	t.Helper()
	for _, check := range []struct {
		name string
		run  func(*testing.T, Kind)
	}{
		{"replies are verbatim", verbatim},
		{"a blank reply is a failure", blank},
		{"alive is called", alive},
		{"one call id has one effect", oneEffect},
		{"concurrent calls with one id have one effect", oneEffectConcurrently},
		{"a failed call can be retried", retried},
		{"a cancelled call ends immediately", cancelled},
		{"a call cancelled before is not made", cancelledBefore},
		{"a call past its limit ends immediately", pastLimit},
		{"concurrent calls do not mix", notMixed},
	} {
		t.Run(check.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			// Cleanups run last in, first out: this one runs after the kind's own.
			t.Cleanup(func() { goleak.VerifyNone(t, before) })
			check.run(t, k)
		})
	}
}

// wrapped returns the agent as a session would get it.
func wrapped(t *testing.T, s Subject) agent.Agent {
	t.Helper()
	const kind = "under test"
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

// call returns a call of a round.
func call(id string, round int) agent.Call {
	return agent.Call{
		ID: "RS-20260101-trial/" + id, Agent: name,
		Thread: "RS-20260101-trial", Round: round,
		Subject: "KICKOFF: on trial",
		Turns:   []agent.Turn{{Text: fmt.Sprintf(asking, round)}},
	}
}

// RoundOf returns the round of a question of the suite, from its text; 0 for any
// other text.
func RoundOf(question string) int {
	var round int
	if _, err := fmt.Sscanf(question, asking, &round); err != nil {
		return 0
	}
	return round
}

// hostile returns replies that careless code would change. All are valid UTF-8:
// most transports carry nothing else.
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
	a := wrapped(t, k.Answering(t, texts...))
	for i, want := range texts {
		if got := ask(t, a, call(fmt.Sprint(i), i+1)).Text; got != want {
			t.Errorf("text %d: got %.200q, want %.200q", i+1, got, want)
		}
	}
}

func blank(t *testing.T, k Kind) {
	texts := []string{"", " \n\t\n"}
	a := wrapped(t, k.Answering(t, texts...))
	for i := range texts {
		f := fails(t, a, t.Context(), call(fmt.Sprint(i), i+1))
		if f.Code != agent.Empty {
			t.Errorf("%q: %v", texts[i], f)
		}
	}
}

func alive(t *testing.T, k Kind) {
	a := wrapped(t, k.Answering(t, "yes"))
	var signs atomic.Int32
	c := call("alive", 1)
	c.Alive = func() { signs.Add(1) }
	if ask(t, a, c); signs.Load() == 0 {
		t.Error("Alive was never called")
	}
}

func oneEffect(t *testing.T, k Kind) {
	s := k.Answering(t, "yes", "no")
	a := wrapped(t, s)
	first, again, other := ask(t, a, call("one", 1)), ask(t, a, call("one", 1)), ask(t, a, call("two", 2))
	if first.Text != "yes" || again != first || other.Text != "no" || s.Asked() != 2 {
		t.Errorf("%+v, %+v, %+v: asked %d times", first, again, other, s.Asked())
	}
}

func oneEffectConcurrently(t *testing.T, k Kind) {
	s := k.Answering(t, "yes")
	a := wrapped(t, s)
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
	a := wrapped(t, k.Answering(t, texts...))
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

// patience bounds the wait for an event that should be immediate. Only a failing
// test waits that long.
const patience = 10 * time.Second

// fails makes a call and requires a well-formed failure.
func fails(t *testing.T, a agent.Agent, ctx context.Context, c agent.Call) *agent.Failure { //nolint:revive // t comes first in a helper
	t.Helper()
	reply, err := a.Ask(ctx, c)
	return asFailure(t, reply, err)
}

func asFailure(t *testing.T, reply agent.Reply, err error) *agent.Failure {
	t.Helper()
	f, ok := err.(*agent.Failure) //nolint:errorlint // the contract requires this type, unwrapped
	if !ok {
		t.Fatalf("want a *Failure, got %+v, %v", reply, err)
	}
	if f.Code == "" || f.Detail == "" || reply != (agent.Reply{}) {
		t.Errorf("failure with a reply, or without code or detail: %+v, %+v", reply, f)
	}
	return f
}

func retried(t *testing.T, k Kind) {
	if k.Failing == nil {
		return // it waits until what fails works again
	}
	s := k.Failing(t, 2, "at last")
	a := wrapped(t, s)
	for n := range 2 {
		if f := fails(t, a, t.Context(), call("again", 1)); !f.Retry || f.Attempts != 1 {
			t.Errorf("attempt %d: %+v", n+1, f)
		}
	}
	if reply := ask(t, a, call("again", 1)); reply.Text != "at last" || s.Asked() != 3 {
		t.Errorf("%+v: asked %d times", reply, s.Asked())
	}
	a = agent.Retry(wrapped(t, k.Failing(t, 2, "at last")), agent.RetryPolicy{First: time.Millisecond})
	if reply := ask(t, a, call("again", 1)); reply.Attempts != 3 {
		t.Errorf("%+v", reply)
	}
}

// outcome is the result of a call.
type outcome struct {
	reply agent.Reply
	err   error
}

// start makes a call in the background.
func start(ctx context.Context, a agent.Agent, c agent.Call) <-chan outcome {
	end := make(chan outcome, 1)
	go func() {
		reply, err := a.Ask(ctx, c)
		end <- outcome{reply, err}
	}()
	return end
}

// waitUntilAsked waits until a hanging call has reached the peer.
func waitUntilAsked(t *testing.T, s Subject, end <-chan outcome) {
	t.Helper()
	tick, limit := time.NewTicker(time.Millisecond), time.NewTimer(patience)
	defer tick.Stop()
	defer limit.Stop()
	for s.Asked() == 0 {
		select {
		case <-tick.C:
		case o := <-end:
			t.Fatalf("the call did not hang: %+v, %v", o.reply, o.err)
		case <-limit.C:
			t.Fatal("the peer was never asked")
		}
	}
}

func await(t *testing.T, end <-chan outcome) *agent.Failure {
	t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case o := <-end:
		return asFailure(t, o.reply, o.err)
	case <-limit.C:
		t.Fatal("the call outlived its context")
		return nil
	}
}

func cancelled(t *testing.T, k Kind) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := k.Hanging(t)
	end := start(ctx, wrapped(t, s), call("hanging", 1))
	waitUntilAsked(t, s, end)
	cancel()
	if f := await(t, end); f.Code != agent.Stopped || f.Retry {
		t.Errorf("%+v", f)
	}
}

func cancelledBefore(t *testing.T, k Kind) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := k.Hanging(t)
	if f := fails(t, wrapped(t, s), ctx, call("over", 1)); f.Code != agent.Stopped || f.Attempts != 0 || s.Asked() != 0 {
		t.Errorf("%+v: asked %d times", f, s.Asked())
	}
}

func pastLimit(t *testing.T, k Kind) {
	const soon = 20 * time.Millisecond
	late := agent.Deadline(wrapped(t, k.Hanging(t)), soon)
	if f := await(t, start(t.Context(), late, call("late", 1))); f.Code != agent.TimedOut {
		t.Errorf("%+v", f)
	}
	idle := agent.WatchIdle(wrapped(t, k.Hanging(t)), soon)
	if f := await(t, start(t.Context(), idle, call("idle", 1))); f.Code != agent.Idle {
		t.Errorf("%+v", f)
	}
}
