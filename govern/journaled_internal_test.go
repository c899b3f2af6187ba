package govern

import (
	"testing"

	"brenner/govern/ledger"
	"brenner/store/journal/journaltest"
)

func TestJournaledStructsAreFrozen(t *testing.T) {
	journaltest.Frozen(t, ledger.PutEvent{}, ledger.MarkEvent{}, ledger.RefusedEvent{}, ledger.AskedEvent{}, ledger.ProducedEvent{}, ledger.TriedEvent{})
}
