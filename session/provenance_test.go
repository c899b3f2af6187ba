package session_test

import (
	"strings"
	"testing"

	"brenner/internal/fault"
	"brenner/session"
	"brenner/store"
	"brenner/store/opentest"
	"brenner/store/record"
)

// A session whose id belongs to a record does not start and leaves no journal.
func TestStartRefusesIDOfRecord(t *testing.T) {
	ctx := t.Context()
	st := opentest.New(t)
	text := []byte("a note")
	err := st.Write(ctx, store.Batch{Blobs: [][]byte{text}, Records: []record.Record{{
		ID: thread, Type: record.PaperNote, Version: 1, Status: record.Draft, Module: "fate", Summary: "a note", SummaryOf: store.Hash(text),
		SummaryBy: record.Given, Content: store.Hash(text), Creator: "Sydney", At: clock(),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = runner(st, &actors{script: builtInScript()}).Start(ctx, brief(1))
	if fault.CodeOf(err) != session.Exists || !strings.Contains(err.Error(), "paper_note") {
		t.Errorf("%v", err)
	}
	if all, err := session.List(ctx, st); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestRecordIndexContainsOnlySessionRecords(t *testing.T) {
	ctx := t.Context()
	st := opentest.New(t)
	b := brief(1)
	if _, err := runner(st, &actors{script: builtInScript()}).Start(ctx, b); err != nil {
		t.Fatal(err)
	}
	v := session.NewRecordIndex(st)
	all, err := st.Records(ctx, store.Query{})
	if err != nil || len(all) < 4 {
		t.Fatal(err, len(all))
	}
	for i := range all {
		if ok, err := v.Contains(ctx, all[i].Ref()); !ok || err != nil {
			t.Errorf("%s: %v", all[i].Ref(), err)
		}
	}
	for _, ref := range []record.Ref{
		{ID: thread, Version: 9},
		{ID: "reply/" + thread + "/BlueLake", Version: 9},
		{ID: "reply/" + thread + "/Unknown", Version: 1},
		{ID: "roster/RS-20261115-other", Version: 1},
		{ID: "note", Version: 1},
	} {
		if ok, err := v.Contains(ctx, ref); ok || err != nil {
			t.Errorf("%s: %v", ref, err)
		}
	}
}
