package merge

import (
	"brenner/artifact"
)

// touch is one thing that a delta wrote, to be looked at again when the whole
// batch is through: only then is it clear what of it stands.
type touch struct {
	slot    *slot
	name    string
	key     string
	value   artifact.Value
	isKey   bool
	changed bool
}

// write weighs one field against what stands there.
func (p *pass) write(e *entry, s *slot, w write) {
	d := s.open()
	f := d.field(w.name)
	// The value is passed on as it is: to box a list again would cost more
	// than to weigh it.
	switch shapeOf(w.value) {
	case union:
		e.note(touch{slot: s, name: w.name, value: w.value}, f.addList(e, w.value, w.replace, d.created))
	case mapping:
		p.writeMap(e, s, f, w)
	default:
		e.note(touch{slot: s, name: w.name, value: w.value}, f.setScalar(e.stamp, w.value, d.created))
	}
	if e.changed {
		d.dirty = true
		p.shelf(d.section).touched = true
	}
}

func (p *pass) writeMap(e *entry, s *slot, f *field, w write) {
	m := w.value.(artifact.Map)
	birth := s.draft.created
	done, changed := f.reshape(mapping, e.stamp, w.value, birth)
	if done {
		e.note(touch{slot: s, name: w.name, value: w.value}, changed)
		return
	}
	if w.replace && beats(e.stamp, f.floor, birth) && f.raiseFloor(e.stamp, birth, p.keepsText(s, w.name)) {
		changed = true
	}
	if changed || len(m) == 0 {
		e.note(touch{slot: s, name: w.name, value: w.value}, changed)
	}
	for _, entry := range m {
		t := touch{slot: s, name: w.name, key: entry.Key, isKey: true, value: entry.Value}
		e.note(t, f.setKey(e.stamp, entry.Key, entry.Value, birth))
	}
}

// keepsText tells which keys survive a replacement of their map: the text behind
// an N/A stays for audit.
func (p *pass) keepsText(row *slot, field string) func(string) bool {
	if field != "predictions" {
		return nil
	}
	return func(key string) bool { return p.cellGone(row, key) }
}

func (e *entry) note(t touch, changed bool) {
	t.changed = changed
	if changed {
		e.changed = true
	}
	e.touches = append(e.touches, t)
}

// outcome says what of a touch stands at the end.
func (t *touch) outcome(s *artifact.Stamp) Outcome {
	f := t.slot.draft.find(t.name)
	switch {
	case f == nil:
		return FieldSuperseded
	case t.isKey && f.shape == mapping:
		if c := f.key(t.key); c != nil {
			return t.standing(c, s)
		}
		return FieldSuperseded
	case f.shape == scalar:
		return t.standing(&f.cell, s)
	}
	list, _ := t.value.(artifact.List)
	switch {
	case f.floor == s && t.changed:
		return FieldApplied
	case f.shape == union && f.hasAny(list):
		if t.changed {
			return FieldApplied
		}
		return FieldUnchanged
	case !t.changed && isEmpty(t.value):
		return FieldUnchanged
	case t.changed && f.shape == mapping && !t.isKey:
		return FieldApplied // its keys have rows of their own
	}
	return FieldSuperseded
}

func isEmpty(v artifact.Value) bool {
	switch v := v.(type) {
	case artifact.List:
		return len(v) == 0
	case artifact.Map:
		return len(v) == 0
	}
	return false
}

// hasAny tells whether any of the elements is in the list.
func (f *field) hasAny(list artifact.List) bool {
	for _, v := range list {
		if f.element(v) >= 0 {
			return true
		}
	}
	return false
}

func (t *touch) standing(c *cell, s *artifact.Stamp) Outcome {
	stands := c.wroteBy(s)
	switch {
	case stands && c.conflict():
		return FieldConflicted
	case stands:
		return FieldApplied
	case !c.empty() && !c.conflict() && artifact.Equal(c.first.value, t.value):
		if t.changed {
			return FieldApplied
		}
		return FieldSuperseded
	}
	return FieldSuperseded
}

// conclude gives the delta its disposition, now that all is decided.
func (e *entry) conclude() {
	e.concludeFields()
	if e.row.Disposition == "" {
		e.row.Disposition = e.sum()
	}
	e.row.DeltaID, e.row.Agent, e.row.Fields = e.stamp.Delta, e.d.Agent, e.outcomes
	if e.row.TargetID == "" {
		e.row.TargetID = e.d.Target
	}
}

// concludeFields says what became of each field. An item that only its ADD ever
// touched has all of it.
func (e *entry) concludeFields() {
	if s := e.made; s != nil && s.maker == e && s.draft == nil {
		e.noteBirth(s)
		for i := range e.touches {
			e.outcomes = append(e.outcomes, FieldOutcome{Field: e.touches[i].path(), Outcome: FieldApplied})
		}
		return
	}
	for i := range e.touches {
		t := &e.touches[i]
		e.outcomes = append(e.outcomes, FieldOutcome{Field: t.path(), Outcome: t.outcome(e.stamp)})
	}
}

// path names the field, or the key of a map.
func (t *touch) path() string {
	if t.isKey {
		return t.name + "." + t.key
	}
	return t.name
}

// sum makes one disposition of the outcomes of the fields.
func (e *entry) sum() Disposition {
	var has [5]bool
	for _, o := range e.outcomes {
		switch o.Outcome {
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
	case has[1], e.made != nil, e.d.Operation == opKill:
		return Applied
	case has[2]:
		return Superseded
	case has[3]:
		e.row.Code = TargetKilled
		e.row.Message = "every cell it names is " + artifact.NotApplicable
	default:
		e.row.Message = "it changes nothing"
	}
	return Skipped
}
