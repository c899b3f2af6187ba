package session_test

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/flow"
)

// A session whose replies a later program reads is refused before its journal has an entry of the attempt.
func TestResumeRefusesUnknownReaders(t *testing.T) {
	_, h := finishedSession(t, eventful, 1)
	h.Entries = rechain(t, h, func(_, body string) string { return strings.Replace(body, string(delta.NewestReader), "reader/99", 1) })
	st := storeWithPrefix(t, h, 1)
	_, err := runner(st, &actors{script: parse(t, eventful)}).Resume(t.Context(), thread, setRounds(2))
	if fault.CodeOf(err) != flow.UnknownEvent {
		t.Errorf("%v", err)
	}
	if left, err := st.Entries(t.Context(), session.Prefix+thread, 0); err != nil || len(left) != 1 {
		t.Errorf("%v: %d entries, want that of the opening", err, len(left))
	}
}
