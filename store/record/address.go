package record

import (
	"cmp"
	"strconv"
	"strings"

	"brenner/internal/fault"
)

// BadRef is the code for a text that is not a record address.
const BadRef fault.Code = "BAD_RECORD_ADDRESS" // Not a record address: `id`, `id@v3`, `id@canonical` or `id@latest`.

const latest = "latest"

// Address is a record address as users write it: an id or a prefix of one, and a version.
type Address struct {
	ID        string
	Version   int  // @v3; 0 if not given
	Canonical bool // @canonical
	Latest    bool // @latest
}

// HasVersion reports whether the address specifies a version.
func (a Address) HasVersion() bool { return a.Version > 0 || a.Canonical || a.Latest }

// ParseAddress reads id, id@v3, id@3, id@canonical or id@latest.
func ParseAddress(text string) (Address, error) {
	id, version, found := strings.Cut(text, "@")
	a := Address{ID: id}
	bad := func(detail string) (Address, error) {
		return Address{}, &fault.Error{
			Code: BadRef, Place: fault.Shown(text), Detail: detail,
			Hint: "write note-1, note-1@v3, note-1@canonical or note-1@latest; a unique prefix of the id suffices",
		}
	}
	switch {
	case id == "":
		return bad("no record given")
	case !found:
		return a, nil
	case version == latest:
		a.Latest = true
		return a, nil
	case version == Canonical:
		a.Canonical = true
		return a, nil
	}
	digits := strings.TrimPrefix(version, "v")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || strconv.Itoa(n) != digits {
		return bad("invalid version " + fault.Shown(version))
	}
	a.Version = n
	return a, nil
}

func (a Address) String() string {
	switch {
	case a.Canonical:
		return a.ID + "@" + Canonical
	case a.Latest:
		return a.ID + "@" + latest
	}
	return Ref{a.ID, a.Version}.String()
}

// CompareRefs orders refs by id and version.
func CompareRefs(a, b Ref) int {
	if c := cmp.Compare(a.ID, b.ID); c != 0 {
		return c
	}
	return cmp.Compare(a.Version, b.Version)
}
