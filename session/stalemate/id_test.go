package stalemate

import (
	"strings"
	"testing"
)

// Text from agents is hashed into the id of a case. A collision with a short id could be found in
// minutes, and would hide another case.
func TestIDsResistCollisions(t *testing.T) {
	id := caseID(Retry, "memo@v1", "BlueLake", "a patch")
	if digits := strings.TrimPrefix(id, "ST-"); !IsID(id) || len(digits) < 16 {
		t.Errorf("%s has %d bits", id, 4*len(digits))
	}
	for _, no := range []string{"", "ST-", "ST-elevation", "ST-1a2b3c4d", "ST-1a2b3c4d5e6f708g", "ST-1A2B3C4D5E6F7081", "st-1a2b3c4d5e6f7081", "verdict-ST-1a2b3c4d5e6f7081"} {
		if IsID(no) {
			t.Errorf("%q", no)
		}
	}
}
