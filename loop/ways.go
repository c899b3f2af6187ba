package loop

import (
	"slices"

	"brenner/session/flow"
)

// Pin returns how a roster's agents are reached with one of the plan's models, for the journal
// of a loop; ok is false if nothing is to be pinned.
func Pin(c *Cell, parties []flow.Party, arbiter *flow.Party) (r RosterWays, ok bool) {
	r = RosterWays{Roster: c.Roster, Model: c.Model, Arbiter: arbiter}
	for _, p := range parties {
		ok = ok || p.Way != nil
		p.Role, p.Seed = "", nil // of each session
		r.Agents = append(r.Agents, p)
	}
	return r, ok
}

// Unpriced lists the models of a loop, or of one cell's roster and model, that have no price.
func (s *State) Unpriced(c *Cell, prices func([]flow.Party) flow.Prices) []string {
	var all []string
	for _, r := range s.Ways {
		if c != nil && (r.Roster != c.Roster || r.Model != c.Model) {
			continue
		}
		parties := flow.WithArbiter(r.Agents, r.Arbiter)
		for _, name := range prices(parties).Unpriced(parties) {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// Moved returns the ways after moving each party, and reports whether move changed any.
func Moved(ways []RosterWays, move func(*flow.Party) bool) (moved []RosterWays, changed bool) {
	for _, w := range ways {
		w.Agents = slices.Clone(w.Agents)
		for i := range w.Agents {
			changed = move(&w.Agents[i]) || changed
		}
		if w.Arbiter != nil {
			arbiter := *w.Arbiter
			changed = move(&arbiter) || changed
			w.Arbiter = &arbiter
		}
		moved = append(moved, w)
	}
	return moved, changed
}
