package roster

import "slices"

// Entry gives one agent its role. Empty optional fields are missing ones.
type Entry struct {
	Agent   string // "agentName" in JSON; names compare exactly
	Role    Role
	Program string
	Model   string // human-readable: what it means at an endpoint is configuration
	Notes   string
}

// Roster is who takes part in a session.
type Roster struct {
	Entries   []Entry
	Mode      Mode // empty means RoleSeparated
	Name      string
	CreatedAt string // ISO 8601, kept as it was written
}

// Find gives the entry of an agent.
func (r Roster) Find(agent string) (Entry, bool) {
	i := slices.IndexFunc(r.Entries, func(e Entry) bool { return e.Agent == agent })
	if i < 0 {
		return Entry{}, false
	}
	return r.Entries[i], true
}

// Agents gives the agents in the roster's order.
func (r Roster) Agents() []string {
	agents := make([]string, len(r.Entries))
	for i, e := range r.Entries {
		agents[i] = e.Agent
	}
	return agents
}
