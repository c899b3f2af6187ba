package roster

import (
	"fmt"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/text"
)

// blank tells a name that nobody could be meant by.
func blank(name string) bool { return strings.TrimSpace(name) == "" }

// Validate checks the rules a roster obeys on its own and says everything that
// is wrong: no agent twice (rule 1; rule 2, a role twice, is allowed), canonical
// roles only (rule 5), at least one entry, no blank name, a known mode. In
// heuristic mode, deprecated as it is, the roster may be empty and a role left
// out: that is what the mode is for.
func (r Roster) Validate() error {
	var found faults
	if !r.Mode.Valid() {
		found.invalidMode("", r.Mode)
	}
	if len(r.Entries) == 0 && r.Mode != Heuristic {
		found.emptyRoster("")
	}
	found.checkAgents("", r.Agents())
	for _, e := range r.Entries {
		if e.Role == "" && r.Mode == Heuristic {
			continue
		}
		if !e.Role.Valid() {
			found.invalidRole("", e.Agent, e.Role)
		}
	}
	return found.err()
}

// Covers checks that every recipient has an entry (rule 3). Entries beyond the
// recipients are allowed (rule 4). In heuristic mode a recipient without an
// entry is covered when a role can be guessed from its name.
func (r Roster) Covers(recipients []string) error {
	var found faults
	agents := r.Agents()
	known := setOf(agents)
	for _, recipient := range recipients {
		if known[recipient] {
			continue
		}
		if r.Mode != Heuristic {
			found.missingEntry(recipient, agents, rosterHint)
		} else if _, _, ok := HeuristicRole(recipient); !ok {
			found.noGuess(recipient)
		}
	}
	return found.err()
}

// rosterHint is what to do about a recipient where only a roster is known.
const rosterHint = "add an entry for it to the roster, or take it out of the recipients"

func (f *faults) missingEntry(recipient string, agents []string, hint string) {
	if near, ok := text.Nearest(recipient, agents); ok {
		hint = fmt.Sprintf("did you mean %s? names compare exactly; else %s", fault.Shown(near), hint)
	}
	f.add(MissingEntry, "", hint, "Missing roster entry for recipient: %s", fault.Shown(recipient))
}

func (f *faults) noGuess(agent string) {
	f.add(NoGuess, "",
		"heuristic mode looks for Codex or GPT, Opus or Claude, and Gemini in the name; give this agent a role instead",
		"no role can be guessed from the name of %s", fault.Shown(agent))
}

func (f *faults) invalidRole(place, agent string, role Role) {
	said := fault.Shown(string(role))
	if role == "" {
		said = "none is given"
	}
	f.add(InvalidRole, place, didYouMean(role, AllRoles())+"the roles are "+listed(AllRoles()),
		"Invalid role for %s: %s", fault.Shown(agent), said)
}

func (f *faults) invalidMode(place string, mode Mode) {
	f.add(InvalidMode, place, didYouMean(mode, AllModes())+"the modes are role_separated, unified and (deprecated) heuristic",
		"Invalid roster mode: %s", fault.Shown(string(mode)))
}

func (f *faults) emptyRoster(place string) {
	f.add(EmptyRoster, place, "name agents with --to and --role, give --roster, or choose a preset with --preset default-3-agent",
		"Empty roster: at least one entry required")
}

// checkAgents finds names that are blank or stand more than once.
func (f *faults) checkAgents(place string, agents []string) {
	first := make(map[string]int, len(agents))
	for i, agent := range agents {
		if blank(agent) {
			f.add(BlankAgent, place, "give every agent its Agent Mail name, such as BlueLake",
				"Blank agent name in roster: name %d", i+1)
			continue
		}
		if before, seen := first[agent]; seen {
			f.add(DuplicateAgent, place,
				fmt.Sprintf("names %d and %d are the same agent; an agent has one entry and one role, while a role may have many agents", before+1, i+1),
				"Duplicate agent in roster: %s", fault.Shown(agent))
			continue
		}
		first[agent] = i
	}
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}
