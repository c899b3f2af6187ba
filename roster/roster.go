// Package roster determines who takes part in a session, and in which role.
//
// It implements the five rules of the roster specification and reports all errors together. The same
// layers always resolve to the same roster, with the origin of every field. Its Markdown block
// round-trips, and no agent's name can forge one.
//
// It must not know where layers come from (files, flags, the real environment), how an agent is
// reached, what a role's prompt says, or what a role may write. It has no clock, no I/O, and
// guesses only on request.
package roster

import (
	"fmt"
	"slices"
	"strings"

	"brenner/internal/fault"
	"brenner/internal/text"
)

// Entry assigns a role to one agent. Empty optional fields are missing.
type Entry struct {
	Agent   string // "agentName" in JSON; names compare exactly
	Role    Role
	Program string
	Model   string // human-readable; the configuration maps it to an endpoint
	Notes   string
}

// Roster lists who takes part in a session.
type Roster struct {
	Entries   []Entry
	Mode      Mode // empty means RoleSeparated
	Name      string
	CreatedAt string // ISO 8601, as written
}

// Find returns the entry of an agent.
func (r Roster) Find(agent string) (Entry, bool) {
	i := slices.IndexFunc(r.Entries, func(e Entry) bool { return e.Agent == agent })
	if i < 0 {
		return Entry{}, false
	}
	return r.Entries[i], true
}

// OwnOrder is the priority that stands for the order of the roster.
const OwnOrder = "roster"

// Priority returns the agents of a priority list, highest first. The word OwnOrder instead of a list
// stands for the order of the roster.
func (r Roster) Priority(list []string) []string {
	if slices.Equal(list, []string{OwnOrder}) {
		return r.Agents()
	}
	return list
}

// Agents returns the agents in the roster's order.
func (r Roster) Agents() []string {
	agents := make([]string, len(r.Entries))
	for i, e := range r.Entries {
		agents[i] = e.Agent
	}
	return agents
}

// Role is an agent's role in a session. A Role from outside may be any string until it is validated.
type Role string

// The three canonical roles.
const (
	HypothesisGenerator Role = "hypothesis_generator"
	TestDesigner        Role = "test_designer"
	AdversarialCritic   Role = "adversarial_critic"
)

// AllRoles returns the canonical roles in the specification's order.
func AllRoles() []Role { return []Role{HypothesisGenerator, TestDesigner, AdversarialCritic} }

// Valid reports whether r is a canonical role, written exactly.
func (r Role) Valid() bool { return slices.Contains(AllRoles(), r) }

// Mode is how a roster is turned into prompts. The empty Mode is the default.
type Mode string

// The modes. Heuristic is deprecated: it guesses roles from names.
const (
	RoleSeparated Mode = "role_separated"
	Unified       Mode = "unified"
	Heuristic     Mode = "heuristic"
)

// AllModes returns the modes, the default first and the deprecated one last.
func AllModes() []Mode { return []Mode{RoleSeparated, Unified, Heuristic} }

// Valid reports whether m is a mode. The empty mode is valid.
func (m Mode) Valid() bool { return slices.Contains(AllModes(), m.OrDefault()) }

// OrDefault returns RoleSeparated for the empty mode, and m otherwise.
func (m Mode) OrDefault() Mode {
	if m == "" {
		return RoleSeparated
	}
	return m
}

// HeuristicRole guesses a role from a name, as sessions without a roster used to: the first listed
// word that the name contains, in any case, decides. The word is returned to explain the guess.
func HeuristicRole(agent string) (role Role, word string, ok bool) {
	lower := strings.ToLower(agent)
	for _, guess := range []struct {
		word string
		role Role
	}{
		{"codex", HypothesisGenerator},
		{"gpt", HypothesisGenerator},
		{"opus", TestDesigner},
		{"claude", TestDesigner},
		{"gemini", AdversarialCritic},
	} {
		if strings.Contains(lower, guess.word) {
			return guess.role, guess.word, true
		}
	}
	return "", "", false
}

func blank(name string) bool { return strings.TrimSpace(name) == "" }

// Validate checks a roster by itself and reports every error: no agent twice (rule 1; rule 2, a
// role twice, is allowed), canonical roles only (rule 5), at least one entry, no blank name, a
// known mode. In the deprecated heuristic mode the roster may be empty and roles may be missing.
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

// Covers checks that every recipient has an entry (rule 3). Further entries are allowed (rule 4).
// In heuristic mode a recipient without an entry is covered if a role can be guessed from its name.
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

// rosterHint is the hint for a recipient without an entry.
const rosterHint = "add an entry for it to the roster, or remove it from the recipients"

func (f *faults) missingEntry(recipient string, agents []string, hint string) {
	if near, ok := text.Nearest(recipient, agents); ok {
		hint = fmt.Sprintf("did you mean %s? names compare exactly; else %s", fault.Shown(near), hint)
	}
	f.add(MissingEntry, "", hint, "Missing roster entry for recipient: %s", fault.Shown(recipient))
}

func (f *faults) noGuess(agent string) {
	f.add(NoGuess, "",
		"heuristic mode looks for Codex or GPT, Opus or Claude, and Gemini in the name; set this agent's role instead",
		"no role can be guessed from the name of %s", fault.Shown(agent))
}

func (f *faults) invalidRole(place, agent string, role Role) {
	shown := fault.Shown(string(role))
	if role == "" {
		shown = "missing"
	}
	f.add(InvalidRole, place, didYouMean(role, AllRoles())+"roles: "+joinWords(AllRoles()),
		"Invalid role for %s: %s", fault.Shown(agent), shown)
}

func (f *faults) invalidMode(place string, mode Mode) {
	f.add(InvalidMode, place, didYouMean(mode, AllModes())+"modes: role_separated, unified and (deprecated) heuristic",
		"Invalid roster mode: %s", fault.Shown(string(mode)))
}

func (f *faults) emptyRoster(place string) {
	f.add(EmptyRoster, place, "name agents with --to and --role, pass --roster, or choose a preset with --preset default-3-agent",
		"Empty roster: at least one entry required")
}

func (f *faults) checkAgents(place string, agents []string) {
	first := make(map[string]int, len(agents))
	for i, agent := range agents {
		if blank(agent) {
			f.add(BlankAgent, place, "set every agent's Agent Mail name, such as BlueLake",
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

// The codes for invalid rosters.
const (
	DuplicateAgent    fault.Code = "ROSTER_DUPLICATE_AGENT"    // Duplicate agent in the roster.
	InvalidRole       fault.Code = "ROSTER_INVALID_ROLE"       // Unknown role.
	MissingEntry      fault.Code = "ROSTER_MISSING_ENTRY"      // A recipient has no roster entry.
	EmptyRoster       fault.Code = "ROSTER_EMPTY"              // The roster is empty.
	BlankAgent        fault.Code = "ROSTER_BLANK_AGENT"        // An agent's name is empty.
	InvalidMode       fault.Code = "ROSTER_INVALID_MODE"       // Unknown roster mode.
	TwoRoles          fault.Code = "ROSTER_TWO_ROLES"          // One layer assigns two roles to an agent.
	WrongType         fault.Code = "ROSTER_WRONG_TYPE"         // A value in the roster's JSON has the wrong type.
	NoGuess           fault.Code = "ROSTER_NO_GUESS"           // Heuristic mode found no role in the agent's name.
	NoRecipients      fault.Code = "ROSTER_NOBODY_NAMED"       // No recipients.
	AmbiguousVariable fault.Code = "ROSTER_AMBIGUOUS_VARIABLE" // An environment variable matches several agents when case is ignored.
	BadVariable       fault.Code = "ROSTER_BAD_VARIABLE"       // A roster variable names no agent, or contradicts another variable.
	NoBlock           fault.Code = "ROSTER_NO_BLOCK"           // The message has no session configuration.
	BadBlock          fault.Code = "ROSTER_BAD_BLOCK"          // The session configuration in a message is damaged.
	UnknownPreset     fault.Code = "UNKNOWN_PRESET"            // Unknown preset.
	TooManyAgents     fault.Code = "TOO_MANY_AGENTS"           // More agents are named than the preset has entries.
	BadPreset         fault.Code = "PRESET_INVALID"            // A preset in the project is invalid.
)

// The codes of warnings.
const (
	BadInstant          fault.Code = "ROSTER_BAD_INSTANT"          // Warning: the roster's `createdAt` is not ISO 8601; it is kept unchanged.
	UnknownKey          fault.Code = "ROSTER_UNKNOWN_KEY"          // Warning: an unknown roster key is ignored.
	UnknownVariable     fault.Code = "ROSTER_UNKNOWN_VARIABLE"     // Warning: an unknown roster variable is ignored.
	UnmatchedVariable   fault.Code = "ROSTER_UNMATCHED_VARIABLE"   // Warning: an environment variable names an agent that is not a recipient.
	PresetNoNames       fault.Code = "PRESET_WITHOUT_NAMES"        // Warning: no agents are named, and the preset has no placeholder names; it uses built-in ones.
	PresetReplaced      fault.Code = "ROSTER_PRESET_REPLACED"      // Warning: flags or entries name fewer agents than the requested preset has.
	NameResembles       fault.Code = "ROSTER_NAME_RESEMBLES"       // Warning: the name of an agent is almost a name of the preset.
	DefaultPresetUsed   fault.Code = "ROSTER_DEFAULT_PRESET"       // Warning: no agents and no preset given; the default preset is used.
	HeuristicDeprecated fault.Code = "ROSTER_HEURISTIC_DEPRECATED" // Warning: heuristic mode guesses roles from names and is deprecated.
)

// Warning is a problem that is not an error.
type Warning struct {
	Code    fault.Code
	Place   string // a layer, a key, a line, or empty
	Message string
	Hint    string
}

// faults collects errors, so that all are reported together.
type faults fault.List

func (f *faults) add(code fault.Code, place, hint, format string, args ...any) {
	(*fault.List)(f).Add(code, place, hint, format, args...)
}

func (f faults) err() error { return fault.List(f).Err() }

func joinWords[S ~string](words []S) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(fault.Shown(string(w)))
	}
	return b.String()
}

// didYouMean returns "did you mean X? " if a candidate is close, else "".
func didYouMean[S ~string](word S, candidates []S) string {
	near, ok := text.Nearest(string(word), candidates)
	if !ok {
		return ""
	}
	return "did you mean " + fault.Shown(near) + "? "
}
