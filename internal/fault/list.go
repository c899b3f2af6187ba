package fault

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// List gathers faults, so that everything that is wrong is said at once.
type List []*Error

// Add puts a fault on the list.
func (l *List) Add(code Code, place, hint, format string, args ...any) {
	*l = append(*l, &Error{Code: code, Place: place, Hint: hint, Detail: fmt.Sprintf(format, args...)})
}

// Err returns nil, the one fault, or all of them joined; All takes them apart again.
func (l List) Err() error {
	switch len(l) {
	case 0:
		return nil
	case 1:
		return l[0]
	}
	all := make([]error, len(l))
	for i, e := range l {
		all[i] = e
	}
	return errors.Join(all...)
}

// mostTold bounds how many faults of one file are told: a file of another format would
// have thousands.
const mostTold = 20

// Bounded gathers the faults of a file that people write by hand. It keeps the first of
// many, and how many more there are. The zero value is empty.
type Bounded struct {
	Told   List
	untold int
	next   *Error // the first that is not told
}

// Add takes a fault.
func (b *Bounded) Add(code Code, place, hint, format string, args ...any) {
	b.Take(&Error{Code: code, Place: place, Hint: hint, Detail: fmt.Sprintf(format, args...)})
}

// Take takes a fault that was found elsewhere.
func (b *Bounded) Take(e *Error) {
	if len(b.Told) < mostTold {
		b.Told = append(b.Told, e)
		return
	}
	if b.untold++; b.untold == 1 {
		b.next = e
	}
}

// Len is how many there are, told or not.
func (b *Bounded) Len() int { return len(b.Told) + b.untold }

// Err returns what List.Err does, and at the end how many more there are.
func (b *Bounded) Err() error {
	all := b.Told[:len(b.Told):len(b.Told)]
	if b.untold > 0 {
		first := *b.next
		first.Detail, first.Hint = fmt.Sprintf("%d more mistakes are not told, the first of them is here", b.untold), "mend the others first"
		all = append(all, &first)
	}
	return all.Err()
}

// longestShown is how much of a text from outside a message repeats.
const longestShown = 100

// Shown returns a text from outside for a message: as it is where it can be read,
// quoted where it is blank or holds what could deceive a terminal, and never long.
func Shown(s string) string {
	clipped, n := s, 0
	for i := range s {
		if n == longestShown {
			clipped = s[:i] + "…"
			break
		}
		n++
	}
	if strings.TrimSpace(s) == "" || strings.ContainsFunc(clipped, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(clipped)
	}
	return clipped
}
