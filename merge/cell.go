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
		return cell{first: writer{by[0], v}}
	}
	ws := make([]writer, len(by))
	for i, s := range by {
		ws[i] = writer{s, v}
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
func (c *cell) write(s *artifact.Stamp, v artifact.Value, birth *artifact.Stamp) bool {
	switch right := compareRight(s, c.first.stamp); {
	case c.empty() || right > 0:
		*c = cell{first: writer{s, v}}
		return true
	case right < 0:
		return false
	}
	if len(c.more) == 0 && c.first.stamp.Agent == s.Agent {
		if !laterBlock(s, c.first.stamp, birth) {
			return false
		}
		c.first = writer{s, v}
		return true
	}
	return c.join(s, v, birth)
}

// join adds a writer of equal right, or lets an author change its own word.
func (c *cell) join(s *artifact.Stamp, v artifact.Value, birth *artifact.Stamp) bool {
	all := make([]writer, 0, 2+len(c.more))
	all = append(append(all, c.first), c.more...)
	at, found := slices.BinarySearchFunc(all, s.Agent, func(w writer, a string) int { return strings.Compare(w.stamp.Agent, a) })
	if found {
		if !laterBlock(s, all[at].stamp, birth) {
			return false
		}
		all[at] = writer{s, v}
	} else {
		all = slices.Insert(all, at, writer{s, v})
	}
	*c = cellOf(all)
	return true
}

// wroteBy tells whether the write of s still stands in the cell.
func (c *cell) wroteBy(s *artifact.Stamp) bool {
	return c.first.stamp == s || slices.ContainsFunc(c.more, func(w writer) bool { return w.stamp == s })
}
