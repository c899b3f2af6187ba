package merge

import (
	"slices"
	"strings"

	"brenner/artifact"
)

// cell is the smallest thing that stamps decide about: a scalar field, or one
// key of a map. It holds the writers with the highest right, one for each
// author, in the order of their names. Where they disagree, the cell is a CONFLICT.
type cell struct {
	first writer
	more  []writer // nearly always none
}

type writer struct {
	stamp *artifact.Stamp // nil: nobody knows
	value artifact.Value
	// out is where the report says what became of this write; nil for what
	// stood in the base. It is kept up to date as later writes come.
	out *FieldOutcome
}

// becomes notes what the write came to.
func (w *writer) becomes(o Outcome) {
	if w.out != nil {
		w.out.Outcome = o
	}
}

// unstamped is the version of stamps that only carry a candidate's name, for
// conflicts that were read without provenance. They are older than anything.
const unstamped = -1

func openCell(v artifact.Value, by []*artifact.Stamp) cell {
	c, isConflict := v.(artifact.Conflict)
	switch {
	case isConflict:
		ws := make([]writer, len(c))
		for i, cand := range c {
			ws[i].value = cand.Value
			if len(by) == len(c) {
				ws[i].stamp = by[i]
			} else {
				ws[i].stamp = &artifact.Stamp{Agent: cand.Agent, Delta: cand.Delta, Version: unstamped}
			}
		}
		return cellOf(ws)
	case len(by) == 0:
		return cell{first: writer{value: v}}
	case len(by) == 1:
		return cell{first: writer{stamp: by[0], value: v}}
	}
	ws := make([]writer, len(by))
	for i, s := range by {
		ws[i] = writer{stamp: s, value: v}
	}
	return cellOf(ws)
}

func cellOf(ws []writer) cell {
	if len(ws) == 0 {
		return cell{}
	}
	return cell{ws[0], ws[1:]}
}

func (c *cell) empty() bool { return c.first.value == nil }

// close gives the cell's value and the stamps behind it.
func (c *cell) close() (artifact.Value, []*artifact.Stamp) {
	if len(c.more) == 0 {
		if c.first.stamp == nil {
			return c.first.value, nil
		}
		return c.first.value, []*artifact.Stamp{c.first.stamp}
	}
	var by []*artifact.Stamp
	for w := range c.writers {
		if w.stamp != nil && w.stamp.Version != unstamped {
			by = append(by, w.stamp)
		}
	}
	if !c.conflict() {
		return c.first.value, by
	}
	v := make(artifact.Conflict, 0, 1+len(c.more))
	for w := range c.writers {
		v = append(v, artifact.Candidate{Agent: w.stamp.Agent, Delta: w.stamp.Delta, Value: w.value})
	}
	return v, by
}

// writers goes through all writers of the cell.
func (c *cell) writers(yield func(writer) bool) {
	if !yield(c.first) {
		return
	}
	for _, w := range c.more {
		if !yield(w) {
			return
		}
	}
}

func (c *cell) conflict() bool {
	return slices.ContainsFunc(c.more, func(w writer) bool { return !artifact.Equal(w.value, c.first.value) })
}

// write puts a value into the cell and tells whether that changed anything.
func (c *cell) write(w writer, birth *artifact.Stamp) bool {
	switch right := compareRight(w.stamp, c.first.stamp); {
	case c.empty() || right > 0:
		c.lose(w.value)
		*c = cell{first: w}
		c.first.becomes(FieldApplied)
		return true
	case right < 0:
		w.becomes(FieldSuperseded)
		return false
	}
	return c.join(w, birth)
}

// lose marks all that was written as superseded, but for what says the same as
// the value that takes its place.
func (c *cell) lose(to artifact.Value) {
	for w := range c.writers {
		if w.out != nil && (to == nil || !artifact.Equal(w.value, to)) {
			w.becomes(FieldSuperseded)
		}
	}
}

// join adds a writer of equal right, or lets an author change its own word.
func (c *cell) join(w writer, birth *artifact.Stamp) bool {
	all := make([]writer, 0, 2+len(c.more))
	all = append(append(all, c.first), c.more...)
	at, found := slices.BinarySearchFunc(all, w.stamp.Agent, func(w writer, a string) int { return strings.Compare(w.stamp.Agent, a) })
	switch {
	case !found:
		all = slices.Insert(all, at, w)
	case laterBlock(w.stamp, all[at].stamp, birth):
		all[at].becomes(FieldSuperseded)
		all[at] = w
	default:
		w.becomes(FieldSuperseded)
		return false
	}
	*c = cellOf(all)
	outcome := FieldApplied
	if c.conflict() {
		outcome = FieldConflicted
	}
	for w := range c.writers {
		w.becomes(outcome)
	}
	return true
}

// wroteBy tells whether the write of s still stands in the cell.
func (c *cell) wroteBy(s *artifact.Stamp) bool {
	return c.first.stamp == s || slices.ContainsFunc(c.more, func(w writer) bool { return w.stamp == s })
}
