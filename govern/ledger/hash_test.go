package ledger_test

import (
	"testing"
	"time"

	"brenner/govern/ledger"
	"brenner/store/record"
)

// Journals contain the hashes of records, so they must never change.
func TestRecordHashIsStable(t *testing.T) {
	r := record.Record{
		ID: "note", Type: record.PaperNote, Version: 2, Parent: 1, Status: record.Draft, Module: "fate", Summary: "s <&> ä", SummaryOf: "of", SummaryBy: record.Given,
		Content: "c", Change: "why", Creator: "Sydney", At: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), Tags: []string{"a", "b"},
		Links: []record.Link{{Relation: record.Cites, ID: "other", Version: 3}, {Relation: record.DerivesFrom, ID: "third", Version: 1}},
	}
	const full, bare = "56a2eb553ae362265039c3d2eb65404a93e00f48055f1fa18a7802047dc4dce8", "a4d1af7b24afd394ead1a1c78a6e279509a6d0e812e0cf3df0d680b0640d83d1"
	if got := ledger.Hash(&r); got != full {
		t.Error(got)
	}
	r.Tags, r.Links = nil, nil
	if got := ledger.Hash(&r); got != bare {
		t.Error(got)
	}
}
