package config

import (
	"strings"

	"brenner/internal/fault"
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

// listed gives "a, b and c".
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
