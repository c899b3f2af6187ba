package view_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/tokens"
	"brenner/merge"
	"brenner/session/view"
)

var update = flag.Bool("update", false, "update the golden files")

// cellFate returns the artifact of the example after its deltas were merged.
func cellFate(t testing.TB) (artifact.Artifact, merge.Report) {
	t.Helper()
	base, err := artifact.Parse(read(t, "../../examples/cell-fate/base.json"))
	if err != nil {
		t.Fatal(err)
	}
	deltas, err := delta.ReadFile(read(t, "../../examples/cell-fate/deltas.json"))
	if err != nil {
		t.Fatal(err)
	}
	return merge.Merge(base, deltas, merge.Rules{})
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// feedback returns the outcomes of an agent's deltas, except for applied ones.
func feedback(report merge.Report, agent string) []view.Outcome {
	var out []view.Outcome
	for _, row := range report.Deltas {
		if row.Agent == agent && row.Disposition != merge.Applied {
			out = append(out, view.Outcome{
				Delta: row.DeltaID, Target: row.TargetID, Disposition: row.Disposition.String(), Code: row.Code, Message: row.Message,
			})
		}
	}
	return out
}

func build(t testing.TB, in view.Input) view.View {
	t.Helper()
	v, err := view.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestGolden compares what each role sees of the example, with and without enough room.
func TestGolden(t *testing.T) {
	a, report := cellFate(t)
	count := tokens.New().Count
	for _, tt := range []struct {
		name, role, agent string
		bound             int
	}{
		{"hypothesis_generator", "hypothesis_generator", "BlueLake", 0},
		{"test_designer", "test_designer", "PurpleMountain", 0},
		{"adversarial_critic", "adversarial_critic", "GreenDog", 0},
		{"unified", "unified", "GreenDog", 0},
		{"over_the_bound_a_little", "test_designer", "PurpleMountain", 900},
		{"over_the_bound", "test_designer", "PurpleMountain", 420},
		{"over_the_bound_by_far", "test_designer", "PurpleMountain", 160},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := view.Default(tt.role)
			spec.MaxTokens = tt.bound
			in := view.Input{
				Artifact: a, Spec: spec, Agent: tt.agent, Count: count, Feedback: feedback(report, tt.agent),
				Notes: []view.Note{{By: "Sydney", Text: "Stay with early embryos.\nThe clock is out of scope."}},
			}
			v := build(t, in)
			if v.Tokens != count(v.Text) || v.Tokens > spec.Bound() {
				t.Errorf("%d tokens, reported %d, bound %d", count(v.Text), v.Tokens, spec.Bound())
			}
			path := filepath.Join("testdata", tt.name+".md")
			if *update {
				if err := os.WriteFile(path, []byte(v.Text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(read(t, path)), v.Text); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		})
	}
}
