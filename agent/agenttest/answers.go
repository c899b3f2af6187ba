package agenttest

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"brenner/agent"
)

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
