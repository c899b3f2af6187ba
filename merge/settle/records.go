package settle

import (
	"slices"

	"brenner/artifact/delta"
)

// A record in a reply does not go to the merge: what reads the contribution puts it into the project's store. A record
// that could not be read is a refused delta, and has a row like any other.

// recordsOf returns the readable records of a text.
func recordsOf(reply *delta.Reply, isRepair bool) []delta.Draft {
	var all []delta.Draft
	for i := range reply.Blocks {
		if b := &reply.Blocks[i]; b.OK {
			if d := b.Record(); d != nil {
				d.Repair = isRepair
				all = append(all, *d)
			}
		}
	}
	return all
}

// isRecordRow reports whether a delta is a refused record. In the reply to a task every refused delta is one.
func (c *Contribution) isRecordRow(d *delta.Delta) bool {
	return d.Problem != nil && (c.Records == delta.OnlyRecords || c.Records == delta.WithRecords && d.Section == delta.RecordSection)
}

// splitRecords divides deltas into those of the artifact and refused records.
func (c *Contribution) splitRecords(all []delta.Delta) (deltas, rows []delta.Delta) {
	for i := range all {
		if c.isRecordRow(&all[i]) {
			rows = append(rows, all[i])
		} else {
			deltas = append(deltas, all[i])
		}
	}
	return deltas, rows
}

// correctRecords combines the records of a reply with those of its repair. One of the repair takes the place of the one
// with its id, and names it: only the store knows whether something was wrong with it. Others replace refused ones that
// have none. It returns the refused records that are left, of either text.
func (r *Reading) correctRecords(second *delta.Reply, rows, more []delta.Delta) []delta.Delta {
	by := make([]string, len(rows)) // what replaces them
	var others []delta.Draft
	for _, d := range recordsOf(second, true) {
		if at := slices.IndexFunc(r.Records, func(old delta.Draft) bool {
			return !old.Repair && old.ID == d.ID && (old.Operation == d.Operation || d.Operation == delta.Add && old.IsChange())
		}); at >= 0 {
			r.Taken--
			if isSameRecord(r.Records[at], d) { // agents often send everything again
				r.Shown++
				continue
			}
			r.Repaired++
			first := r.Records[at]
			d.First = &first
			r.Records[at] = d
			continue
		}
		r.Records = append(r.Records, d)
		if !replaceRow(rows, by, d.ID, func(row *delta.Delta) bool { return slices.Contains(row.Labels, d.ID) || row.Target == d.ID }) {
			others = append(others, d)
		}
	}
	for _, d := range others {
		replaceRow(rows, by, d.ID, func(row *delta.Delta) bool { return len(row.Labels) == 0 && row.Problem.Code != delta.AmbiguousDelta })
	}
	r.Repaired += len(rows) - countBlank(by)
	for i := range more {
		p := more[i].Place
		p.Written, p.Repair = p.Block, true
		for _, label := range more[i].Labels {
			replaceRow(rows, by, more[i].ID, func(row *delta.Delta) bool { return slices.Contains(row.Labels, label) })
		}
	}
	var left []delta.Delta
	for i := range rows {
		if by[i] == "" {
			left = append(left, rows[i])
			continue
		}
		r.Refused--
		r.Replaced = append(r.Replaced, Replaced{rows[i], by[i]})
	}
	return append(left, more...)
}

// replaceRow notes what replaces the first row that fits and is not replaced yet.
func replaceRow(rows []delta.Delta, by []string, id string, fits func(*delta.Delta) bool) bool {
	for i := range rows {
		if by[i] == "" && fits(&rows[i]) {
			by[i] = id
			return true
		}
	}
	return false
}

func countBlank(texts []string) int {
	n := 0
	for _, t := range texts {
		if t == "" {
			n++
		}
	}
	return n
}

// isSameRecord reports whether two records say the same, whatever the reasons for them.
func isSameRecord(x, y delta.Draft) bool {
	return x.Operation == y.Operation && x.Type == y.Type && x.Module == y.Module && x.Summary == y.Summary && x.Content == y.Content && x.Change == y.Change && x.Status == y.Status &&
		slices.Equal(x.Links, y.Links) && slices.Equal(x.Tags, y.Tags)
}
