package preflight

import "brenner/session/flow"

// LoopEstimate is what all sessions of a loop cost at most. What sessions inherit from earlier ones
// is within the limit of their views.
type LoopEstimate struct {
	Sessions []SessionEstimate `json:"sessions"` // of one round
	// Preflight is what asking the models first costs; null if they are not asked.
	Preflight *SessionEstimate `json:"preflight"`
	Tokens    int              `json:"tokens"` // of the preflight and all rounds
	USD       *float64         `json:"usd"`    // null if a price is unknown
	// Covered reports whether the budgets of the loop and of its sessions cover the worst case; true
	// without any. Cut is how many sessions of a round may stop at their own budget.
	Covered bool `json:"covered"`
	Cut     int  `json:"sessions_cut"`
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

// NewSessionEstimate returns what a session, or the preflight, costs at most.
func NewSessionEstimate(name string, input, output int, cost flow.Cost, priced bool) SessionEstimate {
	s := SessionEstimate{Name: name, Input: input, Output: output, Tokens: cost.Tokens}
	if priced {
		usd := flow.Dollars(cost.USD)
		s.USD = &usd
	}
	return s
}

// Sum adds up the preflight and the rounds, and compares them with the loop's budget.
func (e *LoopEstimate) Sum(asked, round flow.Cost, priced bool, rounds int, budget flow.Cost) {
	total := asked
	for n := range rounds {
		total = total.Plus(round)
		if e.Short == 0 && !total.Within(budget) {
			e.Short = n + 1
		}
	}
	e.Tokens, e.Covered = total.Tokens, e.Short == 0 && e.Cut == 0 && (priced || budget.USD == 0)
	if priced {
		usd := flow.Dollars(total.USD)
		e.USD = &usd
	}
}

// Capped returns a cost within the budget of a session; 0 means no limit. So many tokens cost at
// most the highest price.
func Capped(c flow.Cost, s *flow.Settings) flow.Cost {
	if s.Budget > 0 && c.Tokens > s.Budget {
		c.Tokens = s.Budget
		highest := int64(0)
		for _, p := range s.Prices {
			highest = max(highest, s.Prices.Of(p.Agent, c.Tokens, 0), s.Prices.Of(p.Agent, 0, c.Tokens))
		}
		c.USD = min(c.USD, highest)
	}
	if s.BudgetUSD > 0 {
		c.USD = min(c.USD, s.BudgetUSD)
	}
	return c
}
