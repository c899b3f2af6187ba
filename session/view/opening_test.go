package view_test

import (
	"testing"

	"brenner/internal/fault"
	"brenner/session/view"
)

func TestCheckOpening(t *testing.T) {
	for _, test := range []struct {
		bound, length int
		tooMuch       bool
	}{{5, 5, false}, {4, 5, true}, {0, view.DefaultCallTokens, false}, {-1, view.DefaultCallTokens + 1, true}} {
		err := view.CheckOpening("critic", test.bound, test.length)
		if test.tooMuch != (fault.CodeOf(err) == view.TooLarge) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}
