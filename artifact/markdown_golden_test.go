package artifact_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func fullArtifact(t testing.TB) artifact.Artifact {
	t.Helper()
	data, err := os.ReadFile("testdata/full.json")
	if err != nil {
		t.Fatal(err)
	}
	a, err := artifact.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestMarkdownGolden(t *testing.T) {
	full := fullArtifact(t)
	golden(t, "testdata/full.md", full.Markdown())
	checkRoundTrip(t, &full)

	empty := artifact.Artifact{Metadata: artifact.Metadata{SessionID: "RS-20251230-empty", Status: "draft"}}
	golden(t, "testdata/empty.md", empty.Markdown())
	checkRoundTrip(t, &empty)
}

func TestMarkdownLinesOfPlaces(t *testing.T) {
	full := fullArtifact(t)
	md, lines := full.MarkdownLines()
	text := strings.Split(string(md), "\n")
	for place, want := range map[string]string{
		"metadata":             "---",
		"hypothesis_slate":     "## 2. Hypothesis Slate",
		"H2":                   "### ~~H2: Gradient-dominant~~ [KILLED]",
		"H1.name":              "### H1: Lineage-dominant",
		"H1.Claim":             "**`Claim`**: an unknown field, not the claim",
		"H3.name":              "**Name**: CONFLICT",
		"P2":                   "| P2 |",
		"P2.predictions":       "| P2 |",
		"P5.condition":         "| P5 |",
		"P2.references":        "**References**: `[",
		"T2.expected_outcomes": "**Expected outcomes**:",
	} {
		if got := text[lines[place]-1]; !strings.HasPrefix(got, want) {
			t.Errorf("%s: got line %d, %q; want %q", place, lines[place], got, want)
		}
	}
	if got, want := lines.Of("H1.mechanism.deep"), lines["H1"]; got != want {
		t.Errorf("unknown place: got line %d, want its item's line %d", got, want)
	}
}

// Readers never return invalid UTF-8, but JSON and Markdown must repair it in the same way.
func TestMarkdownRepairsInvalidUTF8(t *testing.T) {
	bad := "a\xff\xed\xa0\x80b\xc3"
	a := artifact.Artifact{Metadata: artifact.Metadata{SessionID: bad}}
	a.Sections[artifact.HypothesisSlate] = []*artifact.Item{{ID: "H1", Fields: []artifact.Field{
		{Name: "name", Value: artifact.Text(bad)},
		{Name: "claim", Value: artifact.List{artifact.Text(bad)}},
		{Name: "labels", Value: artifact.List{artifact.Text(bad)}},
	}}}
	checkRoundTrip(t, &a)
}

// The table has no columns for hypotheses beyond the 64th, to bound rows times columns.
// Their cells are written in blocks.
func TestMarkdownManyHypotheses(t *testing.T) {
	var a artifact.Artifact
	var cells []artifact.Entry
	for n := 1; n <= 100; n++ {
		h := &artifact.Item{ID: artifact.HypothesisSlate.ItemID(n)}
		if n%7 == 0 {
			h.Kill = &artifact.Kill{}
		}
		a.Sections[artifact.HypothesisSlate] = append(a.Sections[artifact.HypothesisSlate], h)
		cells = append(cells, artifact.Entry{Key: h.ID, Value: artifact.Text("outcome of " + h.ID)})
	}
	a.Sections[artifact.PredictionsTable] = []*artifact.Item{{ID: "P1", Fields: []artifact.Field{
		{Name: "predictions", Value: artifact.MapOf(cells...)},
	}}}
	checkRoundTrip(t, &a)
	if md := a.Markdown(); !bytes.Contains(md, []byte("| H64 |\n")) || !bytes.Contains(md, []byte("\n- H65: outcome of H65\n")) {
		t.Errorf("want columns up to H64 and H65 in the block:\n%s", md)
	}
}

// The page about the Markdown form names every field that has a line of its own, with its states.
func TestPageNamesEveryField(t *testing.T) {
	page, err := os.ReadFile("../docs/merge.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range artifact.Sections() {
		for _, f := range s.Spec().Fields {
			if f.Name == "name" || s == artifact.PredictionsTable && f.Kind != artifact.KindReferences {
				continue // in the heading, or in the table
			}
			if !bytes.Contains(page, []byte("**"+f.Title+"**: ")) && !bytes.Contains(page, []byte("**"+f.Title+"**:\n")) && !bytes.Contains(page, []byte("`"+f.Title+"`")) {
				t.Errorf("docs/merge.md does not name %s of %s", f.Title, s)
			}
			for _, state := range f.Allowed {
				if !bytes.Contains(page, []byte(state)) {
					t.Errorf("docs/merge.md does not name %s, which %s of %s may be", state, f.Title, s)
				}
			}
		}
	}
}
