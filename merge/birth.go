package merge

import (
	"cmp"
	"slices"

	"brenner/artifact"
)

// bear gives a new item the fields of its ADD. Nobody else can have touched it
// yet, so there is nothing to weigh; should somebody do so later in the batch,
// a draft is opened from it as from any other item.
func (p *pass) bear(e *entry, s *slot, writes []write) {
	slices.SortFunc(writes, func(a, b write) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), artifact.CompareKeys(a.name, b.name))
	})
	s.item.Fields = make([]artifact.Field, len(writes))
	for i, w := range writes {
		f := &s.item.Fields[i]
		f.Name, f.Value = w.name, w.value
		f.Marks.By = e.self
		switch v := w.value.(type) {
		case artifact.List:
			f.Value = distinct(v)
			if len(v) == 0 {
				f.Marks.By = nil
			}
		case artifact.Map:
			if len(v) == 0 {
				f.Marks.By = nil
			}
		}
		if w.replace && shapeOf(w.value) != scalar {
			f.Marks = artifact.Marks{Floor: e.stamp, Parts: repeat(e.self, f.Value)}
		}
	}
}

// distinct takes out the elements that stand twice.
func distinct(list artifact.List) artifact.List {
	var seen field
	e := entry{stamp: &artifact.Stamp{}}
	for i, v := range list {
		if seen.addElement(&e, v) {
			continue
		}
		out := slices.Clone(list[:i])
		for _, v := range list[i+1:] {
			if seen.addElement(&e, v) {
				out = append(out, v)
			}
		}
		return out
	}
	return list
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
		for _, ref := range p.mentioned(e, *w) {
			if s, found := p.refer(e, ref); found != known || s.id != ref {
				return false
			}
		}
	}
	return true
}

// noteBirth writes down what an ADD wrote, and its outcome, as if it had been
// weighed field by field.
func (e *entry) noteBirth(s *slot) {
	for _, f := range s.item.Fields {
		if m, ok := f.Value.(artifact.Map); ok && len(m) > 0 {
			for _, entry := range m {
				e.note(touch{slot: s, name: f.Name, key: entry.Key, isKey: true, value: entry.Value}, true)
			}
			continue
		}
		e.note(touch{slot: s, name: f.Name, value: f.Value}, true)
	}
}
