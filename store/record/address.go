package record

import (
	"cmp"
	"strconv"
	"strings"

	"brenner/internal/fault"
)

// BadRef is the code of a text that is no address of a record.
const BadRef fault.Code = "BAD_RECORD_ADDRESS"

// latest is what people write for the newest version.
const latest = "latest"

// Address is what people write for a record: an id or the beginning of one, and
// which version is meant.
type Address struct {
	ID        string
	Version   int  // @v3; 0 where it was not said
	Canonical bool // @canonical
	Latest    bool // @latest
}

// Said tells whether the address says which version is meant.
func (a Address) Said() bool { return a.Version > 0 || a.Canonical || a.Latest }

// ParseAddress reads id, id@v3, id@3, id@canonical or id@latest.
func ParseAddress(text string) (Address, error) {
	id, which, said := strings.Cut(text, "@")
	a := Address{ID: id}
	bad := func(detail string) (Address, error) {
		return Address{}, &fault.Error{
			Code: BadRef, Place: fault.Shown(text), Detail: detail,
			Hint: "an address is note-1, note-1@v3, note-1@canonical or note-1@latest; the id may be shortened while it is unique",
		}
	}
	switch {
	case id == "":
		return bad("it names no record")
	case !said:
		return a, nil
	case which == latest:
		a.Latest = true
		return a, nil
	case which == Canonical:
		a.Canonical = true
		return a, nil
	}
	digits := strings.TrimPrefix(which, "v")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || strconv.Itoa(n) != digits {
		return bad("there is no version " + fault.Shown(which))
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
