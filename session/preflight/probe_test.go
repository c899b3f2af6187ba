package preflight_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"brenner/agent"
	"brenner/session/preflight"
)

type failing struct{ failure agent.Failure }

func (f failing) Ask(context.Context, agent.Call) (agent.Reply, error) {
	return agent.Reply{}, &f.failure
}

// A call that may have been answered counts with all tokens reserved for it, and the probe says so.
func TestProbeCountsWhatWasReserved(t *testing.T) {
	count := func(s string) int { return len(strings.Fields(s)) }
	guess := agent.Usage{Input: 3, Guessed: true}
	for name, c := range map[string]struct {
		failure agent.Failure
		lost    int
	}{
		"timeout": {agent.Failure{Code: agent.TimedOut, Detail: "timeout", Attempts: 1, Usage: guess}, 2013},
		"closed":  {agent.Failure{Code: agent.Unavailable, Detail: "closed", Attempts: 1, Usage: guess}, 2013},
		"refused": {agent.Failure{Code: agent.Unavailable, Detail: "refused", Attempts: 1}, 0},
	} {
		r := preflight.Probe{Model: "m"}
		r.Ask(t.Context(), failing{c.failure}, "BlueLake", 2000, count, time.Now)
		said := strings.Contains(r.Summary(), "; 2013 tokens assumed for calls without a usable reply")
		if r.Lost != c.lost || r.Input+r.Output != c.lost || said != (c.lost > 0) {
			t.Errorf("%s: %d lost of %d and %d: %s", name, r.Lost, r.Input, r.Output, r.Summary())
		}
	}
}
