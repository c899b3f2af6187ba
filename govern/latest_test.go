package govern_test

import (
	"testing"

	"brenner/store/record"
)

// @latest differs from an address without a version, which means the standing version or all
// branches of a record.
func TestLatestNamesAVersion(t *testing.T) {
	t.Parallel()
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "one"))
		k.promote("note")
		k.put(draft("note", "", "two"))
		r, data, err := k.Read(k.ctx(), sydney, "note@latest")
		if err != nil {
			k.Fatal(err)
		}
		k.equal("shown", r.Ref(), "note@v2")
		k.equal("text", string(data), "two")
		linked := k.put(draft("memo", record.IntegratedMemo, "all", "cites=note@latest"))
		k.equal("link", linked.Record.Links[0].Ref(), "note@v2")
		both, err := k.Put(k.ctx(), sydney, draft("note", "", "three"), draft("other", record.PaperNote, "it", "cites=note@latest"))
		if err != nil {
			k.Fatal(err)
		}
		k.equal("link within the batch", both[1].Record.Links[0].Ref(), "note@v3")
		if _, err := k.Deprecate(k.ctx(), sydney, "other", "away", false); err != nil {
			k.Fatal(err)
		}
		marks, err := k.Deprecate(k.ctx(), sydney, "note@latest", "wrong", false)
		if err != nil {
			k.Fatal(err)
		}
		k.equal("marks", len(marks), 1)
		k.equal("v3", k.record("note@v3").Status, record.Deprecated)
		k.equal("v1", k.record("note@v1").Status, record.Canonical)
		_, err = k.History(k.ctx(), "note@latest")
		k.wantFault(err, record.BadRef, "all versions")
	})
}
