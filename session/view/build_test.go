package view_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/session/view"
)

// stamp returns a stamp of an agent in a version.
func stamp(agent string, version int) *artifact.Stamp {
	at := time.Date(2025, 12, 30, 12, version, 0, 0, time.UTC)
	return &artifact.Stamp{Delta: "d", Agent: agent, Version: version, At: at}
}

// assumption returns an item with a statement of about ten tokens.
func assumption(id string, by *artifact.Stamp, fields ...artifact.Field) *artifact.Item {
	return &artifact.Item{ID: id, Created: by, Fields: append([]artifact.Field{
		{Name: "statement", Value: artifact.Text("What " + id + " assumes about the embryo")},
	}, fields...)}
}

func ledger(items ...*artifact.Item) artifact.Artifact {
	var a artifact.Artifact
	a.Metadata.Version = 4
	a.Sections[artifact.AssumptionLedger] = items
	return a
}

// shownOf returns the assumptions that a view of at most so many items shows.
func shownOf(t *testing.T, a artifact.Artifact, agent string, most int) string {
	t.Helper()
	spec := view.Default(view.Unified)
	spec.Sections[artifact.AssumptionLedger].Max = most
	return strings.Join(build(t, view.Input{Artifact: a, Spec: spec, Agent: agent}).Shown, " ")
}

func TestSelectionOrder(t *testing.T) {
	t.Parallel()
	linked := assumption("A6", stamp("Other", 1))
	linked.Fields = append(linked.Fields, artifact.Field{Name: "calculation", Value: artifact.Text("A1")}) // a word, not a link
	a := ledger(
		assumption("A1", stamp("Other", 1)),
		assumption("A2", stamp("Other", 3)),
		assumption("A3", stamp("Me", 1)),
		assumption("A4", stamp("Other", 1), artifact.Field{Name: "load", Value: artifact.Conflict{{Agent: "X"}, {Agent: "Y"}}}),
		assumption("A5", stamp("Other", 2)),
		linked,
	)
	a.Sections[artifact.AssumptionLedger][4].Kill = &artifact.Kill{Stamp: stamp("Other", 4)}
	for most, want := range []string{0: "A1 A2 A3 A4 A5 A6", 1: "A3", 2: "A3 A4", 3: "A2 A3 A4", 4: "A1 A2 A3 A4", 5: "A1 A2 A3 A4 A6"} {
		if got := shownOf(t, a, "Me", most); got != want {
			t.Errorf("max %d: %s, want %s", most, got, want)
		}
	}
	if got := shownOf(t, a, "Stranger", 2); got != "A2 A4" {
		t.Errorf("for another agent: %s", got)
	}
}

func TestLinksAreRelevant(t *testing.T) {
	t.Parallel()
	var a artifact.Artifact
	for _, id := range []string{"H1", "H2", "H3", "H4"} {
		a.Sections[artifact.HypothesisSlate] = append(a.Sections[artifact.HypothesisSlate], &artifact.Item{ID: id})
	}
	mine := stamp("Me", 1)
	a.Sections[artifact.DiscriminativeTests] = []*artifact.Item{
		{ID: "T1", Created: mine, Fields: []artifact.Field{{Name: "discriminates", Value: artifact.Text("H3 vs H2")}}},
	}
	a.Sections[artifact.AnomalyRegister] = []*artifact.Item{
		{ID: "X1"}, {ID: "X2", Fields: []artifact.Field{{Name: "conflicts_with", Value: artifact.List{artifact.Text("T1")}}}},
	}
	spec := view.Default(view.Unified)
	spec.Sections[artifact.HypothesisSlate].Max = 2
	spec.Sections[artifact.AnomalyRegister].Max = 1
	v := build(t, view.Input{Artifact: a, Spec: spec, Agent: "Me"})
	if got := strings.Join(v.Shown, " "); got != "H2 H3 T1 X2" {
		t.Errorf("shown: %s", got)
	}
	want := []view.Omission{{ID: "H1", Rule: view.OverMax}, {ID: "H4", Rule: view.OverMax}, {ID: "X1", Rule: view.OverMax}}
	if diff := cmp.Diff(want, v.LeftOut); diff != "" {
		t.Error(diff)
	}
}

// As the bound shrinks, items are shortened, the least important first, then left out; only then
// are notes shortened, which makes room for items again.
func TestViewShrinksWithBound(t *testing.T) {
	t.Parallel()
	a := ledger(assumption("A1", nil, artifact.Field{Name: "load", Value: artifact.Text("H1 falls without it")}))
	a.Sections[artifact.AdversarialCritique] = []*artifact.Item{{ID: "C1", Fields: []artifact.Field{
		{Name: "attack", Value: artifact.Text("All is staining")}, {Name: "evidence", Value: artifact.Text("Half of the profiles")},
	}}}
	spec := view.Default("adversarial_critic") // to the critic, the critique matters more
	in := view.Input{Artifact: a, Spec: spec, Notes: []view.Note{{By: "Sydney", Text: strings.Repeat("long ", 120)}}}
	var got []string
	for bound := 3000; bound > 100; bound-- {
		in.Spec.MaxTokens = bound
		if s := state(view.Build(in)); len(got) == 0 || got[len(got)-1] != s {
			got = append(got, s)
		}
	}
	want := []string{
		"", "short A1", "short A1 C1", "short C1 out A1", "out A1 C1",
		"cut", "short A1 cut", "short A1 C1 cut", "short C1 out A1 cut", "out A1 C1 cut",
		"out note 1", "short A1 out note 1", "short A1 C1 out note 1", "short C1 out A1 note 1", "out A1 C1 note 1", string(view.TooLarge),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Outcomes that differ only in their deltas are one line, and do not take the room of the items.
func TestEqualOutcomesAreOneLine(t *testing.T) {
	t.Parallel()
	in := view.Input{Artifact: ledger(assumption("A1", nil)), Spec: view.Default("unified")}
	for _, id := range []string{"d1", "d2", "d3"} {
		in.Feedback = append(in.Feedback, view.Outcome{Delta: id, Disposition: "rejected", Code: "SECTION_LIMIT_EXCEEDED", Message: "the section is full"})
	}
	in.Feedback = append(in.Feedback, view.Outcome{Delta: "d4", Disposition: "rejected", Message: strings.Repeat("no ", 500)})
	v := build(t, in)
	if !strings.Contains(v.Text, "- d1, d2, d3 (3 deltas): rejected, SECTION_LIMIT_EXCEEDED: the section is full\n- d4: rejected: no") || v.Outcomes != (view.Tally{All: 4}) {
		t.Errorf("%+v\n%s", v.Outcomes, v.Text)
	}
	in.Spec.MaxTokens = 900
	if v = build(t, in); len(v.Shown) != 1 || v.Outcomes.Left+v.Outcomes.Short == 0 {
		t.Errorf("%+v\n%s", v.Outcomes, v.Text)
	}
}

// state summarizes what a view shortened and left out.
func state(v view.View, err error) string {
	if err != nil {
		return string(fault.CodeOf(err))
	}
	var parts []string
	if len(v.Shortened) > 0 {
		parts = append(append(parts, "short"), v.Shortened...)
	}
	for i, o := range v.LeftOut {
		if i == 0 {
			parts = append(parts, "out")
		}
		parts = append(parts, o.ID)
	}
	if strings.Contains(v.Text, " characters left out]") {
		parts = append(parts, "cut")
	}
	return strings.Join(parts, " ")
}

func TestOversizedTextDoesNotShortenOthers(t *testing.T) {
	t.Parallel()
	oversized := assumption("A1", stamp("Other", 9), artifact.Field{Name: "load", Value: artifact.Text(strings.Repeat("x ", 1<<20))})
	a := ledger(oversized, assumption("A2", nil), assumption("A3", nil))
	v := build(t, view.Input{Artifact: a, Spec: view.Default(view.Unified)})
	if diff := cmp.Diff([]string{"A1"}, v.Shortened); diff != "" || len(v.LeftOut) > 0 {
		t.Errorf("left out: %v; shortened: %s", v.LeftOut, diff)
	}
}

func TestIDsOnly(t *testing.T) {
	t.Parallel()
	a := ledger(assumption("A1", nil), assumption("A2", nil, artifact.Field{Name: "load", Value: artifact.Conflict{{Agent: "X"}, {Agent: "Y"}}}))
	v := build(t, view.Input{Artifact: a})
	want := []view.Omission{{ID: "A1", Rule: view.IDsOnly}, {ID: "A2", Rule: view.IDsOnly}, {ID: "A2.load", Rule: view.IDsOnly}}
	if diff := cmp.Diff(want, v.LeftOut); diff != "" || !strings.Contains(v.Text, "- ids only for this role: A1, A2, 1 CONFLICT\n") {
		t.Errorf("%s\n%s", diff, v.Text)
	}
	if v.Version != 4 || !strings.HasPrefix(v.Text, "Version 4 of the artifact.") {
		t.Errorf("version %d: %s", v.Version, v.Text)
	}
}

// A bound too small for the ids is an error.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	spec := view.Default("test_designer")
	spec.MaxTokens = 50
	a, _ := cellFate(t)
	v, err := view.Build(view.Input{Artifact: a, Spec: spec})
	if fault.CodeOf(err) != view.TooLarge || fault.HintOf(err) == "" || v.Text != "" || !strings.Contains(err.Error(), "the limit is 50") {
		t.Errorf("%v, %q", err, v.Text)
	}
}

// Killed cells and cells of killed hypotheses are N/A; an unresolved key keeps its text. None of
// them is an open conflict.
func TestKilledCells(t *testing.T) {
	t.Parallel()
	var a artifact.Artifact
	a.Sections[artifact.HypothesisSlate] = []*artifact.Item{{ID: "H1"}, {
		ID: "H2", Kill: &artifact.Kill{By: "X", Reason: "old"},
		Fields: []artifact.Field{{Name: "mechanism", Value: artifact.Conflict{{Agent: "X"}, {Agent: "Y"}}}},
	}}
	text := func(key string) artifact.Entry {
		return artifact.Entry{Key: key, Value: artifact.Text("outcome " + key)}
	}
	split := artifact.Entry{Key: "H2", Value: artifact.Conflict{{Agent: "X"}, {Agent: "Y"}}}
	a.Sections[artifact.PredictionsTable] = []*artifact.Item{
		{ID: "P1", Fields: []artifact.Field{{Name: "predictions", Value: artifact.MapOf(text("H1"), split)}}},
		{ID: "P2", Fields: []artifact.Field{{Name: "predictions", Value: artifact.MapOf(text("H1"), text("H2"))}}, Rare: &artifact.Rare{Cells: []artifact.CellKill{{Key: "H1"}}}},
		{ID: "P3", Fields: []artifact.Field{{Name: "predictions", Value: artifact.MapOf(text("H2"))}}, Rare: &artifact.Rare{Unresolved: []string{"predictions.H2"}}},
	}
	v := build(t, view.Input{Artifact: a, Spec: view.Default(view.Unified)})
	want := `### Predictions Table

- P1
  - predictions:
    - H1: outcome H1
    - H2: N/A
- P2
  - predictions:
    - H1: N/A
    - H2: N/A
- P3
  - predictions:
    - H2: outcome H2
  - not found: predictions.H2
`
	if !strings.Contains(v.Text, want) || strings.Contains(v.Text, "CONFLICT") || !strings.Contains(v.Text, "- H2 (killed by X: old)\n") {
		t.Errorf("%s", v.Text)
	}
}

// A shortened conflict with many candidates shows the first ones.
func TestManyCandidates(t *testing.T) {
	t.Parallel()
	var c artifact.Conflict
	for range 50 {
		c = append(c, artifact.Candidate{Agent: "X", Delta: "d", Value: artifact.Text(strings.Repeat("word ", 100))})
	}
	spec := view.Default(view.Unified)
	spec.MaxTokens = 4000
	v := build(t, view.Input{Artifact: ledger(assumption("A1", nil, artifact.Field{Name: "load", Value: c})), Spec: spec})
	if !strings.Contains(v.Text, "- A1.load\n  - X (d): word") || !strings.Contains(v.Text, "  - and 46 more\n") {
		t.Error(v.Text)
	}
}
