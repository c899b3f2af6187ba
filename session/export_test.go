package session

import (
	"errors"

	"brenner/flow"
	"brenner/journal"
	"brenner/record"
)

// Beside gives the records that a journal puts beside the artifact's versions, for
// tests that put a store together by hand.
func Beside(entries []journal.Entry) ([]record.Record, [][]byte, error) {
	return sideRecords(&flow.State{}, entries)
}

// Err gives the faults of a proof as one error, or nil.
func (p *Proof) Err() error { return errors.Join(p.Faults...) }
