package stalemate

import (
	"strings"
	"testing"
)

// What an agent writes goes into the id of its case. One of 32 bits is found in minutes:
// a patch that gives the id of another's case would hide that.
func TestIDsAreTooLongToBeHit(t *testing.T) {
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
