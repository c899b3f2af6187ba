package merge

import (
	"math/bits"
	"slices"

	"brenner/artifact"
)

// bear gives a new item the fields of its ADD. Nobody else can have touched it
// yet, so there is nothing to weigh; should somebody do so later in the batch,
// a draft is opened from it as from any other item.
//
// Fields stand in the order of the section table, then by name. How many of the
// table's fields there are before one is its place: nothing has to be sorted.
func (p *pass) bear(e entry, s *slot, writes []write) {
	var ranks uint64 // of the table's fields that bring something
	unknown := 0
	for i := range writes {
		switch w := &writes[i]; {
		case w.adds() == 0:
		case w.known:
			ranks |= 1 << w.rank
		default:
			unknown++
		}
	}
	known := bits.OnesCount64(ranks)
	fields := p.fields.take(known + unknown)[:known+unknown]
	rest := fields[known:]
	for i := range writes {
		switch w := &writes[i]; {
		case w.adds() == 0:
		case w.known:
			p.bearField(s, &fields[bits.OnesCount64(ranks&(1<<w.rank-1))], w)
		default:
			p.bearField(s, &rest[0], w)
			rest = rest[1:]
		}
	}
	slices.SortFunc(fields[known:], func(a, b artifact.Field) int { return artifact.CompareKeys(a.Name, b.Name) })
	s.item.Fields = fields
	if e.is(replaces) {
		p.markReplacements(e, s.item, writes)
	}
}

func (p *pass) bearField(s *slot, f *artifact.Field, w *write) {
	f.Name, f.Value = w.Name, w.Value
	if shapeOf(w.Value) == union {
		f.Value = distinct(w.Value)
	}
	if w.free && split(f) {
		p.shelf(s.section()).split = true
	}
}

// markReplacements notes which lists and maps of a new item were written as
// replacements: what is older and comes later loses to them.
func (p *pass) markReplacements(e entry, it *artifact.Item, writes []write) {
	self := p.self(e)
	replaced := make(map[string]bool)
	for i := range writes {
		if writes[i].replace && shapeOf(writes[i].Value) != scalar {
			replaced[writes[i].Name] = true
		}
	}
	marks := slices.Repeat([]artifact.Marks{{One: e.stamp()}}, len(it.Fields))
	for i := range it.Fields {
		if f := &it.Fields[i]; replaced[f.Name] {
			marks[i] = artifact.Marks{Parts: &artifact.Parts{Floor: self, Each: repeat(self, f.Value)}}
		}
	}
	it.SetMarks(marks)
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
func (p *pass) plain(e entry, writes []write) bool {
	for i := range writes {
		w := &writes[i]
		if !w.refs {
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
func (p *pass) noteBirth(e entry, s *slot) {
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
			spec, known := s.section().Spec().Field(f.Name)
			p.touch(s, e, f.Value, known && spec.Refs, out)
		} else {
			open.cell.first.out = out
		}
	}
}
