package merge

import (
	"brenner/artifact"
	"brenner/delta"
)

// entry is one delta on its way through the merge. It is kept small: a large
// batch spends its time on memory. What few deltas need stands behind a pointer.
type entry struct {
	d        *delta.Delta
	stamp    *artifact.Stamp
	row      *Row
	made     *slot // the item that this ADD made, or made when it was first read
	rare     *rare // nil for nearly all
	index    int32 // place in processing order
	agent    int32 // place of its author among the standings
	outcomes int32 // how many rows of the report its fields may take
	number   int32 // of its target, where that is an id of its section; else 0
	section  int8  // or noSection
	dated    bool
	adds     bool // it is an ADD
	replaces bool // its payload may have words that ask for a replacement

	// What a pass finds out, like made and the queue; reset before each pass.
	judged   bool
	claimed  bool // its id and its content count as read
	recorded bool // its id was on record before
	changed  bool
}

const noSection = -1

// rare is what few deltas need.
type rare struct {
	labels *labels
	links  *links // nil for what certainly says something new
	queue  *queue // nil but for deltas that wait, and those waited for
}

// queue is who waits for whom.
type queue struct {
	waiting  []*entry // deltas that address the item which this ADD makes
	waitsFor *entry   // the ADD that this one waits for
}

// reset forgets what a pass found out.
func (e *entry) reset() {
	e.made = nil
	if e.rare != nil {
		e.rare.queue = nil
	}
	e.judged, e.claimed, e.recorded, e.changed = false, false, false, false
	*e.row = Row{}
}

// needs gives the place for what few deltas need.
func (e *entry) needs() *rare {
	if e.rare == nil {
		e.rare = &rare{}
	}
	return e.rare
}

func (e *entry) labels() *labels {
	if e.rare == nil {
		return nil
	}
	return e.rare.labels
}

func (e *entry) links() *links {
	if e.rare == nil {
		return nil
	}
	return e.rare.links
}

func (e *entry) queued() *queue {
	r := e.needs()
	if r.queue == nil {
		r.queue = &queue{}
	}
	return r.queue
}

// waitsFor gives the ADD that this one waits for, or waited for.
func (e *entry) waitsFor() *entry {
	if e.rare == nil || e.rare.queue == nil {
		return nil
	}
	return e.rare.queue.waitsFor
}
