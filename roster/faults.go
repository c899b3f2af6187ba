package roster

import (
	"strings"

	"brenner/internal/fault"
)

// The codes of rosters that cannot be taken.
const (
	DuplicateAgent    fault.Code = "ROSTER_DUPLICATE_AGENT"
	InvalidRole       fault.Code = "ROSTER_INVALID_ROLE"
	MissingEntry      fault.Code = "ROSTER_MISSING_ENTRY"
	EmptyRoster       fault.Code = "ROSTER_EMPTY"
	BlankAgent        fault.Code = "ROSTER_BLANK_AGENT"
	InvalidMode       fault.Code = "ROSTER_INVALID_MODE"
	TwoRoles          fault.Code = "ROSTER_TWO_ROLES"
	WrongType         fault.Code = "ROSTER_WRONG_TYPE"
	NoGuess           fault.Code = "ROSTER_NO_GUESS"
	NobodyNamed       fault.Code = "ROSTER_NOBODY_NAMED"
	AmbiguousVariable fault.Code = "ROSTER_AMBIGUOUS_VARIABLE"
	BadVariable       fault.Code = "ROSTER_BAD_VARIABLE"
	NoBlock           fault.Code = "ROSTER_NO_BLOCK"
	BadBlock          fault.Code = "ROSTER_BAD_BLOCK"
	UnknownPreset     fault.Code = "UNKNOWN_PRESET"
	TooManyAgents     fault.Code = "TOO_MANY_AGENTS"
	PresetNoNames     fault.Code = "PRESET_WITHOUT_NAMES"
	BadPreset         fault.Code = "PRESET_INVALID"
)

// The codes of warnings.
const (
	BadInstant          fault.Code = "ROSTER_BAD_INSTANT"
	UnknownKey          fault.Code = "ROSTER_UNKNOWN_KEY"
	UnknownVariable     fault.Code = "ROSTER_UNKNOWN_VARIABLE"
	UnmatchedVariable   fault.Code = "ROSTER_UNMATCHED_VARIABLE"
	DefaultPresetUsed   fault.Code = "ROSTER_DEFAULT_PRESET"
	HeuristicDeprecated fault.Code = "ROSTER_HEURISTIC_DEPRECATED"
)

// Warning is something a person should know and that stops nothing.
type Warning struct {
	Code    fault.Code
	Place   string // where: a layer, a key, a line; or empty
	Message string
	Hint    string
}

// faults gathers what is wrong, so that all of it is said at once.
type faults fault.List

func (f *faults) add(code fault.Code, place, hint, format string, args ...any) {
	(*fault.List)(f).Add(code, place, hint, format, args...)
}

func (f faults) err() error { return fault.List(f).Err() }

// listed gives "a, b and c".
func listed[S ~string](words []S) string {
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
