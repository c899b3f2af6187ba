package artifact_test

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/artifacttest"
)

// Pieces join to the same artifact, in any order of the items.
func TestPiecesJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := artifacttest.Any().Draw(t, "artifact")
		canonicalOrder(&a)
		joinsTo(t, a)
	})
}

func TestPiecesJoinWithProvenance(t *testing.T) {
	data, err := os.ReadFile("testdata/merged.json")
	if err != nil {
		t.Fatal(err)
	}
	a, err := artifact.Parse(data)
	if err != nil || len(a.Deltas) < 2 {
		t.Fatalf("got %d deltas, %v", len(a.Deltas), err)
	}
	canonicalOrder(&a)
	joinsTo(t, a)
	whole, rest := a.Pieces(0), a.Pieces(1)
	if len(rest.Deltas) >= len(whole.Deltas) {
		t.Error("the later deltas are as long as all of them")
	}
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func joinsTo(t fataler, a artifact.Artifact) {
	t.Helper()
	p := a.Pieces(0)
	var items [][]byte
	for _, it := range p.Items {
		items = append(items, it.Data)
	}
	slices.Reverse(items)
	got, err := artifact.Join(p.Metadata, items, [][]byte{p.Deltas})
	if err != nil {
		t.Fatalf("Join: %v", err)
	}
	if want := a.JSON(); !bytes.Equal(got.JSON(), want) {
		t.Fatalf("got  %s\nwant %s", got.JSON(), want)
	}
}

// canonicalOrder sorts the items of an artifact as a merge does.
func canonicalOrder(a *artifact.Artifact) {
	for s, items := range a.Sections {
		slices.SortFunc(items, func(x, y *artifact.Item) int {
			nx, _ := artifact.Section(s).IDNumber(x.ID)
			ny, _ := artifact.Section(s).IDNumber(y.ID)
			return nx - ny
		})
	}
	artifact.RankTests(a.Sections[artifact.DiscriminativeTests])
}

func TestJoinRejectsInvalidPieces(t *testing.T) {
	for _, item := range []string{`{}`, `[]`, `{"content":{"id":"Z1"}}`, `{"content":{"id":"H1","claim":"x"},"marks":{"fields":{"claim":"d-1"}}}`, `x`} {
		if _, err := artifact.Join([]byte(`{"session_id":"RS-20250101-ab","version":1}`), [][]byte{[]byte(item)}, [][]byte{[]byte(`[{"agent":"A","hash":"","id":"d"}]`)}); err == nil {
			t.Errorf("accepted %s", item)
		}
	}
}
