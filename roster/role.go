package roster

import (
	"slices"
	"strings"
)

// Role is what an agent does in a session. A Role read from outside may be any
// text until Validate has seen it; Valid tells.
type Role string

// The three canonical roles.
const (
	HypothesisGenerator Role = "hypothesis_generator"
	TestDesigner        Role = "test_designer"
	AdversarialCritic   Role = "adversarial_critic"
)

// AllRoles gives the canonical roles in the specification's order.
func AllRoles() []Role { return []Role{HypothesisGenerator, TestDesigner, AdversarialCritic} }

// Valid tells whether r is a canonical role, spelled exactly.
func (r Role) Valid() bool { return slices.Contains(AllRoles(), r) }

// Mode says how a roster is turned into prompts. The empty Mode is the default.
type Mode string

// The modes. Heuristic is deprecated: it guesses roles from names.
const (
	RoleSeparated Mode = "role_separated"
	Unified       Mode = "unified"
	Heuristic     Mode = "heuristic"
)

// AllModes gives the modes, the default first and the deprecated one last.
func AllModes() []Mode { return []Mode{RoleSeparated, Unified, Heuristic} }

// Valid tells whether m is a mode; the empty one is the default and valid.
func (m Mode) Valid() bool { return slices.Contains(AllModes(), m.OrDefault()) }

// OrDefault gives RoleSeparated for the empty mode, and m otherwise.
func (m Mode) OrDefault() Mode {
	if m == "" {
		return RoleSeparated
	}
	return m
}

// HeuristicRole guesses a role from a name as sessions without a roster used to:
// the first word of the list that the name contains, in any case, decides. The
// word is returned, so that the guess can be shown for what it is.
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
