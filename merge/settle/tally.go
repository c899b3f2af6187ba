package settle

import (
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
)

// Tally counts what became of one agent's contribution.
type Tally struct {
	Applied    int // deltas that the merge applied
	Changed    int // deltas that changed the artifact, conflicts included: an EDIT may repeat what is there
	Idle       int // applied EDITs that changed no value; 0 until protocol 2
	Rejected   int // readable deltas that the rules do not allow; until protocol 2 without incomplete ones
	Other      int // readable deltas without an effect: superseded, repeated, or agreeing with what is there; and records
	Repeated   int // of those, what their author said before
	Fields     int // refused fields of the applied and other deltas
	Unreadable int // blocks that are not JSON, or a message too long to read; until protocol 2 also incomplete deltas
	NoChanges  *delta.Statement
	Cut        bool
	CutOff     int // of the unreadable ones, those in which the text was cut off
}

// Tally counts what became of a contribution, from its reading and the rows of the merge. It works
// for stored reports, too, which do not say whether a reply was cut or had no changes.
func (r *Reading) Tally(rows []merge.Row) Tally {
	var its []merge.Row
	for i := range rows {
		if rows[i].Agent == r.Agent {
			its = append(its, rows[i])
		}
	}
	return r.tally(its)
}

// tally counts the rows of the reading.
func (r *Reading) tally(its []merge.Row) Tally {
	t := Tally{NoChanges: r.NoChanges, Cut: r.Cut, CutOff: r.cutOff, Other: len(r.Records)}
	if r.TooLong() {
		t.Unreadable++
	}
	announced := 0 // changes that the reply only announces
	for i := range its {
		row := &its[i]
		switch row.Disposition {
		case merge.Applied:
			t.Applied++
			if !slices.Contains(r.Idle, row.DeltaID) {
				t.Changed++
			} else if r.third {
				t.Idle++
			}
		case merge.Conflicted:
			t.Changed++
		case merge.Rejected:
			switch {
			case r.third && row.Code == delta.ProseOnly:
				announced++
			case r.third && isUnreadable(row.Code):
				t.Unreadable++
			default:
				t.Rejected++
			}
			continue
		default:
			if r.third && slices.Contains(r.Idle, row.DeltaID) {
				t.Unreadable++
			} else {
				t.Other++
			}
			if row.Disposition == merge.Duplicate {
				t.Repeated++
			}
		}
		t.Fields += countRefused(row)
	}
	if t.Changed+t.Applied+t.Rejected+t.Other+t.Unreadable > 0 {
		t.Rejected += announced // otherwise the whole reply is prose
	}
	if !r.third {
		t.Unreadable += r.Refused
		t.Rejected = max(0, t.Rejected-r.Refused) // an unreadable block is a rejected row, too
	}
	return t
}

func countRefused(row *merge.Row) int {
	n := 0
	for _, f := range row.Fields {
		if isRefusedField(f) {
			n++
		}
	}
	return n
}

// setIdle finds the applied EDITs of each reading that left every field as it was in base, and the
// unreadable blocks that the merge takes for repetitions, since nothing of them could be compared.
func (s *Settlement) setIdle(base *artifact.Artifact) {
	rows := make(map[string]*merge.Row, len(s.Report.Deltas))
	for i := range s.Report.Deltas {
		rows[s.Report.Deltas[i].DeltaID] = &s.Report.Deltas[i]
	}
	for i := range s.Deltas {
		d := &s.Deltas[i]
		row := rows[d.ID]
		if row == nil {
			continue
		}
		same := d.Operation == delta.Edit && Repeats(base, &s.Artifact, row)
		blank := d.Problem != nil && isUnreadable(d.Problem.Code) && row.Disposition == merge.Duplicate
		if !same && !blank {
			continue
		}
		if at := slices.IndexFunc(s.Readings, func(r Reading) bool { return d.Place != nil && r.message == d.Place.Message }); at >= 0 {
			s.Readings[at].Idle = append(s.Readings[at].Idle, d.ID)
		}
	}
}

// Repeats reports whether a row is of an applied delta that left every field as it was.
func Repeats(before, after *artifact.Artifact, row *merge.Row) bool {
	id, _, _ := strings.Cut(row.TargetID, ".")
	was, _, had := before.Find(id)
	is, _, has := after.Find(id)
	if row.Disposition != merge.Applied || !had || !has || was.Killed() != is.Killed() {
		return false
	}
	for _, f := range row.Fields {
		name, _, _ := strings.Cut(f.Field, ".")
		if f.Outcome == merge.FieldApplied && valueOf(was, name) != valueOf(is, name) {
			return false
		}
	}
	return true
}

func valueOf(it *artifact.Item, name string) string {
	if v := it.Get(name); v != nil {
		return string(artifact.Canonical(v))
	}
	return ""
}

// ReadingOf returns the reading of an agent, or nil.
func ReadingOf(readings []Reading, agent string) *Reading {
	at := slices.IndexFunc(readings, func(r Reading) bool { return r.Agent == agent })
	if at < 0 {
		return nil
	}
	return &readings[at]
}
