package preflight

import "brenner/session/flow"

// LoopEstimate is what all sessions of a loop cost at most. What sessions inherit from earlier ones
// is within the limit of their views.
type LoopEstimate struct {
	Sessions []SessionEstimate `json:"sessions"` // of one round
	Tokens   int               `json:"tokens"`   // of all rounds
	USD      *float64          `json:"usd"`      // null if a price is unknown
	Covered  bool              `json:"covered"`  // by the loop's budget; true without one
	// Short is the first round that the budget may not cover, or 0.
	Short int      `json:"short_in_round"`
	Notes []string `json:"notes"`
}

// SessionEstimate is what a session costs at most. A session stops at its own budget.
type SessionEstimate struct {
	Name   string   `json:"name"`
	Input  int      `json:"input_tokens"`
	Output int      `json:"output_tokens"`
	Tokens int      `json:"tokens"` // at most, within the session's budget
	USD    *float64 `json:"usd"`
}

// Sum adds up the rounds and compares them with the loop's budget.
func (e *LoopEstimate) Sum(round flow.Cost, priced bool, rounds int, budget flow.Cost) {
	total := flow.Cost{}
	for n := range rounds {
		total = total.Plus(round)
		if e.Short == 0 && !total.Within(budget) {
			e.Short = n + 1
		}
	}
	e.Tokens, e.Covered = total.Tokens, e.Short == 0 && (priced || budget.USD == 0)
	if priced {
		usd := flow.Dollars(total.USD)
		e.USD = &usd
	}
}

// Capped returns a cost within a session's budget; 0 means no limit.
func Capped(c flow.Cost, tokens int, usd int64) flow.Cost {
	if tokens > 0 {
		c.Tokens = min(c.Tokens, tokens)
	}
	if usd > 0 {
		c.USD = min(c.USD, usd)
	}
	return c
}
