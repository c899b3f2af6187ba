package flow_test

import (
	"os"
	"regexp"
	"testing"

	"brenner/session/flow"
)

// The picture of a session is drawn by hand; its journal entries must exist.
func TestSessionPictureNamesExistingKinds(t *testing.T) {
	picture, err := os.ReadFile("../../docs/pictures/session.svg")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{
		flow.KindOpened: true, flow.KindPlanned: true, flow.KindBegan: true, flow.KindAnswered: true,
		flow.KindCommitted: true, flow.KindEnded: true,
	}
	drawn := regexp.MustCompile(`class="mono">([^<]*)<`).FindAllSubmatch(picture, -1)
	if len(drawn) != len(kinds) {
		t.Errorf("%d entries drawn, want %d", len(drawn), len(kinds))
	}
	for _, name := range drawn {
		if !kinds[string(name[1])] {
			t.Errorf("unknown entry %s", name[1])
		}
	}
}
