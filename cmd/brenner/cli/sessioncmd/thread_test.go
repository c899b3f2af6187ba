package sessioncmd

import (
	"slices"
	"strings"
	"testing"

	"brenner/session/audit"
)

func TestThreadRowsAreSortedByAgent(t *testing.T) {
	s := audit.Thread{Names: make(map[string]string)}
	for name := range strings.SplitSeq("BlueLake RedSky GreenValley PurpleMountain GreyStone", " ") {
		s.Names[name] = name + "2"
	}
	var shown []string
	for _, row := range threadRows(&s)[1:] {
		shown = append(shown, row[1])
	}
	if len(shown) != 5 || !slices.IsSorted(shown) {
		t.Errorf("rows are not sorted: %q", shown)
	}
}
