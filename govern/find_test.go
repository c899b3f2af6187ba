package govern_test

import (
	"testing"

	"brenner/govern"
	"brenner/store/record"
)

// FindText traces a sentence to its first author and the call that produced it.
func TestFindText(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "Cells wait.\nThen they\ndecide."))
		h, _ := helper("The memo says that all cells wait long.")
		if _, err := k.Consolidate(k.ctx(), sydney, "fate", h); err != nil {
			k.Fatal(err)
		}
		k.put(draft("note", record.PaperNote, "Cells wait.\nMore."))
		k.putBySession("a-reply", record.Reply, "cells wait, says an agent")
		found, err := k.FindText(k.ctx(), "CELLS  wait")
		if err != nil || len(found) != 2 {
			k.Fatalf("%+v, %v", found, err)
		}
		memo, note := found[0], found[1]
		k.equal("memo", []any{memo.Record.ID, memo.Text, memo.First.Creator, memo.Author.Role, memo.Author.Call != "", memo.Stands}, []any{"memo-fate", "The memo says that all cells wait long.", "Ada", "integrator", true, true})
		k.equal("note", []any{note.Record.Version, note.First.Version, note.Author == (govern.Author{})}, []any{2, 1, true})
		if found, err = k.FindText(k.ctx(), "they decide"); err != nil || len(found) != 0 {
			k.Errorf("found text of a replaced version: %v, %v", found, err)
		}
		if found, err = k.FindText(k.ctx(), " "); err != nil || len(found) != 0 {
			k.Errorf("%v, %v", found, err)
		}
	})
}
