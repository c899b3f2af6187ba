package govern_test

import (
	"testing"

	"brenner/store/record"
)

// From a sentence back to whoever wrote it first, and the call that it came from.
func TestFindText(t *testing.T) {
	both(t, func(k *kit) {
		k.put(draft("note", record.PaperNote, "Cells wait.\nThen they\ndecide."))
		h, _ := helper("The memo says that all cells wait long.")
		if _, err := k.Consolidate(k.Context1(), sydney, "fate", h); err != nil {
			k.Fatal(err)
		}
		k.put(draft("note", record.PaperNote, "Cells wait.\nMore."))
		k.said("said", record.Reply, "cells wait, says an agent")
		found, err := k.FindText(k.Context1(), "CELLS  wait")
		if err != nil || len(found) != 2 {
			k.Fatalf("%+v, %v", found, err)
		}
		memo, note := found[0], found[1]
		k.is("memo", []any{memo.Record.ID, memo.Text, memo.Call.Agent, memo.Stands}, []any{"memo-fate", "The memo says that all cells wait long.", "Ada", true})
		k.is("note", []any{note.Record.Version, note.First.Version, note.Call == nil}, []any{2, 1, true})
		if found, err = k.FindText(k.Context1(), "they decide"); err != nil || len(found) != 0 {
			k.Errorf("what stood once is not what stands: %v, %v", found, err)
		}
		if found, err = k.FindText(k.Context1(), " "); err != nil || len(found) != 0 {
			k.Errorf("%v, %v", found, err)
		}
	})
}
