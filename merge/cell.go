package merge

import (
	"slices"
	"strings"

	"brenner/artifact"
)

// cell is the unit that stamps decide about: a scalar field, or one key of a map. It holds the
// writers with the highest right, one per author, in name order. If they disagree, it is a CONFLICT.
type cell struct {
	first writer
	more  []writer // almost always empty
	split bool     // they disagree
}

type writer struct {
	stamp *artifact.Stamp // nil if unknown
	value artifact.Value
	// out is the report row of this write; nil for content of the base. Later writes update it.
	out *FieldOutcome
}

func (w *writer) becomes(o Outcome) {
	if w.out != nil {
		w.out.Outcome = o
		if w.out.with != nil {
			w.out.with.become(o)
		}
	}
}

// unstamped is the version of stamps that only carry a candidate's name, for conflicts read without
// provenance. They are older than any other stamp.
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
	c := cell{first: ws[0], more: ws[1:]}
	c.split = c.disagree()
	return c
}

func (c *cell) empty() bool { return c.first.value == nil }

// closeWhole returns the value and the marks of a cell that is a whole field.
func (c *cell) closeWhole() (artifact.Value, artifact.Marks) {
	if len(c.more) == 0 {
		return c.first.value, artifact.Marks{One: c.first.stamp}
	}
	v, by := c.close()
	return v, artifact.MarksOf(by)
}

// close returns the cell's value and its stamps.
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
	if !c.split {
		return c.first.value, by
	}
	v := make(artifact.Conflict, 0, 1+len(c.more))
	for w := range c.writers {
		v = append(v, artifact.Candidate{Agent: w.stamp.Agent, Delta: w.stamp.Delta, Value: w.value})
	}
	return v, by
}

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

func (c *cell) disagree() bool {
	return slices.ContainsFunc(c.more, func(w writer) bool { return !artifact.Equal(w.value, c.first.value) })
}

// write writes a value into the cell and reports whether that changed anything.
func (c *cell) write(w writer, birth *artifact.Stamp) bool {
	switch right := compareRight(w.stamp, c.first.stamp); {
	case c.empty() || right > 0:
		c.lose(w.value)
		c.first, c.split = w, false
		if c.more != nil {
			c.more = nil
		}
		w.becomes(FieldApplied)
		return true
	case right < 0:
		w.becomes(FieldSuperseded)
		return false
	}
	return c.join(w, birth)
}

// lose marks all writes as superseded, except those that equal the new value.
func (c *cell) lose(to artifact.Value) {
	c.first.lose(to)
	for i := range c.more {
		c.more[i].lose(to)
	}
}

func (w *writer) lose(to artifact.Value) {
	switch {
	case w.out == nil:
	case to != nil && artifact.Equal(w.value, to):
		w.becomes(FieldApplied) // its value is in effect, under another writer
	default:
		w.becomes(FieldSuperseded)
	}
}

// join adds a writer of equal right, or replaces an author's own earlier value.
func (c *cell) join(w writer, birth *artifact.Stamp) bool {
	switch own := c.byAgent(w.stamp.Agent); {
	case own == nil:
		c.insert(w)
		c.agree(c.split || !artifact.Equal(w.value, c.first.value) || !artifact.Equal(w.value, c.more[len(c.more)-1].value), w)
	case laterBlock(w.stamp, own.stamp, birth):
		own.becomes(FieldSuperseded)
		*own = w
		c.agree(c.disagree(), w)
	default:
		w.becomes(FieldSuperseded)
		return false
	}
	return true
}

func (c *cell) byAgent(agent string) *writer {
	if c.first.stamp.Agent == agent {
		return &c.first
	}
	at, found := c.search(agent)
	if !found {
		return nil
	}
	return &c.more[at]
}

func (c *cell) search(agent string) (int, bool) {
	return slices.BinarySearchFunc(c.more, agent, func(w writer, a string) int { return strings.Compare(w.stamp.Agent, a) })
}

// insert keeps the writers in name order, in which a batch delivers them.
func (c *cell) insert(w writer) {
	if w.stamp.Agent < c.first.stamp.Agent {
		c.first, w = w, c.first
	}
	at, _ := c.search(w.stamp.Agent)
	c.more = slices.Insert(c.more, at, w)
}

// agree records whether the writers disagree, and the outcome of each.
func (c *cell) agree(split bool, latest writer) {
	outcome := FieldApplied
	if split {
		outcome = FieldConflicted
	}
	if split == c.split {
		latest.becomes(outcome)
		return
	}
	c.split = split
	for w := range c.writers {
		w.becomes(outcome)
	}
}

func (c *cell) anyWriter(is func(*artifact.Stamp) bool) bool {
	for w := range c.writers {
		if is(w.stamp) {
			return true
		}
	}
	return false
}

// drop removes the writers whose value was dropped; some remain.
func (c *cell) drop(gone func(*artifact.Stamp) bool) {
	if !c.anyWriter(gone) {
		return
	}
	var left []writer
	for w := range c.writers {
		if gone(w.stamp) {
			w.becomes(FieldSuperseded)
		} else {
			left = append(left, w)
		}
	}
	*c = cellOf(left)
	for w := range c.writers {
		if w.becomes(FieldApplied); c.split {
			w.becomes(FieldConflicted)
		}
	}
}

// wroteBy reports whether the write of s is still in effect in the cell.
func (c *cell) wroteBy(s *artifact.Stamp) bool {
	return c.first.stamp == s || slices.ContainsFunc(c.more, func(w writer) bool { return w.stamp == s })
}
