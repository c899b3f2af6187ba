package merge

import (
	"slices"

	"brenner/artifact"
)

// manyParts is where looking up elements and keys by hash begins to pay.
const manyParts = 12

// setScalar writes a whole field. Stamps decide.
func (f *field) setScalar(w writer, birth *artifact.Stamp) bool {
	switch f.shape {
	case unset:
		f.shape = scalar
	case union, mapping:
		f.fold()
	}
	return f.cell.write(w, birth)
}

// fold turns a list or a map into a scalar, so that a write of another shape can
// be weighed against the whole of it. Only its newest writer can still stand.
func (f *field) fold() {
	v, newest := f.whole()
	folded := cell{first: writer{stamp: newest, value: v}}
	for i := range f.keys {
		for w := range f.keys[i].cell.writers {
			if w.stamp == newest && newest != nil {
				folded.first.out = w.out
			} else {
				w.becomes(FieldSuperseded)
			}
		}
	}
	*f = field{name: f.name, shape: scalar, cell: folded, raised: true}
}

// reshape makes the field ready for a write of the wanted shape. Where it has
// another one, the write is weighed as a whole: it replaces, loses, or is a
// conflict; done tells that nothing is left to do.
func (f *field) reshape(want shape, w writer, birth *artifact.Stamp) (done, changed bool) {
	if f.shape == unset || f.shape == want {
		f.shape = want
		return false, false
	}
	changed = f.setScalar(w, birth)
	if changed && len(f.cell.more) == 0 {
		*f = field{name: f.name, shape: want, raised: true}
		return false, true
	}
	return true, changed
}

// addList unites elements with the list, or with replace puts them in its place.
func (f *field) addList(e *entry, w writer, replace bool, birth *artifact.Stamp) bool {
	done, changed := f.reshape(union, w, birth)
	if done {
		return changed
	}
	if !beats(w.stamp, f.floor, birth) {
		w.becomes(FieldSuperseded)
		return changed
	}
	if replace && f.raiseFloor(w.stamp, birth, nil) {
		changed = true
	}
	for _, v := range w.value.(artifact.List) {
		if f.addElement(e, v) {
			changed = true
		}
	}
	if w.becomes(FieldUnchanged); changed {
		w.becomes(FieldApplied)
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
		if !drop(k.cell.first.stamp) || (keep != nil && keep(k.key)) {
			return false
		}
		k.cell.lose(nil)
		return true
	})
	f.at, f.raised = nil, true
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
func (f *field) setKey(w writer, name string, birth *artifact.Stamp) bool {
	if !beats(w.stamp, f.floor, birth) {
		w.becomes(FieldSuperseded)
		return false
	}
	if c := f.key(name); c != nil {
		return c.write(w, birth)
	}
	w.becomes(FieldApplied)
	f.keys = append(f.keys, keyed{name, cell{first: w}})
	if f.at != nil {
		f.at[name] = len(f.keys) - 1
	}
	return true
}

// clearKey forgets a cell that never belonged to the hypothesis of that name.
func (f *field) clearKey(name string) {
	if c := f.key(name); c != nil {
		c.lose(nil)
	}
	f.keys = slices.DeleteFunc(f.keys, func(k keyed) bool { return k.key == name })
	f.at = nil
}
