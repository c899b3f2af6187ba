package merge

import (
	"slices"

	"brenner/artifact"
	"brenner/artifact/delta"
)

// space hands out room for many small lists, made many at a time: the more were
// asked for, the more.
type space[T any] struct {
	block []T
	used  int
	last  int // how many were made the last time
}

func (s *space[T]) take(n int) []T {
	if len(s.block)-s.used < n {
		s.last = more(s.last)
		s.block, s.used = make([]T, max(n, s.last)), 0
	}
	from := s.used
	s.used += n
	return s.block[from:from:s.used]
}

func (s *space[T]) one() *T { return &s.take(1)[:1][0] }

// more is how many to make when so many did not suffice: one less than a power of
// two, since the allocator needs a word of its own in each block.
func more(than int) int { return min(max(2*than+1, 15), 255) }

// makeRoom gives an entry room for its rows of the report. An ADD needs none
// while all of it stands.
func (p *pass) makeRoom(e entry) {
	if !e.is(adds) {
		e.row().Fields = p.outcomes.take(outcomes(e.d()))
	}
}

// makeRoomForAdd makes the room that other deltas have from the start. The rows
// that are there already are not pointed to.
func (e entry) makeRoomForAdd() {
	byDefault := 1 // a status
	row := e.row()
	row.Fields = slices.Grow(row.Fields, outcomes(e.d())+byDefault)
}

// outcomes is how many rows of the report the fields of a delta may take.
func outcomes(d *delta.Delta) int {
	rows := len(d.Payload)
	for i := range d.Payload {
		if m, ok := d.Payload[i].Value.(artifact.Map); ok {
			rows += len(m) + 1 // it may take another shape's place and replace it, too
		}
	}
	return rows
}
