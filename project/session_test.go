package project

import (
	"testing"
)

// Only a quorum that is a number can be too large.
func TestUnreachable(t *testing.T) {
	for quorum, want := range map[string]string{
		"role": "", "all": "", "2": "", "3": "a quorum of 3 replies can never be reached: the roster has 2 agents", "3x": "",
	} {
		if got, _ := unreachable(quorum, "the roster", 2); got != want {
			t.Errorf("%s: got %q, want %q", quorum, got, want)
		}
	}
}
