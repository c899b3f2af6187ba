package fault

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// List collects faults, so that all are reported at once.
type List []*Error

// Add adds a fault.
func (l *List) Add(code Code, place, hint, format string, args ...any) {
	*l = append(*l, &Error{Code: code, Place: place, Hint: hint, Detail: fmt.Sprintf(format, args...)})
}

// Err returns nil, the only fault, or all of them joined; see All.
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

// mostTold bounds the reported faults of one file: a file of another format would have thousands.
const mostTold = 20

// Bounded collects the faults of a hand-written file. It keeps the first and counts the rest.
type Bounded struct {
	Told   List
	untold int
	next   *Error // the first that is not kept
}

// Add adds a fault.
func (b *Bounded) Add(code Code, place, hint, format string, args ...any) {
	b.Take(&Error{Code: code, Place: place, Hint: hint, Detail: fmt.Sprintf(format, args...)})
}

// Take adds an existing fault.
func (b *Bounded) Take(e *Error) {
	if len(b.Told) < mostTold {
		b.Told = append(b.Told, e)
		return
	}
	if b.untold++; b.untold == 1 {
		b.next = e
	}
}

// Len returns the number of faults, kept or not.
func (b *Bounded) Len() int { return len(b.Told) + b.untold }

// Err is List.Err with the number of further faults appended.
func (b *Bounded) Err() error {
	all := b.Told[:len(b.Told):len(b.Told)]
	if b.untold > 0 {
		first := *b.next
		first.Detail, first.Hint = fmt.Sprintf("%d more mistakes are not told, the first of them is here", b.untold), "mend the others first"
		all = append(all, &first)
	}
	return all.Err()
}

// longestShown is how many characters of an external text a message repeats.
const longestShown = 100

// Shown returns an external text for a message: shortened, and quoted if blank or deceptive.
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
