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

// Roles gives the canonical roles that somebody has, in the specification's
// order and each once: what a quorum "of each role" counts over.
func (r Roster) Roles() []Role {
	var roles []Role
	for _, role := range AllRoles() {
		if slices.ContainsFunc(r.Entries, func(e Entry) bool { return e.Role == role }) {
			roles = append(roles, role)
		}
	}
	return roles
}

// WithRole gives the agents of a role in the roster's order.
func (r Roster) WithRole(role Role) []string {
	var agents []string
	for _, e := range r.Entries {
		if e.Role == role {
			agents = append(agents, e.Agent)
		}
	}
	return agents
}
