package merge

import (
	"slices"

	"brenner/artifact"
	"brenner/artifact/delta"
)

// addition is what one delta adds to a list. If anything was dropped from that list, it is examined
// again at the end of the batch. For all other writes the cells keep the report up to date.
//
// Usually nothing is dropped and the addition is the payload's list itself. Then only a mark in the
// report is kept, and the addition is created on demand.
type addition struct {
	slot *slot
	by   *artifact.Stamp
	list artifact.Value
	out  *FieldOutcome // names the field
}

// write weighs one field against the existing value.
func (p *pass) write(e entry, s *slot, w *write) {
	d := p.open(s)
	if w.adds() == 0 && d.find(w.Name) == nil {
		e.outcome(w.Name) // an empty addition
		return
	}
	f := d.field(w.Name)
	// Pass the value on as it is: boxing a list again would cost more than weighing it.
	switch shapeOf(w.Value) {
	case union:
		out := e.outcome(w.Name)
		p.recordAddition(s, e, w.Value, w.refs, out)
		e.note(f.addList(writer{e.stamp(), w.Value, out}, p.self(e), e.index+1, w.replace, d.created))
	case mapping:
		p.writeMap(e, s, f, w)
	default:
		e.note(f.setScalar(writer{e.stamp(), w.Value, e.outcome(w.Name)}, d.created))
	}
	p.raised = p.raised || f.raised
	if e.changed {
		d.dirty = true
		p.section(d.section).touched = true
	}
}

func (p *pass) writeMap(e entry, s *slot, f *field, w *write) {
	m := w.Value.(artifact.Map)
	birth := s.draft.created
	if f.shape != unset && f.shape != mapping {
		done, changed := f.reshape(mapping, writer{e.stamp(), w.Value, e.outcome(w.Name)}, birth)
		e.note(changed)
		if done {
			return
		}
	}
	f.shape = mapping
	if w.replace && beats(e.stamp(), f.floor, birth) && f.raiseFloor(p.self(e), birth, p.keepsText(e, s, w.Name)) {
		e.outcome(w.Name).Outcome = FieldApplied
		e.note(true)
	}
	for _, entry := range m {
		out := e.outcome(w.Name + "." + entry.Key)
		e.note(f.setKey(writer{e.stamp(), entry.Value, out}, entry.Key, birth))
	}
}

// keepsText returns which keys survive a replacement of their map: hidden text is kept for audit.
func (p *pass) keepsText(e entry, row *slot, field string) func(string) bool {
	if field != "predictions" {
		return nil
	}
	return func(key string) bool { return p.cellGone(e, row, key) }
}

// outcome adds a report row for a field. Room was reserved in advance, so the pointer stays valid.
func (e entry) outcome(field string) *FieldOutcome {
	row := e.row()
	row.Fields = append(row.Fields, FieldOutcome{Field: field})
	return &row.Fields[len(row.Fields)-1]
}

func (e entry) note(changed bool) { e.changed = e.changed || changed }

// settle examines an addition to a list again, because all of it may have been removed.
func (t *addition) settle() {
	f := t.slot.draft.find(t.out.Field)
	if f == nil || !f.raised || t.out.Outcome != FieldApplied {
		return
	}
	switch list := t.list.(artifact.List); {
	case f.shape == union && (slices.Contains(f.floor, t.by) || f.hasAny(list)):
	case f.shape == scalar && f.cell.wroteBy(t.by):
		if f.cell.split {
			t.out.Outcome = FieldConflicted
		}
	default:
		t.out.Outcome = FieldSuperseded
	}
}

// recordAddition records an addition to a list. References are kept as resolved.
func (p *pass) recordAddition(s *slot, e entry, list artifact.Value, refs bool, out *FieldOutcome) {
	if refs {
		p.additions = append(p.additions, addition{s, e.stamp(), list, out})
	} else {
		out.united = true
	}
}

func (p *pass) settleAdditions() {
	for i := range p.additions {
		p.additions[i].settle()
	}
	for i := range p.facts {
		e := p.entry(i)
		for j := range e.row().Fields {
			out := &e.row().Fields[j]
			if !out.united {
				continue
			}
			given := e.d().Payload.Find(out.Field)
			t := addition{p.section(artifact.Section(e.section)).find(e.row().TargetID), e.stamp(), given.Value, out}
			t.settle()
		}
	}
}

func (f *field) hasAny(list artifact.List) bool {
	return slices.ContainsFunc(list, func(v artifact.Value) bool { return f.element(v) >= 0 })
}

// conclude sets the disposition of every delta, once everything is decided.
func (p *pass) conclude() {
	if p.raised {
		p.settleAdditions()
	}
	for i := range p.facts {
		e := entry{&p.facts[i], p.orderedBatch}
		switch e.conclude() {
		case Applied:
			p.applied++
			p.count(e)
		case Conflicted:
			p.count(e)
		}
	}
}

// count records that a delta changed the artifact.
func (p *pass) count(e entry) {
	who := e.author()
	if who.newest == nil {
		who.oldest = e.stamp()
		p.counted = append(p.counted, who)
	}
	who.newest = e.stamp() // entries are in time order
	asked := p.index.rules.Asked[who.Agent]
	if w, ok := p.index.rules.Repairs[who.Agent]; ok && e.d().Place != nil && e.d().Place.Repair {
		who.Model, asked = w.Model, w.Asked
	}
	who.asked = addAsked(who.asked, asked)
}

func (e entry) conclude() Disposition {
	row := e.row()
	if row.Disposition == undecided {
		row.Disposition = e.sum(row)
	}
	if e.is(adds) && len(row.Fields) > 0 { // for a new item report only what has no effect
		row.Fields = slices.DeleteFunc(row.Fields, func(o FieldOutcome) bool { return o.Outcome == FieldApplied })
	}
	if row.TargetID == "" {
		row.TargetID = e.d().Target
	}
	return row.Disposition
}

// sum combines the final outcomes of the fields into one disposition and cuts their links.
func (e entry) sum(row *Row) Disposition {
	var has [5]bool
	for i := range row.Fields {
		if row.Fields[i].with != nil {
			row.Fields[i].with = nil
		}
		switch row.Fields[i].Outcome {
		case FieldConflicted:
			has[0] = true
		case FieldApplied:
			has[1] = true
		case FieldSuperseded:
			has[2] = true
		case FieldSkipped:
			has[3] = true
		}
	}
	switch {
	case has[0]:
		return Conflicted
	case has[1], e.made != 0, e.d().Operation == opKill:
		return Applied
	case has[2]:
		return Superseded
	case has[3]:
		row.Code = TargetKilled
		row.Message = "every cell it names is " + artifact.NotApplicable
	default:
		row.Message = "it changes nothing"
	}
	return Skipped
}

// space allocates many small slices from larger blocks of growing size.
type space[T any] struct {
	block []T
	used  int
	last  int // the size of the last block
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

// more returns the next block size. The allocator needs a word of its own in each block.
func more(than int) int { return min(max(2*than+1, 15), 255) }

// makeRoom reserves an entry's report rows. An ADD needs none while all of it is in effect.
func (p *pass) makeRoom(e entry) {
	if !e.is(adds) {
		e.row().Fields = p.outcomes.take(outcomes(e.d()))
	}
}

// makeRoomForAdd reserves rows like makeRoom. No pointers to the existing rows exist yet.
func (e entry) makeRoomForAdd() {
	byDefault := 1 // a status
	row := e.row()
	row.Fields = slices.Grow(row.Fields, outcomes(e.d())+byDefault)
}

// outcomes returns the maximum number of report rows for the fields of a delta.
func outcomes(d *delta.Delta) int {
	rows := len(d.Payload)
	for i := range d.Payload {
		switch v := d.Payload[i].Value.(type) {
		case artifact.Map:
			rows += len(v) + 1 // it may also replace a value of another shape
		case artifact.List:
			if d.Payload[i].Name == "references" {
				rows += len(v) // each may be refused
			}
		}
	}
	return rows
}
