package merge_test

import (
	"slices"
	"testing"

	"brenner/artifact"
	"brenner/merge"
	"brenner/roster"
)

// A new version records its roster, and the program and model of each contributor; without
// them the earlier values stay.
func TestMetadataRecordsContributors(t *testing.T) {
	add := func(id string) string {
		return `{"delta_id":"` + id + `","timestamp":"2025-12-30T12:00:00Z","agent":"Blue","operation":"ADD","section":"assumption_ledger","payload":{"statement":"` + id + `"}}`
	}
	seats := artifact.MapOf(artifact.Entry{Key: "mode", Value: artifact.Text("unified")})
	rules := merge.Rules{Agents: []roster.Entry{{Agent: "Blue", Program: "codex-cli"}}, Unified: true, Roster: seats}
	first, _ := merge.Merge(artifact.Artifact{}, read(t, add("d1")), rules)
	blue := artifact.Contributor{Agent: "Blue", Program: "codex-cli", ContributedAt: "2025-12-30T12:00:00Z"}
	if m := first.Metadata; !artifact.Equal(m.Roster, seats) || !slices.Equal(m.Contributors, []artifact.Contributor{blue}) {
		t.Errorf("%+v", m)
	}
	second, _ := merge.Merge(first, read(t, add("d2")), merge.Rules{})
	if m := second.Metadata; !artifact.Equal(m.Roster, seats) || !slices.Equal(m.Contributors, []artifact.Contributor{blue}) {
		t.Errorf("%+v", m)
	}
	rules.Agents[0] = roster.Entry{Agent: "Blue", Model: "GPT-5.2"}
	third, _ := merge.Merge(second, read(t, add("d3")), rules)
	blue.Program, blue.Model = "", "GPT-5.2"
	if m := third.Metadata; !slices.Equal(m.Contributors, []artifact.Contributor{blue}) {
		t.Errorf("%+v", m)
	}
}

// Entries of a file that are not deltas have rows, and unknown keys have warnings.
func TestRowsForInvalidEntries(t *testing.T) {
	batch := read(t,
		`{"delta_id":"d1","timestamp":"2025-12-30T12:00:00Z","agent":"Blue","operation":"ADD","section":"assumption_ledger","payload":"s"}`,
		`{"delta_id":"d2","timestamp":"2025-12-30T12:00:00Z","agent":" ","operation":"ADD","section":"assumption_ledger","payload":{"statement":"s"}}`,
		`{"delta_id":"d3","timestamp":"2025-12-30T12:00:00Z","agent":"Blue","operation":"ADD","section":"assumption_ledger","payload":{"statement":"s"},"confidence":1}`,
		`7`)
	_, report := merge.Merge(artifact.Artifact{}, batch, merge.Rules{})
	got := make(map[string]string)
	for _, row := range report.Deltas {
		got[row.DeltaID] = row.Disposition.String() + " " + string(row.Code) + " " + row.Message
	}
	for id, want := range map[string]string{
		"d1": "rejected INVALID_FIELD payload is not an object",
		"d2": "rejected MISSING_REQUIRED_FIELD the delta names no agent",
		"d3": "applied  added as A1",
	} {
		if got[id] != want {
			t.Errorf("%s: got %q", id, got[id])
		}
		delete(got, id)
	}
	for id, said := range got {
		if said != "rejected INVALID_JSON not an object, so not a delta" {
			t.Errorf("%s: got %q", id, said)
		}
	}
	if w := report.Warnings[0]; len(got) != 1 || w.Code != merge.SystemFieldIgnored || w.Message != "d3 of Blue: a delta has no key confidence; ignored" {
		t.Errorf("got %v, %+v", got, report.Warnings)
	}
}
