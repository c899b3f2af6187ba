package session

import (
	"strconv"
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/internal/text"
)

// BadAddress is the code of a malformed session address.
const BadAddress fault.Code = "BAD_ADDRESS" // Not the address of a session, version, item or field.

// Address names a version, an item or a field of a session: RS-…@v5#H2.claim. Zero parts mean
// the newest version and the whole artifact.
type Address struct {
	Thread  string
	Version int
	Item    string
	Field   string // "claim", or "predictions.H2" for a cell
}

// ParseAddress parses an address.
func ParseAddress(text string) (Address, error) {
	var a Address
	head, place, hasPlace := strings.Cut(text, "#")
	thread, version, hasVersion := strings.Cut(head, "@")
	a.Thread = thread
	if hasVersion {
		n, err := strconv.Atoi(strings.TrimPrefix(version, "v"))
		if err != nil || n < 1 {
			return a, badAddress(text, fault.Shown(version)+" is not a version")
		}
		a.Version = n
	}
	if hasPlace {
		a.Item, a.Field, _ = strings.Cut(place, ".")
		if _, ok := artifact.SectionOfID(a.Item); !ok {
			return a, badAddress(text, fault.Shown(a.Item)+" is not an item id")
		}
	}
	if thread == "" {
		return a, badAddress(text, "no session id")
	}
	return a, nil
}

func badAddress(text, detail string) error {
	return &fault.Error{
		Code: BadAddress, Place: fault.Shown(text), Detail: detail,
		Hint: "write RS-20261115-name, RS-…@v5, RS-…@v5#H2 or RS-…@v5#H2.claim",
	}
}

// MarshalText implements encoding.TextMarshaler.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

func (a Address) String() string {
	s := a.Thread
	if a.Version > 0 {
		s += "@v" + strconv.Itoa(a.Version)
	}
	if a.Item != "" {
		s += "#" + a.Item
	}
	if a.Field != "" {
		s += "." + a.Field
	}
	return s
}

// ResolveCommand returns the command that resolves a conflict. Map keys are agents' text: if
// the place cannot be quoted in a command, the command lists the conflicts instead.
func ResolveCommand(thread, place string, rest ...string) string {
	const resolve = "brenner session resolve "
	if words, ok := text.ShellCommand(append([]string{thread, place}, rest...)...); ok {
		return resolve + words
	}
	return resolve + thread
}
