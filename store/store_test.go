package store_test

import (
	"strings"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/store"
	"brenner/store/journal"
	"brenner/store/record"
)

func TestMovedNamesBothHeads(t *testing.T) {
	a := store.Append{Stream: "s", After: journal.Head{Seq: 2, Hash: "two"}}
	if err := a.CheckHead(journal.Head{Seq: 2, Hash: "two"}); err != nil {
		t.Error(err)
	}
	for is, want := range map[journal.Head]string{
		{Seq: 3, Hash: "three"}: "the stream is at entry 3 (three), not at entry 2 (two)",
		{}:                      "the stream is at its start, not at entry 2 (two)",
	} {
		if err := a.CheckHead(is); fault.CodeOf(err) != store.Moved || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
}

func TestConflictNamesBothVersions(t *testing.T) {
	r := record.Record{ID: "r", Version: 2}
	if err := store.CheckVersion(&r, 1); err != nil {
		t.Error(err)
	}
	err := store.CheckVersion(&r, 2)
	if fault.CodeOf(err) != store.Conflict || !strings.Contains(err.Error(), "version 2 is not the next one: the store is at version 2") {
		t.Errorf("%v", err)
	}
}

func TestHeldErrorNamesTheHolder(t *testing.T) {
	who := store.Holder{PID: 7, Host: "bench", Since: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Doing: "session start"}
	for holder, want := range map[store.Holder]string{
		who: "lock a: held by process 7 on bench (session start, since 2026-01-02T03:04:05Z)",
		{}:  "lock a: held by another process",
	} {
		if err := store.HeldError("a", holder); fault.CodeOf(err) != store.Held || err.Error() != want {
			t.Errorf("%v", err)
		}
	}
}

func TestHash(t *testing.T) {
	if got := store.Hash(nil); got != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Error(got)
	}
}
