package agent_test

import (
	"context"
	"math"
	"testing"

	"brenner/agent"
)

func TestUsageDoesNotOverflow(t *testing.T) {
	const most = 1<<52 - 1 // adding two is still exact in JSON
	for _, c := range []struct{ a, b, want int }{
		{1, 2, 3},
		{math.MaxInt, 1, most},
		{math.MaxInt, math.MaxInt, most},
		{most, most, most},
		{-5, 3, 3},
		{3, math.MinInt, 3},
		{math.MinInt, math.MinInt, 0},
	} {
		got := agent.Usage{Input: c.a, Output: c.b}.Plus(agent.Usage{Input: c.b, Output: c.a})
		if got.Input != c.want || got.Output != c.want {
			t.Errorf("%d and %d: %+v", c.a, c.b, got)
		}
	}
}

// Guard clamps any usage that a kind reports.
func TestGuardClampsUsage(t *testing.T) {
	const most = 1_000_000_000
	for reported, want := range map[agent.Usage]agent.Usage{
		{Input: 12, Output: 3}:                    {Input: 12, Output: 3},
		{Input: 12, Output: 3, Guessed: true}:     {Input: 12, Output: 3, Guessed: true},
		{Input: -1_000_000, Output: 35}:           {Output: 35, Guessed: true},
		{Input: 7, Output: math.MinInt}:           {Input: 7, Guessed: true},
		{Input: math.MaxInt, Output: 35}:          {Input: most, Output: 35},
		{Input: math.MaxInt, Output: math.MaxInt}: {Input: most, Output: most},
	} {
		a := agent.Guard(fake(func(context.Context, agent.Call) (agent.Reply, error) {
			return agent.Reply{Text: "yes", Usage: reported}, nil
		}))
		if reply, err := a.Ask(t.Context(), agent.Call{}); err != nil || reply.Usage != want {
			t.Errorf("%+v: %+v, %v", reported, reply, err)
		}
		for name, bad := range map[string]agent.Agent{
			"a failure": fails(&agent.Failure{Code: agent.Cut, Usage: reported}),
			"a blank reply": fake(func(context.Context, agent.Call) (agent.Reply, error) {
				return agent.Reply{Text: " ", Usage: reported}, nil
			}),
		} {
			if f := failure(t, t.Context(), agent.Guard(bad)); f.Usage != want {
				t.Errorf("%s: %+v: %+v", name, reported, f)
			}
		}
	}
}

func TestParseTokens(t *testing.T) {
	for raw, want := range map[string]int{"0": 0, "12": 12, "12.0": 12, "1e9": 1_000_000_000} {
		if n, ok := agent.ParseTokens([]byte(raw)); !ok || n != want {
			t.Errorf("%s: %d, %v", raw, n, ok)
		}
	}
	for _, raw := range []string{"", "-1", "-0.5", "0.5", "1000000001", "1e30", "9223372036854775807", "NaN", "Inf", "-Inf", `"12"`, "null", "{}"} {
		if n, ok := agent.ParseTokens([]byte(raw)); ok {
			t.Errorf("%s: %d", raw, n)
		}
	}
}
