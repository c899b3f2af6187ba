package fault

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// List collects faults, so that all are reported together.
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

// maxKept bounds the reported faults of one file: a file of another format would have
// thousands.
const maxKept = 20

// Bounded collects the faults of a hand-written file. It keeps the first and counts the rest.
type Bounded struct {
	Kept    List
	omitted int
	next    *Error // the first that is not kept
}

// Add adds a fault.
func (b *Bounded) Add(code Code, place, hint, format string, args ...any) {
	b.Take(&Error{Code: code, Place: place, Hint: hint, Detail: fmt.Sprintf(format, args...)})
}

// Take adds an existing fault.
func (b *Bounded) Take(e *Error) {
	if len(b.Kept) < maxKept {
		b.Kept = append(b.Kept, e)
		return
	}
	if b.omitted++; b.omitted == 1 {
		b.next = e
	}
}

// Len returns the number of faults, kept or not.
func (b *Bounded) Len() int { return len(b.Kept) + b.omitted }

// Err is List.Err with the number of further faults appended.
func (b *Bounded) Err() error {
	all := b.Kept[:len(b.Kept):len(b.Kept)]
	if b.omitted > 0 {
		first := *b.next
		first.Detail, first.Hint = fmt.Sprintf("%d more mistakes not shown; the next one is here", b.omitted), "fix the others first"
		all = append(all, &first)
	}
	return all.Err()
}

// longestShown is how many characters of external text a message repeats.
const longestShown = 100

// Shown returns external text for a message: shortened, and quoted if blank or deceptive.
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
