package merge

import (
	"brenner/artifact"
	"brenner/artifact/delta"
)

// entry is one delta on its way through the merge: what is known about it, and
// where to find the delta itself, its stamp and its row of the report.
type entry struct {
	*facts
	in *docket
}

// facts are what is known about one delta. They are small and hold no pointers: a
// large batch spends its time on memory, and the garbage collector on pointers.
// What few deltas need stands elsewhere.
type facts struct {
	index   int32 // place in processing order
	at      int32 // place in the batch
	agent   int32 // place of its author among the standings
	number  int32 // of its target, where that is an id of its section; else 0
	rare    int32 // place of what few deltas need, from 1; 0 for nearly all
	made    int32 // place on its shelf, from 1, of the item that this ADD made, or made when it was first read
	shelf   int8  // the section of that item
	section int8  // or noSection
	traits  traits

	// What a pass finds out, like made and the queue; reset before each pass.
	judged   bool
	claimed  bool // its id and its content count as read
	recorded bool // its id was on record before
	changed  bool
}

const noSection = -1

func (f *facts) is(what traits) bool { return f.traits&what != 0 }

// none tells that there is no such delta.
func (e entry) none() bool { return e.facts == nil }

func (e entry) d() *delta.Delta { return &e.in.batch[e.at] }

func (e entry) stamp() *artifact.Stamp { return &e.in.stamps[e.index] }

func (e entry) row() *Row { return &e.in.rows[e.index] }

// author is what the rules say about who wrote the delta.
func (e entry) author() *standing { return &e.in.standings[e.agent] }

// rare is what few deltas need.
type rare struct {
	labels *labels
	links  *links // nil for what certainly says something new
	queue  *queue // nil but for deltas that wait, and those waited for
}

// queue is who waits for whom.
type queue struct {
	waiting  []entry // deltas that address the item which this ADD makes
	waitsFor entry   // the ADD that this one waits for
}

// reset forgets what a pass found out.
func (e entry) reset() {
	e.made = 0
	if e.rare != 0 {
		e.needs().queue = nil
	}
	e.judged, e.claimed, e.recorded, e.changed = false, false, false, false
	*e.row() = Row{}
}

// needs gives the place for what few deltas need. It is good until another delta
// needs one.
func (e entry) needs() *rare {
	if e.rare == 0 {
		e.in.rares = append(e.in.rares, rare{})
		e.rare = int32(len(e.in.rares))
	}
	return &e.in.rares[e.rare-1]
}

func (e entry) labels() *labels {
	if e.rare == 0 {
		return nil
	}
	return e.needs().labels
}

func (e entry) links() *links {
	if e.rare == 0 {
		return nil
	}
	return e.needs().links
}

// queue gives who waits for this delta, and whom it waits for, or nil.
func (e entry) queue() *queue {
	if e.rare == 0 {
		return nil
	}
	return e.needs().queue
}

func (e entry) queued() *queue {
	r := e.needs()
	if r.queue == nil {
		r.queue = &queue{}
	}
	return r.queue
}

// waitsFor gives the ADD that this one waits for, or waited for.
func (e entry) waitsFor() entry {
	if q := e.queue(); q != nil {
		return q.waitsFor
	}
	return entry{}
}
