package settle_test

import (
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/merge"
	"brenner/merge/settle"
)

// A roster of another shape in the base is ignored, and a note says so.
func TestByHandNamesAnIgnoredRoster(t *testing.T) {
	entries := `[{"agentName":"BlueLake","role":"hypothesis_generator"}]`
	for roster, ignored := range map[string]bool{
		entries:                            false,
		`{"entries":` + entries + `}`:      false,
		`{"roster":` + entries + `}`:       true,
		`"BlackCastle, GreenDog"`:          true,
		`{"BlueLake":"test_designer"}`:     true,
		`"[{\"agentName\":\"BlueLake\"}]"`: true,
	} {
		value, err := artifact.ParseValue([]byte(roster), 8)
		if err != nil {
			t.Fatal(err)
		}
		in := settle.ByHand{Base: artifact.Artifact{Metadata: artifact.Metadata{Roster: value}}}
		_, _, notes, _ := in.Merge(merge.Rules{}, nil)
		if named := len(notes) == 1 && strings.Contains(notes[0].Text, "ignored"); named != ignored {
			t.Errorf("%s: %+v", roster, notes)
		}
	}
}
