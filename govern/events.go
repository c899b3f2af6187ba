package govern

import (
	"context"
	"slices"

	"brenner/govern/ledger"
	"brenner/store/journal"
)

// Kinds of entries.
const (
	kindPromoted = "promoted"
	kindMarked   = "marked"
	kindRefused  = "refused"
	kindProduced = "produced"
	kindTried    = "tried"
)

// signature returns the name in a mark, which distinguishes agents from people.
func (a Actor) signature() string {
	if a.person() {
		return a.Name
	}
	return a.Name + ", as " + a.Role
}

type refusedEvent = ledger.RefusedEvent

// RefusalList is the newest refused attempts and their total number.
type RefusalList = ledger.RefusalList

// Refusals returns the refused attempts, newest first; at most most if that is above 0.
func (rs *Records) Refusals(ctx context.Context, most int) (*RefusalList, error) {
	entries, all, err := rs.newest(ctx, Refusals, most)
	if err != nil {
		return nil, err
	}
	return ledger.ReadRefusals(entries, all)
}

// newest returns the last entries of a stream, newest first, and their total number.
func (rs *Records) newest(ctx context.Context, stream string, most int) ([]journal.Entry, int, error) {
	head, err := rs.head(ctx, stream)
	if err != nil || head.Seq == 0 {
		return nil, 0, err
	}
	after := 0
	if most > 0 {
		after = max(0, head.Seq-most)
	}
	entries, err := rs.Store.Entries(ctx, stream, after)
	if err != nil {
		return nil, 0, err
	}
	slices.Reverse(entries)
	return entries, head.Seq, nil
}
