package settle

import (
	"slices"

	"brenner/artifact/delta"
	"brenner/merge"
)

// Tally counts what became of one agent's contribution.
type Tally struct {
	Applied    int // deltas that changed the artifact, conflicts included
	Rejected   int // readable deltas that the rules do not allow
	Other      int // readable deltas without an effect: superseded, repeated, or agreeing with what is there
	Fields     int // refused fields of the applied and other deltas
	Unreadable int // blocks, or a message too long to read
	NoChanges  *delta.Statement
	Cut        bool
}

// Tally counts what became of a contribution, from its reading and the rows of the merge. It works
// for stored reports, too, which do not say whether a reply was cut or had no changes.
func (r *Reading) Tally(rows []merge.Row) Tally {
	t := Tally{NoChanges: r.NoChanges, Cut: r.Cut, Unreadable: r.Refused}
	if r.TooLong() {
		t.Unreadable++
	}
	for i := range rows {
		row := &rows[i]
		if row.Agent != r.Agent {
			continue
		}
		switch row.Disposition {
		case merge.Applied, merge.Conflicted:
			t.Applied++
		case merge.Rejected:
			t.Rejected++
			continue
		default:
			t.Other++
		}
		for _, f := range row.Fields {
			if isRefusedField(f) {
				t.Fields++
			}
		}
	}
	t.Rejected = max(0, t.Rejected-r.Refused) // an unreadable block is a rejected row, too
	return t
}

// ReadingOf returns the reading of an agent, or nil.
func ReadingOf(readings []Reading, agent string) *Reading {
	at := slices.IndexFunc(readings, func(r Reading) bool { return r.Agent == agent })
	if at < 0 {
		return nil
	}
	return &readings[at]
}
