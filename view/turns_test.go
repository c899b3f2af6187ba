package view_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/fault"
	"brenner/view"
)

func TestTurnsKeepToTheBound(t *testing.T) {
	count := func(s string) int { return len(s) }
	for _, test := range []struct {
		bound   int
		answer  string
		want    string
		tooMuch bool
	}{
		{20, "answer", "answer", false},
		{10, "answer", "(your answer, of 6 characters, is left out: it does not fit)", false},
		{9, "", "", true},
		{0, strings.Repeat("x", 1000), strings.Repeat("x", 1000), false},
	} {
		got, err := view.Turns("critic", test.bound, count, "hello", test.answer, "again")
		if test.tooMuch != (fault.CodeOf(err) == view.TooLarge) || !test.tooMuch && got != test.want {
			t.Errorf("%+v: %q, %v", test, got, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		opening, answer, request := rapid.String().Draw(t, "opening"), rapid.String().Draw(t, "answer"), rapid.String().Draw(t, "request")
		bound := rapid.IntRange(70, 300).Draw(t, "bound")
		got, err := view.Turns("r", bound, count, opening, answer, request)
		if err == nil && got == answer && len(opening)+len(answer)+len(request) > bound {
			t.Fatal("over the bound")
		}
	})
}
