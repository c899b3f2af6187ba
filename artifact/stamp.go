package artifact

import (
	"crypto/sha256"
	"errors"
	"strings"
	"time"
)

// Stamp says which delta wrote something: who, when, with what right, and in
// which version it was merged. One Stamp is shared by all that its delta wrote,
// and is never changed.
type Stamp struct {
	Delta   string
	Agent   string
	At      time.Time // UTC; zero where the delta's timestamp could not be read
	Rank    int       // higher wins at one instant; 0 for agents without a priority
	Version int       // the version this delta was merged into
	Message int       // order of its message in the thread, from 1; 0 for delta files
	Block   int       // place of its block in that message, from 1
	Hash    [sha256.Size]byte
}

// Marks are the stamps behind one field. They stand beside the value so that
// readers of content need not know of them.
type Marks struct {
	// One is the one writer of all of it, where there is only one.
	One *Stamp
	// Parts are the writers of a field that has several; nil for all others,
	// which are nearly all there are.
	Parts *Parts
}

// Parts are the several stamps behind one field.
type Parts struct {
	// By are the writers of a scalar: those who wrote the same at one
	// instant, or one for each candidate of a Conflict. Lists and maps have
	// their writers part by part instead.
	By []*Stamp
	// Floor is the newest replacement of the whole, or several of equal
	// right: older additions lose to it.
	Floor []*Stamp
	// Each are the writers of each element of a list, or each key of a map.
	Each [][]*Stamp
}

// MarksOf gives the marks of something that was written as a whole.
func MarksOf(by []*Stamp) Marks {
	switch len(by) {
	case 0:
		return Marks{}
	case 1:
		return Marks{One: by[0]}
	}
	return Marks{Parts: &Parts{By: by}}
}

// By gives the writers of something that was written as a whole.
func (m *Marks) By() []*Stamp {
	switch {
	case m.One != nil:
		return []*Stamp{m.One}
	case m.Parts != nil:
		return m.Parts.By
	}
	return nil
}

// Part gives the writers of the element or key at i; whole is what By gives.
func (m *Marks) Part(i int, whole []*Stamp) []*Stamp {
	switch {
	case m.Parts == nil:
		return whole
	case i < len(m.Parts.Each):
		return m.Parts.Each[i]
	}
	return nil
}

// Floor gives the newest replacements of the whole.
func (m *Marks) Floor() []*Stamp {
	if m.Parts == nil {
		return nil
	}
	return m.Parts.Floor
}

var errNotRFC3339 = errors.New("not an RFC 3339 timestamp with at most nanoseconds, such as 2025-12-30T12:00:00Z")

// ParseInstant reads an RFC 3339 timestamp with any offset and at most nine
// digits of a second, and gives it in UTC.
func ParseInstant(text string) (time.Time, error) {
	if len(text) > len("2006-01-02T15:04:05.999999999+00:00") {
		return time.Time{}, errNotRFC3339
	}
	if _, fraction, ok := strings.Cut(text, "."); ok && strings.IndexAny(fraction, "Zz+-") > 9 {
		return time.Time{}, errNotRFC3339 // finer than nanoseconds
	}
	var t time.Time
	if err := t.UnmarshalText(upperTZ(text)); err != nil || !clockForm(text) {
		return time.Time{}, errNotRFC3339
	}
	u := t.UTC()
	if y := u.Year(); y < 1 || y > 9999 {
		return time.Time{}, errNotRFC3339 // could not be written again
	}
	return u, nil
}

// clockForm looks at what the standard library lets pass for now: hours of one digit,
// a comma before the fraction, offsets that no clock shows. An instant must not be
// read differently by the next release of Go.
func clockForm(text string) bool {
	if text[len("2006-01-02T15")] != ':' || strings.Contains(text, ",") {
		return false
	}
	if last := text[len(text)-1]; last == 'Z' || last == 'z' {
		return true
	}
	hours, minutes, _ := strings.Cut(text[len(text)-len("07:00"):], ":")
	return hours < "24" && minutes < "60"
}

// upperTZ allows for t and z in lower case, as RFC 3339 does.
func upperTZ(text string) []byte {
	b := []byte(text)
	for i, c := range b {
		if c == 't' || c == 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return b
}

// FormatInstant writes t in the one form that artifacts use.
func FormatInstant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
