package session

import (
	"sync"

	"brenner/agent"
	"brenner/flow"
)

// Allowance lets calls be tried again only as far as the budget reaches. A call's
// reservation is for one attempt; what the attempts before have cost comes on top.
// The zero value works, and allows everything until a run uses it.
type Allowance struct {
	mu       sync.Mutex
	known    bool
	settings flow.Settings
	spent    flow.Cost
	reserved map[string]flow.Cost // of the call under way, by agent
	extra    map[string]flow.Cost // what its attempts so far have cost
}

// update takes in the state of the run.
func (a *Allowance) update(s *flow.State) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known, a.settings, a.spent = true, s.Settings, s.Spent
	before := a.extra
	a.reserved, a.extra = make(map[string]flow.Cost), make(map[string]flow.Cost)
	leg := s.OpenLeg()
	if leg == nil {
		return
	}
	for _, c := range leg.Calls {
		if c.Status == flow.Begun {
			a.reserved[c.Agent] = c.Reserved
			a.extra[c.Agent] = before[c.Agent]
		}
	}
}

// Again tells whether the budget allows another attempt at the call that an agent
// is at, after it failed like this.
func (a *Allowance) Again(name string, f *agent.Failure) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	own, under := a.reserved[name]
	if !a.known || !under {
		return true
	}
	cost := flow.Cost{
		Tokens: f.Usage.Input + f.Usage.Output, USD: a.settings.Prices.Of(name, f.Usage.Input, f.Usage.Output),
	}
	if all := f.Attempts * own.Tokens; worked(f) && (cost.Tokens == 0 || f.Usage.Guessed) && all > cost.Tokens {
		cost = flow.Cost{Tokens: all, USD: int64(f.Attempts) * own.USD}
	}
	a.extra[name] = cost
	all := a.spent
	for agent, r := range a.reserved {
		e := a.extra[agent]
		all = flow.Cost{Tokens: all.Tokens + r.Tokens + e.Tokens, USD: all.USD + r.USD + e.USD}
	}
	return (a.settings.Budget <= 0 || all.Tokens <= a.settings.Budget) && (a.settings.BudgetUSD <= 0 || all.USD <= a.settings.BudgetUSD)
}

// worked tells whether an agent may have been at work although nobody said so.
func worked(f *agent.Failure) bool {
	switch f.Code {
	case agent.TimedOut, agent.Idle, agent.Cut, agent.Stopped:
		return f.Attempts > 0
	}
	return false
}
