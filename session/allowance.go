package session

import (
	"sync"

	"brenner/agent"
	"brenner/session/flow"
)

// Allowance permits calls and retries within the budget. A call's reservation covers one
// attempt; the cost of failed attempts comes on top and is journaled only when the call ends.
// The zero value is usable and permits everything until a run updates it.
type Allowance struct {
	mu       sync.Mutex
	known    bool
	settings flow.Settings
	spent    flow.Cost
	reserved map[string]flow.Cost // of calls in flight, by agent
	extra    map[string]flow.Cost // cost of failed attempts so far
	promised map[string]flow.Cost // of calls about to begin, by call
}

func (a *Allowance) update(s *flow.State) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known, a.settings, a.spent = true, s.Settings, s.Spent
	extra, promised := a.extra, a.promised
	a.reserved, a.extra, a.promised = make(map[string]flow.Cost), make(map[string]flow.Cost), make(map[string]flow.Cost)
	take := func(c *flow.Call) {
		if c.Status == flow.Begun {
			a.reserved[c.Agent], a.extra[c.Agent] = c.Reserved, extra[c.Agent]
		}
		if cost, ok := promised[c.ID]; ok && c.Status == flow.Open {
			a.promised[c.ID] = cost
		}
	}
	if leg := s.OpenLeg(); leg != nil {
		for c := range leg.Calls() {
			take(c)
		}
	}
	for i := range s.Rulings { // arbiter calls
		take(&s.Rulings[i])
	}
}

// affordable returns the calls that may begin now. The cost of retries is not in the journal yet;
// calls that exceed the budget with it wait.
func (a *Allowance) affordable(s *flow.State, asks []flow.Ask) []flow.Ask {
	if a == nil {
		return asks
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.promised) // earlier promises have begun, or are requested again
	var out []flow.Ask
	for _, ask := range asks {
		cost := s.Additional(ask.Exchange, ask.Call)
		if a.known && !a.settings.Affords(a.total().Plus(cost)) {
			continue
		}
		if a.promised == nil {
			a.promised = make(map[string]flow.Cost)
		}
		a.promised[ask.Call.ID] = cost
		out = append(out, ask)
	}
	return out
}

// total returns what was spent plus what the calls in flight may cost.
func (a *Allowance) total() flow.Cost {
	all := a.spent
	for name, r := range a.reserved {
		all = all.Plus(r).Plus(a.extra[name])
	}
	for _, p := range a.promised {
		all = all.Plus(p)
	}
	return all
}

// AllowRetry reports whether the budget allows an agent's current call another attempt after
// failure f.
func (a *Allowance) AllowRetry(name string, f *agent.Failure) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	own, inFlight := a.reserved[name]
	if !a.known || !inFlight {
		return true
	}
	a.extra[name] = FailureCost(name, f, own, a.settings.Prices)
	return a.settings.Affords(a.total())
}

// FailureCost returns the cost of a failed call: the reported cost, or the full reservation for
// each attempt if the agent may have worked without reporting its usage.
func FailureCost(name string, f *agent.Failure, reserved flow.Cost, prices flow.Prices) flow.Cost {
	known := prices.Cost(name, f.Usage.Input, f.Usage.Output)
	if all := reserved.Times(f.Attempts - f.Free); f.MayHaveWorked() && (f.Usage.Guessed || known.Tokens == 0) && all.Tokens > known.Tokens {
		return all
	}
	return known
}
