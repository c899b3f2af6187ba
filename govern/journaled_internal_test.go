package govern

import (
	"testing"

	"brenner/store/journal/journaltest"
)

func TestJournaledStructsAreFrozen(t *testing.T) {
	journaltest.Frozen(t, putEvent{}, markEvent{}, refusedEvent{}, askedEvent{}, producedEvent{}, triedEvent{})
}
