package settle_test

import (
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/artifact/delta"
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

// The operator is an authority unless an agent of the roster has that name, however it is written.
func TestByHandOperator(t *testing.T) {
	value, err := artifact.ParseValue([]byte(`[{"agentName":"BlueLake","role":"hypothesis_generator"},{"agentName":"GreenValley","role":"adversarial_critic"}]`), 8)
	if err != nil {
		t.Fatal(err)
	}
	base, _ := merge.Merge(artifact.Artifact{}, []delta.Delta{byHand("d1", "BlueLake", "ADD", "")}, merge.Rules{Version: merge.Second})
	base.Metadata.Roster = value
	for name, author := range map[string]string{"Dana ": "Dana", " Dana": "Dana", "greenvalley": "GreenValley", "GreenValley ": "GreenValley"} {
		in := settle.ByHand{Base: base, Operator: name, Deltas: []delta.Delta{byHand("d2", author, "EDIT", "H1")}}
		_, report, _, _ := in.Merge(merge.Rules{Version: merge.Second, Scopes: merge.Scopes{}}, nil)
		if row := report.Deltas[0]; (row.Disposition == merge.Applied) != (author == "Dana") {
			t.Errorf("operator %q: %+v", name, row)
		}
		in.Deltas = []delta.Delta{byHand("d2", strings.TrimSpace(name), "EDIT", "H1")}
		if _, report, _, _ = in.Merge(merge.Rules{Version: merge.Second}, nil); author != "Dana" && report.Deltas[0].Disposition == merge.Applied {
			t.Errorf("operator %q: %+v", name, report.Deltas[0])
		}
	}
}

func byHand(id, agent, operation, target string) delta.Delta {
	d := delta.Delta{
		ID: id, Agent: agent, Timestamp: "2026-01-01T00:00:00Z", Operation: operation, Section: "hypothesis_slate", Target: target,
		Payload: delta.Payload{{Name: "claim", Value: artifact.Text(id)}},
	}
	d.Settle()
	d.Seal()
	return d
}
