package session

import (
	"strconv"
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/internal/text"
)

// BadAddress is the code of a text that names nothing in a session.
const BadAddress fault.Code = "BAD_ADDRESS"

// Address names a version, an item or a field of a session: RS-…@v5#H2.claim.
// Missing parts are zero: the newest version, the whole artifact.
type Address struct {
	Thread  string
	Version int
	Item    string
	Field   string // "claim", or "predictions.H2" for a cell
}

// ParseAddress reads an address.
func ParseAddress(text string) (Address, error) {
	var a Address
	head, place, hasPlace := strings.Cut(text, "#")
	thread, version, hasVersion := strings.Cut(head, "@")
	a.Thread = thread
	if hasVersion {
		n, err := strconv.Atoi(strings.TrimPrefix(version, "v"))
		if err != nil || n < 1 {
			return a, badAddress(text, "there is no version "+fault.Shown(version))
		}
		a.Version = n
	}
	if hasPlace {
		a.Item, a.Field, _ = strings.Cut(place, ".")
		if _, ok := artifact.SectionOfID(a.Item); !ok {
			return a, badAddress(text, fault.Shown(a.Item)+" is no item's id")
		}
	}
	if thread == "" {
		return a, badAddress(text, "it names no session")
	}
	return a, nil
}

func badAddress(text, detail string) error {
	return &fault.Error{
		Code: BadAddress, Place: fault.Shown(text), Detail: detail,
		Hint: "an address is RS-20261115-name, RS-…@v5, RS-…@v5#H2 or RS-…@v5#H2.claim",
	}
}

// MarshalText writes an address as its text.
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

// ResolveCommand is the command that decides a conflict. The keys of maps are what
// agents wrote: where a place cannot be shown in a command to be copied, it is the
// one that lists the conflicts.
func ResolveCommand(thread, place string, rest ...string) string {
	const resolve = "brenner session resolve "
	if words, ok := text.ShellCommand(append([]string{thread, place}, rest...)...); ok {
		return resolve + words
	}
	return resolve + thread
}
