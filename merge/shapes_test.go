package merge_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
)

// assumed returns an artifact with one assumption, A1.
func assumed(t rapid.TB) artifact.Artifact {
	t.Helper()
	return merged(t, artifact.Artifact{Metadata: artifact.Metadata{SessionID: "RS-20251230-shapes"}},
		`{"delta_id":"d0","timestamp":"2025-12-30T11:00:00Z","agent":"A","operation":"ADD","section":"assumption_ledger","payload":{"statement":"s"}}`)
}

func read(t rapid.TB, rows ...string) []delta.Delta {
	t.Helper()
	batch, err := delta.ReadFile([]byte("[" + strings.Join(rows, ",") + "]"))
	if err != nil {
		t.Fatal(err)
	}
	return batch
}

func merged(t rapid.TB, base artifact.Artifact, rows ...string) artifact.Artifact {
	t.Helper()
	out, _ := merge.Merge(base, read(t, rows...), merge.Rules{})
	return out
}

// confidence returns an edit of an unknown field, which accepts any value.
func confidence(id, second, agent, value string) string {
	return fmt.Sprintf(`{"delta_id":%q,"timestamp":"2025-12-30T12:00:0%sZ","agent":%q,"operation":"EDIT","section":"assumption_ledger","target_id":"A1","payload":{"confidence":%s}}`,
		id, second, agent, value)
}

// A string, a list and a map written into one field at one instant are a conflict of each
// agent's last value, whatever the agents' names.
func TestConflictingShapes(t *testing.T) {
	for name, c := range map[string]struct {
		rows []string
		want string
	}{
		"the map was divided already": {
			[]string{confidence("a1", "0", "A", `{"prior":"low"}`), confidence("b1", "0", "B", `{"prior":"high"}`), confidence("b2", "0", "B", `"medium"`)},
			`{"$conflict":[{"agent":"A","delta_id":"a1","value":{"prior":"low"}},{"agent":"B","delta_id":"b2","value":"medium"}]}`,
		},
		"two maps and a text": {
			[]string{confidence("a1", "0", "A", `{"k":1}`), confidence("b1", "0", "B", `{"k":2,"m":3}`), confidence("c1", "0", "C", `"text"`)},
			`{"$conflict":[{"agent":"A","delta_id":"a1","value":{"k":1}},{"agent":"B","delta_id":"b1","value":{"k":2,"m":3}},{"agent":"C","delta_id":"c1","value":"text"}]}`,
		},
		"the text is first": {
			[]string{confidence("a1", "0", "A", `"text"`), confidence("b1", "0", "B", `{"k":1}`), confidence("c1", "0", "C", `{"k":2,"m":3}`)},
			`{"$conflict":[{"agent":"A","delta_id":"a1","value":"text"},{"agent":"B","delta_id":"b1","value":{"k":1}},{"agent":"C","delta_id":"c1","value":{"k":2,"m":3}}]}`,
		},
		"an agent changes its mind": {
			[]string{confidence("a1", "0", "A", `["a"]`), confidence("b1", "0", "B", `{}`), confidence("b2", "0", "B", `["a"]`)}, `["a"]`,
		},
		"later": {
			[]string{confidence("a1", "0", "A", `{"k":1}`), confidence("b1", "0", "B", `{"k":2}`), confidence("a2", "1", "A", `"text"`)}, `"text"`,
		},
	} {
		a := merged(t, assumed(t), c.rows...)
		it, _, _ := a.Find("A1")
		if got := string(artifact.Canonical(it.Get("confidence"))); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// All keys of a map that is a candidate of a conflict are reported as conflicted.
func TestConflictingKeysAreReported(t *testing.T) {
	_, report := merge.Merge(assumed(t), read(t, confidence("a1", "0", "A", `{"k":1,"m":2}`), confidence("b1", "0", "B", `"text"`)), merge.Rules{})
	for _, row := range report.Deltas {
		for _, f := range row.Fields {
			if f.Outcome != merge.FieldConflicted {
				t.Errorf("%s: %s: got %s", row.DeltaID, f.Field, f.Outcome)
			}
		}
	}
}

// Whatever is written into one field, at whatever instants: the result reads back, and
// depends only on what was written.
func TestShapesInOneField(t *testing.T) {
	values := rapid.SampledFrom([]string{`"t1"`, `"t2"`, `7`, `["a"]`, `["b","a"]`, `[]`, `{"k":"1"}`, `{"k":"2"}`, `{"k":"1","m":"3"}`, `{}`})
	rapid.Check(t, func(t *rapid.T) {
		a := assumed(t)
		for round := range 2 {
			var rows []string
			for i := range rapid.IntRange(2, 5).Draw(t, "deltas") {
				value := values.Draw(t, "value")
				if rapid.IntRange(0, 3).Draw(t, "replaces") == 0 {
					value += `,"confidence_replace":true`
				}
				rows = append(rows, confidence(fmt.Sprintf("d%d-%d", round, i), fmt.Sprint(rapid.IntRange(0, 1).Draw(t, "second")),
					rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "agent"), value))
			}
			batch := read(t, rows...)
			out, _ := merge.Merge(a, batch, merge.Rules{})
			data := out.JSON()
			back, err := artifact.Parse(data)
			if err != nil || !bytes.Equal(back.JSON(), data) {
				t.Fatalf("%v: %s", err, data)
			}
			same := func(how string, base artifact.Artifact, batch []delta.Delta) {
				if other, _ := merge.Merge(base, batch, merge.Rules{}); !bytes.Equal(other.JSON(), data) {
					t.Fatalf("%s: got %s\nwant %s", how, other.JSON(), data)
				}
			}
			shuffled := slices.Clone(batch)
			slices.Reverse(shuffled)
			same("in another order", a, shuffled)
			same("once more", back, batch)
			read, err := artifact.Parse(a.JSON())
			if err != nil {
				t.Fatal(err)
			}
			same("on what was read back", read, batch)
			a = back
		}
	})
}

// Reports are deterministic, also where the keys of a map are applied or rejected together.
func TestConflictReportsAreDeterministic(t *testing.T) {
	batch := read(t, confidence("a1", "0", "A", `{"k":"1","l":"2","m":"3"}`), confidence("b1", "1", "B", `"text"`))
	_, first := merge.Merge(assumed(t), batch, merge.Rules{})
	_, again := merge.Merge(assumed(t), batch, merge.Rules{})
	if x, y := fmt.Sprintf("%+v", first), fmt.Sprintf("%+v", again); x != y {
		t.Errorf("%s\nand\n%s", x, y)
	}
	if row := first.Deltas[0]; row.Disposition != merge.Superseded || len(row.Fields) != 3 || row.Fields[2].Outcome != merge.FieldSuperseded {
		t.Errorf("%+v", row)
	}
}
