package session

import (
	"cmp"
	"slices"

	"brenner/merge"
	"brenner/merge/settle"
	"brenner/session/stalemate"
)

// unwritten says why a ruling does not stand in what the merge made of it, or "". That
// its reasons were taken is not enough: the field that it is about must say what was
// ruled, all of it.
func unwritten(c *stalemate.Case, out *settle.Settlement) string {
	reasons, stands := stalemate.ReasonsField(c.Place), false
	for i := range out.Report.Deltas {
		row := &out.Report.Deltas[i]
		if row.Disposition == merge.Rejected || row.Disposition == merge.Skipped {
			return row.Message + why(row)
		}
		for j := range row.Fields {
			f := &row.Fields[j]
			switch {
			case f.Field == reasons:
			case f.Outcome == merge.FieldApplied, f.Outcome == merge.FieldUnchanged:
				stands = true
			case f.Outcome == merge.FieldRefused, f.Outcome == merge.FieldSkipped, f.Outcome == merge.FieldConflicted:
				return f.Field + ": " + cmp.Or(f.Message, f.Outcome.String())
			}
		}
	}
	switch {
	case !stands:
		return "none of its fields can be written"
	case c.Kind == stalemate.Conflict && slices.Contains(Conflicts(&out.Artifact), c.Place):
		return c.Place + " would still be in conflict"
	}
	return ""
}

// why gives the reason for the first field of a delta that was refused as a whole.
func why(row *merge.Row) string {
	for i := range row.Fields {
		if f := &row.Fields[i]; f.Message != "" {
			return " (" + f.Field + ": " + f.Message + ")"
		}
	}
	return ""
}
