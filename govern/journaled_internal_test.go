package govern

import (
	"testing"

	"brenner/govern/ledger"
	"brenner/store/journal/journaltest"
)

func TestJournaledStructsAreFrozen(t *testing.T) {
	journaltest.Frozen(t, ledger.PutEvent{}, ledger.MarkEvent{}, refusedEvent{}, ledger.AskedEvent{}, ledger.ProducedEvent{}, triedEvent{})
}
