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

// Err gives nil, the one fault, or all of them joined; All takes them apart again.
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

// longestShown is how much of a text from outside a message repeats.
const longestShown = 100

// Shown gives a text from outside for a message: as it is where it can be read,
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
