package config

import (
	"strings"
	"time"

	"brenner/internal/fault"
	"brenner/session/flow"
)

// session gives the settings of a new session.
func (s *settings) session() flow.Settings {
	t := s.timeouts()
	usd, _ := flow.ParseDollars(s.Budget.USD) // it was checked where it was read
	return flow.Settings{
		Rounds: s.Session.Rounds, Flow: s.Session.Flow, Quorum: s.Session.Quorum, Repair: s.Session.Repair, Context: s.Session.ContextTokens,
		Budget: s.Budget.Tokens, BudgetUSD: usd, Reply: s.Budget.ReplyTokens,
		QuietAfter: s.Stop.QuietRounds, WhenClean: s.Stop.WhenClean,
		Limits: flow.Times{
			Call: t.Call.Milliseconds(), Idle: t.Idle.Milliseconds(), Agent: t.Agent.Milliseconds(), Run: t.Session.Milliseconds(),
		},
	}
}

func (s *settings) timeouts() Timeouts {
	return Timeouts{
		Call: duration(s.Timeouts.Call), Idle: duration(s.Timeouts.Idle),
		Agent: duration(s.Timeouts.Agent), Session: duration(s.Timeouts.Session),
	}
}

// duration reads what isDuration has allowed.
func duration(text string) time.Duration {
	d, _ := time.ParseDuration(text)
	return d
}

// checkSession says what cannot be a session's setting although its type is right.
func (c *Config) checkSession(found *fault.Bounded) {
	place := func(key string) string { return c.Origin(key).String() }
	for _, k := range []struct {
		key string
		n   int
	}{{"session.rounds", c.Session.Rounds}, {"session.context_tokens", c.Session.Context}, {"retry.attempts", c.Attempts}} {
		if k.n < 1 {
			found.Add(InvalidValue, place(k.key), "write a number from 1", "%s cannot be %d", k.key, k.n)
		}
	}
	if strings.TrimSpace(c.Operator) == "" {
		found.Add(InvalidValue, place("operator"), "somebody has to sign the brief: write a name", "operator cannot be empty")
	}
}
