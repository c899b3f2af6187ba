package merge

import (
	"slices"

	"brenner/artifact"
)

// bear gives a new item the fields of its ADD. Nobody else can have touched it
// yet, so there is nothing to weigh; should somebody do so later in the batch,
// a draft is opened from it as from any other item.
func (p *pass) bear(e *entry, s *slot, writes []write) {
	order := p.fieldOrder(writes)
	s.item.Fields = p.fields.take(len(order))[:len(order)]
	for i, at := range order {
		f, w := &s.item.Fields[i], &writes[at]
		f.Name, f.Value = w.name, w.value
		f.Marks.One = e.stamp
		if shapeOf(w.value) == union {
			f.Value = distinct(w.value)
		}
		if w.replace && shapeOf(w.value) != scalar {
			self := p.self(e)
			f.Marks = artifact.Marks{Parts: &artifact.Parts{Floor: self, Each: repeat(self, f.Value)}}
		}
		if (w.spec == nil || w.spec.Kind == artifact.KindAny) && split(f) { // no other kind can hold a conflict
			p.shelf(s.section()).split = true
		}
	}
}

// fieldOrder gives the places of the writes that bring something, in the order of
// the section table, then of their names. The list is good until the next call.
func (p *pass) fieldOrder(writes []write) []int32 {
	order, unknown := p.order[:0], 0
	for i := range writes {
		w := &writes[i]
		if w.adds() == 0 {
			continue
		}
		if w.spec == nil {
			unknown++
		}
		// Known fields are few, and unknown ones stand in order: what has to
		// be moved is little.
		order = append(order, int32(i))
		at := len(order) - 1
		for ; at > 0 && writes[order[at-1]].rank > w.rank; at-- {
			order[at] = order[at-1]
		}
		order[at] = int32(i)
	}
	p.order = order
	if unknown > 1 {
		slices.SortFunc(order[len(order)-unknown:], func(i, j int32) int {
			return artifact.CompareKeys(writes[i].name, writes[j].name)
		})
	}
	return order
}

// distinct takes out the elements that stand twice. It gives back the value
// itself where there are none, as nearly always.
func distinct(v artifact.Value) artifact.Value {
	list := v.(artifact.List)
	if len(list) <= manyParts && !hasRepeats(list) {
		return v
	}
	var united field
	self := []*artifact.Stamp{{}}
	for _, v := range list {
		united.addElement(v, self, 0, nil)
	}
	if len(united.list) == len(list) {
		return v
	}
	out := make(artifact.List, len(united.list))
	for i, el := range united.list {
		out[i] = el.value
	}
	return out
}

func hasRepeats(list artifact.List) bool {
	for i, v := range list {
		for _, earlier := range list[:i] {
			if artifact.Equal(v, earlier) {
				return true
			}
		}
	}
	return false
}

func repeat(by []*artifact.Stamp, v artifact.Value) [][]*artifact.Stamp {
	n := 0
	switch v := v.(type) {
	case artifact.List:
		n = len(v)
	case artifact.Map:
		n = len(v)
	}
	return slices.Repeat([][]*artifact.Stamp{by}, n)
}

// plain tells whether all references of the writes mean what they say: existing
// items by their ids. Anything else is for the draft to sort out.
func (p *pass) plain(e *entry, writes []write) bool {
	for i := range writes {
		w := &writes[i]
		if w.spec == nil || !w.spec.Refs {
			continue
		}
		for _, ref := range p.mentioned(e, w) {
			if s, found := p.refer(e, ref); found != known || s.id() != ref {
				return false
			}
		}
	}
	return true
}

// noteBirth lets the cells of a draft keep account of what an ADD wrote, since
// from now on a write may lose.
func (p *pass) noteBirth(e *entry, s *slot) {
	e.makeRoomForAdd()
	for i := range s.item.Fields {
		f, open := &s.item.Fields[i], &s.draft.fields[i]
		if open.shape == mapping {
			for k := range open.keys {
				out := e.outcome(f.Name + "." + open.keys[k].key)
				out.Outcome = FieldApplied
				open.keys[k].cell.first.out = out
			}
			continue
		}
		out := e.outcome(f.Name)
		out.Outcome = FieldApplied
		if open.shape == union {
			spec, _ := s.section().Spec().Field(f.Name)
			p.touch(s, e, f.Value, spec, out)
		} else {
			open.cell.first.out = out
		}
	}
}
