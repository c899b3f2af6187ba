package rehearsal

import (
	"brenner/internal/fault"
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
