package itemform

import (
	"slices"
	"strings"
	"testing"
)

// Each form of changes is looked for once in a line, however many ids it has.
func TestFormsAreSoughtOncePerLine(t *testing.T) {
	const many = 1000
	forms, calls := notations, [len(notations)]int{}
	defer func() { notations = forms }()
	for i := range notations {
		notations[i] = func(line []byte) []Attempt {
			calls[i]++
			return forms[i](line)
		}
	}
	for unit, want := range map[string][len(notations)]int{
		"I kill H2 ": {}, "~~H2~~ ": {}, "H2.claim so ": {1}, `x("H2") `: {0, 1}, "❌ H2 ": {0, 0, 1}, "löschen H2 ": {0, 0, 0, 1},
		"H2.claim\n": {many}, "so H2 is\n": {}, "❌ H2\n": {0, 0, many},
	} {
		calls = [len(notations)]int{}
		if inLines([]byte(strings.Repeat(unit, many))); !slices.Equal(calls[:], want[:]) {
			t.Errorf("%q: forms were looked for %v times, want %v", unit, calls, want)
		}
	}
}
