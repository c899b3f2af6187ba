package merge

import (
	"slices"

	"brenner/artifact"
)

// manyParts is where looking up elements and keys by hash begins to pay.
const manyParts = 12

// setScalar writes a whole field. Stamps decide.
func (f *field) setScalar(s *artifact.Stamp, v artifact.Value, birth *artifact.Stamp) bool {
	if f.shape == unset {
		f.shape = scalar
	}
	if f.shape != scalar {
		f.fold()
	}
	return f.cell.write(s, v, birth)
}

// fold turns a list or a map into a scalar, so that a write of another shape can
// be weighed against the whole of it.
func (f *field) fold() {
	v, newest := f.whole()
	var by []*artifact.Stamp
	if newest != nil {
		by = []*artifact.Stamp{newest}
	}
	*f = field{name: f.name, shape: scalar, cell: openCell(v, by)}
}

// reshape makes the field ready for a write of the wanted shape. Where it has
// another one, the write is weighed as a whole: it replaces, loses, or is a
// conflict; done tells that nothing is left to do.
func (f *field) reshape(want shape, s *artifact.Stamp, v artifact.Value, birth *artifact.Stamp) (done, changed bool) {
	if f.shape == unset || f.shape == want {
		f.shape = want
		return false, false
	}
	changed = f.setScalar(s, v, birth)
	if changed && len(f.cell.more) == 0 {
		*f = field{name: f.name, shape: want}
		return false, true
	}
	return true, changed
}

// addList unites elements with the list, or with replace puts them in its place.
func (f *field) addList(e *entry, v artifact.Value, replace bool, birth *artifact.Stamp) bool {
	s, list := e.stamp, v.(artifact.List)
	done, changed := f.reshape(union, s, v, birth)
	if done {
		return changed
	}
	if !beats(s, f.floor, birth) {
		return changed
	}
	if replace && f.raiseFloor(s, birth, nil) {
		changed = true
	}
	for _, v := range list {
		if f.addElement(e, v) {
			changed = true
		}
	}
	return changed
}

// raiseFloor drops what is older than a replacement, and tells whether the
// replacement is the newest one: of two with equal right the first stays the
// floor, and the union of both stands. Keys for which keep holds are not dropped.
func (f *field) raiseFloor(s, birth *artifact.Stamp, keep func(string) bool) bool {
	drop := func(by *artifact.Stamp) bool { return by == nil || !beats(by, s, birth) }
	f.list = slices.DeleteFunc(f.list, func(e element) bool { return drop(e.stamp) })
	f.keys = slices.DeleteFunc(f.keys, func(k keyed) bool {
		return drop(k.cell.first.stamp) && (keep == nil || !keep(k.key))
	})
	f.at = nil
	if f.floor != nil && compareRight(s, f.floor) == 0 && f.floor.Agent != s.Agent {
		return false
	}
	f.floor = s
	return true
}

func (f *field) addElement(e *entry, v artifact.Value) bool {
	if at := f.element(v); at >= 0 {
		if compareRight(e.stamp, f.list[at].stamp) > 0 {
			f.list[at].stamp = e.stamp
			return true
		}
		return false
	}
	f.list = append(f.list, element{value: v, stamp: e.stamp, order: e.index + 1})
	if f.at != nil {
		f.at[string(artifact.Canonical(v))] = len(f.list) - 1
	}
	return true
}

// element finds a value in the list, or -1.
func (f *field) element(v artifact.Value) int {
	if len(f.list) <= manyParts {
		return slices.IndexFunc(f.list, func(e element) bool { return artifact.Equal(e.value, v) })
	}
	if f.at == nil {
		f.at = make(map[string]int, 2*len(f.list))
		for i, e := range f.list {
			f.at[string(artifact.Canonical(e.value))] = i
		}
	}
	if at, ok := f.at[string(artifact.Canonical(v))]; ok {
		return at
	}
	return -1
}

// key finds a key's cell, or nil.
func (f *field) key(name string) *cell {
	if len(f.keys) <= manyParts {
		for i := range f.keys {
			if f.keys[i].key == name {
				return &f.keys[i].cell
			}
		}
		return nil
	}
	if f.at == nil {
		f.at = make(map[string]int, 2*len(f.keys))
		for i := range f.keys {
			f.at[f.keys[i].key] = i
		}
	}
	if at, ok := f.at[name]; ok {
		return &f.keys[at].cell
	}
	return nil
}

// setKey writes one key of a map.
func (f *field) setKey(s *artifact.Stamp, name string, v artifact.Value, birth *artifact.Stamp) bool {
	if !beats(s, f.floor, birth) {
		return false
	}
	if c := f.key(name); c != nil {
		return c.write(s, v, birth)
	}
	f.keys = append(f.keys, keyed{name, cell{first: writer{s, v}}})
	if f.at != nil {
		f.at[name] = len(f.keys) - 1
	}
	return true
}

// clearKey forgets a cell that never belonged to the hypothesis of that name.
func (f *field) clearKey(name string) {
	f.keys = slices.DeleteFunc(f.keys, func(k keyed) bool { return k.key == name })
	f.at = nil
}
