package config

import (
	"fmt"
	"strings"

	"brenner/fault"
)

// The codes of configurations that cannot be taken.
const (
	Unreadable   fault.Code = "CONFIG_UNREADABLE"
	InvalidYAML  fault.Code = "CONFIG_INVALID_YAML"
	DuplicateKey fault.Code = "CONFIG_DUPLICATE_KEY"
	UnknownKey   fault.Code = "CONFIG_UNKNOWN_KEY"
	WrongType    fault.Code = "CONFIG_WRONG_TYPE"
	InvalidValue fault.Code = "CONFIG_INVALID_VALUE"
)

// The codes of warnings.
const (
	UnknownVariable fault.Code = "CONFIG_UNKNOWN_VARIABLE"
	FileIgnored     fault.Code = "CONFIG_FILE_IGNORED"
)

// mostFaults bounds how many faults are told: nobody reads more, and a file that
// is none of ours would have thousands.
const mostFaults = 20

// faults gathers what is wrong, so that all of it is said at once.
type faults fault.List

func (f *faults) add(code fault.Code, place, hint, format string, args ...any) {
	f.take(&fault.Error{Code: code, Place: place, Hint: hint, Detail: fmt.Sprintf(format, args...)})
}

func (f *faults) take(one *fault.Error) {
	if len(*f) < mostFaults {
		*f = append(*f, one)
	}
}

func (f faults) any() bool { return len(f) > 0 }

// err gives nil, the one fault, or all of them joined.
func (f faults) err() error { return fault.List(f).Err() }

// listed gives "a, b and c".
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
