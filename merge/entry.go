package merge

import (
	"brenner/artifact"
	"brenner/delta"
)

// entry is one delta on its way through the merge. It is kept small: a large
// batch spends its time on memory. What few deltas need stands behind a pointer.
type entry struct {
	d      *delta.Delta
	who    *standing
	stamp  *artifact.Stamp
	self   *[1]*artifact.Stamp // the stamp alone: shared by all that the delta writes
	row    *Row
	labels *labels
	links  *links // nil for what certainly says something new
	made   *slot  // the item that this ADD made, or made when it was first read
	queue  *queue // nil but for deltas that wait, and those waited for
	index  int32  // place in processing order
	// outcomes is how many rows of the report its fields may take.
	outcomes int32
	dated    bool
	adds     bool // it is an ADD

	// What a pass finds out, like made and queue; reset before each pass.
	judged   bool
	claimed  bool // its id and its content count as read
	recorded bool // its id was on record before
	changed  bool
}

// queue is who waits for whom.
type queue struct {
	waiting  []*entry // deltas that address the item which this ADD makes
	waitsFor *entry   // the ADD that this one waits for
}

// reset forgets what a pass found out.
func (e *entry) reset() {
	e.made, e.queue = nil, nil
	e.judged, e.claimed, e.recorded, e.changed = false, false, false, false
	*e.row = Row{}
}

func (e *entry) queued() *queue {
	if e.queue == nil {
		e.queue = &queue{}
	}
	return e.queue
}

// waitsFor gives the ADD that this one waits for, or waited for.
func (e *entry) waitsFor() *entry {
	if e.queue == nil {
		return nil
	}
	return e.queue.waitsFor
}

// mark is a delta's stamp, beside the list that holds nothing else.
type mark struct {
	stamp artifact.Stamp
	self  [1]*artifact.Stamp
}
