package record_test

import (
	"slices"
	"testing"

	"brenner/store/record"
)

// Edges are ordered by source, target and relation.
func TestCompareEdges(t *testing.T) {
	edge := func(from string, fromVersion int, to string, toVersion int, relation string) record.Edge {
		return record.Edge{From: record.Ref{ID: from, Version: fromVersion}, To: record.Ref{ID: to, Version: toVersion}, Relation: relation}
	}
	want := []record.Edge{
		edge("a", 2, "z", 9, record.Supersedes), edge("a", 10, "b", 1, record.Cites), edge("a", 10, "b", 1, record.DerivesFrom),
		edge("a", 10, "b", 2, record.Cites), edge("a", 10, "c", 1, record.Cites), edge("b", 1, "a", 1, record.Cites),
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	if slices.SortFunc(got, record.CompareEdges); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
