package rehearsal

import (
	"fmt"

	"brenner/fault"
)

// The codes of scripts that cannot be played.
const (
	InvalidYAML  fault.Code = "SCRIPT_INVALID_YAML"
	UnknownKey   fault.Code = "SCRIPT_UNKNOWN_KEY"
	DuplicateKey fault.Code = "SCRIPT_DUPLICATE_KEY"
	WrongType    fault.Code = "SCRIPT_WRONG_TYPE"
	InvalidValue fault.Code = "SCRIPT_INVALID_VALUE"
	NoPart       fault.Code = "SCRIPT_NO_PART"
)

// mostFaults bounds how many faults are told: nobody reads more, and a file that
// is no script would have thousands.
const mostFaults = 20

func (r *reader) add(code fault.Code, line int, hint, format string, args ...any) {
	if len(r.found) < mostFaults {
		r.found.Add(code, fmt.Sprintf("line %d", max(line, 1)), hint, format, args...)
	}
}
