package session

import (
	"sync"

	"brenner/agent"
	"brenner/session/flow"
)

// Allowance lets calls be made, and tried again, only as far as the budget reaches. A
// call's reservation is for one attempt; what the attempts before have cost comes on
// top, and is not in the journal before the call ends. The zero value works, and allows
// everything until a run uses it.
type Allowance struct {
	mu       sync.Mutex
	known    bool
	settings flow.Settings
	spent    flow.Cost
	reserved map[string]flow.Cost // of the call under way, by agent
	extra    map[string]flow.Cost // what its attempts so far have cost
	promised map[string]flow.Cost // of calls that are about to begin, by call
}

// update takes in the state of the run.
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
	for i := range s.Rulings { // an arbiter's
		take(&s.Rulings[i])
	}
}

// afforded gives those of the calls that may begin now. Whoever is tried again has spent
// what no journal tells yet; who does not fit beside it waits until it does.
func (a *Allowance) afforded(s *flow.State, asks []flow.Ask) []flow.Ask {
	if a == nil {
		return asks
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.promised) // those before have begun, or are asked for again
	var out []flow.Ask
	for _, ask := range asks {
		cost := s.Reserve(ask.Exchange, ask.Call)
		if a.known && !a.settings.Affords(a.all().Plus(cost)) {
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

// all is what was spent, and what the calls under way may come to.
func (a *Allowance) all() flow.Cost {
	all := a.spent
	for name, r := range a.reserved {
		all = all.Plus(r).Plus(a.extra[name])
	}
	for _, p := range a.promised {
		all = all.Plus(p)
	}
	return all
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
	a.extra[name] = spentBy(name, f, own, a.settings.Prices)
	return a.settings.Affords(a.all())
}

// spentBy is what a call has cost that failed: what is known of it, and where it was at
// work and nobody said how long, what was set aside for it, each time.
func spentBy(name string, f *agent.Failure, reserved flow.Cost, prices flow.Prices) flow.Cost {
	known := prices.Cost(name, f.Usage.Input, f.Usage.Output)
	if all := reserved.Times(f.Attempts); worked(f) && (f.Usage.Guessed || known.Tokens == 0) && all.Tokens > known.Tokens {
		return all
	}
	return known
}

// worked tells whether an agent may have been at work although nobody said so.
func worked(f *agent.Failure) bool {
	switch f.Code {
	case agent.TimedOut, agent.Idle, agent.Cut, agent.Stopped, agent.Broken:
		return f.Attempts > 0
	}
	return false
}
