package govern_test

import (
	"testing"

	"brenner/store/record"
)

// TestLatestIsAVersion holds @latest apart from an address that says no version:
// that is the one that stands, or all ways of a record.
func TestLatestIsAVersion(t *testing.T) {
	t.Parallel()
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		k.promote("note")
		k.put(draft("note", "", "two"))
		r, data, err := k.Read(k.Context1(), sydney, "note@latest")
		if err != nil {
			k.Fatal(err)
		}
		k.is("shown", r.Ref(), "note@v2")
		k.is("text", string(data), "two")
		linked := k.put(draft("memo", record.IntegratedMemo, "all", "cites=note@latest"))
		k.is("link", linked.Record.Links[0].Ref(), "note@v2")
		both, err := k.Put(k.Context1(), sydney, draft("note", "", "three"), draft("other", record.PaperNote, "it", "cites=note@latest"))
		if err != nil {
			k.Fatal(err)
		}
		k.is("link to what is put with it", both[1].Record.Links[0].Ref(), "note@v3")
		if _, err := k.Deprecate(k.Context1(), sydney, "other", "away", false); err != nil {
			k.Fatal(err)
		}
		marks, err := k.Deprecate(k.Context1(), sydney, "note@latest", "wrong", false)
		if err != nil {
			k.Fatal(err)
		}
		k.is("marks", len(marks), 1)
		k.is("v3", k.record("note@v3").Status, record.Deprecated)
		k.is("v1", k.record("note@v1").Status, record.Canonical)
		_, err = k.History(k.Context1(), "note@latest")
		k.wantFault(err, record.BadRef, "all versions")
	})
}
