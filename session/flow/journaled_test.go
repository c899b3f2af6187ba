package flow_test

import (
	"testing"

	"brenner/session/flow"
	"brenner/store/journal/journaltest"
)

func TestJournaledStructsAreFrozen(t *testing.T) {
	journaltest.Frozen(t,
		flow.Opened{}, flow.Resumed{}, flow.Ended{}, flow.Planned{}, flow.Began{}, flow.Answered{},
		flow.Failed{}, flow.Committed{}, flow.Noted{}, flow.Publishing{}, flow.Published{}, flow.Stalemated{}, flow.Patched{},
		flow.Sealed{}, // the hashed form
	)
}
