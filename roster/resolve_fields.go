package roster

import (
	"fmt"
	"slices"
	"strings"

	"brenner/internal/fault"
)

// bindLoose assigns the entries of variables such as BRENNER_ROSTER_AGENT_BLUELAKE to a recipient:
// the one of exactly that name, else the one that differs only in case.
func (r *resolver) bindLoose() {
	agents := r.agents()
	if len(agents) == 0 {
		return // already reported
	}
	exact := setOf(agents)
	own := r.exactVariables(exact)
	for i, l := range r.layers {
		if !l.Loose {
			continue
		}
		var bound []Entry
		for _, e := range l.Entries {
			if blank(e.Agent) {
				continue
			}
			if !exact[e.Agent] {
				name, ok := r.withoutCase(l.Origin, e.Agent, agents)
				if !ok {
					continue
				}
				if own[name] {
					continue // the exact name takes precedence
				}
				e.Agent = name
			}
			bound = append(bound, e)
		}
		r.layers[i].Entries = bound
	}
}

func (r *resolver) exactVariables(agents map[string]bool) map[string]bool {
	own := make(map[string]bool)
	for _, l := range r.layers {
		for _, e := range l.Entries {
			if l.Loose && agents[e.Agent] {
				own[e.Agent] = true
			}
		}
	}
	return own
}

func (r *resolver) agents() []string {
	agents := make([]string, len(r.recipients))
	for i, rec := range r.recipients {
		agents[i] = rec.agent
	}
	return agents
}

func (r *resolver) withoutCase(origin Origin, name string, agents []string) (string, bool) {
	var same []string
	for _, a := range agents {
		if strings.EqualFold(a, name) {
			same = append(same, a)
		}
	}
	switch len(same) {
	case 1:
		return same[0], true
	case 0:
		r.warn(Warning{
			Code: UnmatchedVariable, Place: origin.String(),
			Message: fmt.Sprintf("no recipient named %s; variable ignored", fault.Shown(name)),
			Hint:    didYouMean(name, agents) + "recipients: " + joinWords(agents),
		})
	default:
		r.found.add(AmbiguousVariable, origin.String(), "use the exact name in the variable",
			"%s could be %s", fault.Shown(name), joinWords(same))
	}
	return "", false
}

// checkTwoRoles reports agents that have different roles in different layers of one level.
func (r *resolver) checkTwoRoles() {
	type said struct {
		role  Role
		layer int
	}
	type key struct {
		level Level
		agent string
	}
	first := map[key]said{}
	for i, l := range r.layers {
		for _, e := range l.Entries {
			if e.Role == "" {
				continue
			}
			k := key{l.Origin.Level, e.Agent}
			before, seen := first[k]
			if !seen {
				first[k] = said{e.Role, i}
				continue
			}
			if before.layer != i && before.role != e.Role {
				r.found.add(TwoRoles, l.Origin.Level.String(), "remove one: an agent has one role",
					"Two roles for %s: %s (%s) and %s (%s)", fault.Shown(e.Agent),
					fault.Shown(string(before.role)), fault.Shown(r.layers[before.layer].Origin.Source), fault.Shown(string(e.Role)), fault.Shown(l.Origin.Source))
			}
		}
	}
}

// checkOverrides reports overrides of agents that do not take part.
func (r *resolver) checkOverrides() {
	agents := r.agents()
	if len(agents) == 0 {
		return // already reported
	}
	exact := setOf(agents)
	for _, l := range r.layers {
		for _, e := range l.Entries {
			if l.Override && !blank(e.Agent) && !exact[e.Agent] {
				r.found.add(MissingEntry, l.Origin.String(), didYouMean(e.Agent, agents)+"agents: "+joinWords(agents)+"; name others with --to NAME --role ROLE",
					"%s does not take part", fault.Shown(e.Agent))
			}
		}
	}
}

// presetEntries returns for each recipient the index of its entry in the preset, or -1: the
// entry of its placeholder name, else the next one that no recipient has by name.
func (r *resolver) presetEntries() []int {
	at := make([]int, len(r.recipients))
	if r.preset == nil {
		for i := range at {
			at[i] = -1
		}
		return at
	}
	taken := make([]bool, len(r.preset.Entries))
	for i, rec := range r.recipients {
		at[i] = slices.Index(r.preset.PlaceholderNames, rec.agent)
		if at[i] >= len(taken) {
			at[i] = -1
		}
		if at[i] >= 0 {
			taken[at[i]] = true
		}
	}
	for i := range at {
		if at[i] < 0 {
			if at[i] = slices.Index(taken, false); at[i] >= 0 {
				taken[at[i]] = true
			}
		}
	}
	return at
}

func (r *resolver) fill() {
	index := make([]map[string]int, len(r.layers)) // by layer: agent → its entry
	for i, l := range r.layers {
		index[i] = make(map[string]int, len(l.Entries))
		for j, e := range l.Entries {
			if _, seen := index[i][e.Agent]; !seen {
				index[i][e.Agent] = j
			}
		}
	}
	preset := r.presetEntries()
	for i, rec := range r.recipients {
		entry, origin := Entry{Agent: rec.agent}, EntryOrigin{Agent: rec.origin}
		found := false
		for k, l := range r.layers {
			if j, ok := index[k][rec.agent]; ok {
				found = true
				origin.take(&entry, l.Entries[j], l.Origin)
			}
		}
		if preset[i] >= 0 {
			found = true
			origin.take(&entry, r.preset.Entries[preset[i]], presetOrigin(*r.preset))
		}
		r.guess(&entry, &origin)
		r.checkEntry(entry, origin, found)
		r.out.Roster.Entries = append(r.out.Roster.Entries, entry)
		r.out.Origins = append(r.out.Origins, origin)
	}
}

// take sets the fields that are still missing.
func (o *EntryOrigin) take(entry *Entry, from Entry, origin Origin) {
	take(&entry.Role, &o.Role, from.Role, origin)
	take(&entry.Program, &o.Program, from.Program, origin)
	take(&entry.Model, &o.Model, from.Model, origin)
	take(&entry.Notes, &o.Notes, from.Notes, origin)
}

// guess derives a missing role from the agent's name in heuristic mode.
func (r *resolver) guess(entry *Entry, origin *EntryOrigin) {
	if r.out.Roster.Mode != Heuristic || entry.Role != "" {
		return
	}
	role, word, ok := HeuristicRole(entry.Agent)
	if !ok {
		r.found.noGuess(entry.Agent)
		return
	}
	take(&entry.Role, &origin.Role, role, Origin{Level: FromName, Source: "the name contains " + word})
}

// checkEntry reports a recipient without an entry (rule 3) or a role. Invalid roles in layers were
// already reported; those of a preset were not.
func (r *resolver) checkEntry(entry Entry, origin EntryOrigin, found bool) {
	const hint = "set its role with --to NAME --role ROLE or --agent-role NAME=ROLE, add it to the roster, or choose a --preset"
	switch {
	case r.out.Roster.Mode == Heuristic && entry.Role == "":
	case !found && entry.Role == "":
		r.found.missingEntry(entry.Agent, r.agentsWithEntries(), hint)
	case entry.Role == "":
		r.found.invalidRole(origin.Agent.String(), entry.Agent, "")
	case origin.Role.Level == FromPreset && !entry.Role.Valid():
		r.found.invalidRole(origin.Role.String(), entry.Agent, entry.Role)
	}
}

func (r *resolver) agentsWithEntries() []string {
	var agents recipientList
	for _, l := range r.layers {
		agents.add(l.Origin, Roster{Entries: l.Entries}.Agents()...)
	}
	names := make([]string, len(agents.list))
	for i, a := range agents.list {
		names[i] = a.agent
	}
	return names
}

func (r *resolver) listUnused() {
	takesPart := setOf(r.agents())
	var others recipientList
	for _, l := range r.layers {
		for _, e := range l.Entries {
			if !takesPart[e.Agent] {
				others.add(l.Origin, e.Agent)
			}
		}
	}
	for _, o := range others.list {
		r.out.Unused = append(r.out.Unused, Unused{Agent: o.agent, Origin: o.origin})
	}
}
