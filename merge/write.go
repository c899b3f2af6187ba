package merge

import (
	"slices"

	"brenner/artifact"
)

// manyParts is the size from which a lookup of elements and keys by hash pays.
const manyParts = 12

func (f *field) setScalar(w writer, birth *artifact.Stamp) bool {
	switch f.shape {
	case unset:
		f.shape = scalar
	case union, mapping:
		by := f.lastDeltas(birth)
		if !beats(w.stamp, by, birth) {
			w.becomes(FieldSuperseded)
			return false
		}
		f.fold(by)
	}
	return f.cell.write(w, birth)
}

// lastDeltas returns the last delta of each author with the highest right, in name order.
func (f *field) lastDeltas(birth *artifact.Stamp) []*artifact.Stamp {
	var by []*artifact.Stamp
	add := func(s *artifact.Stamp) {
		if s != nil {
			by, _ = joinStamps(by, []*artifact.Stamp{s}, birth)
		}
	}
	for _, s := range f.floor {
		add(s)
	}
	for _, e := range f.list {
		for _, s := range e.by {
			add(s)
		}
	}
	for i := range f.keys {
		for w := range f.keys[i].cell.writers {
			add(w.stamp)
		}
	}
	return by
}

// fold turns a list or a map into a scalar, so that a write of another shape can be weighed against
// it. Each author's last delta counts as a write of the whole field. The same holds if the other
// shape was there first, so the result does not depend on the order.
func (f *field) fold(by []*artifact.Stamp) {
	folded := field{name: f.name, shape: scalar, raised: true}
	if len(by) == 0 { // no known writer
		folded.cell.first.value, _ = f.close()
		*f = folded
		return
	}
	_, _ = f.close() // sorts the parts
	ws := make([]writer, len(by))
	for i, s := range by {
		ws[i] = f.writeOf(s)
	}
	for i := range f.keys {
		for w := range f.keys[i].cell.writers {
			if !slices.Contains(by, w.stamp) {
				w.becomes(FieldSuperseded)
			}
		}
	}
	folded.cell = cellOf(ws)
	for w := range folded.cell.writers {
		if w.becomes(FieldApplied); folded.cell.split {
			w.becomes(FieldConflicted)
		}
	}
	*f = folded
}

// writeOf returns what one delta put into a list or a map, as a write of the whole.
func (f *field) writeOf(s *artifact.Stamp) writer {
	if f.shape == union {
		list := artifact.List{}
		for _, e := range f.list {
			if slices.Contains(e.by, s) {
				list = append(list, e.value)
			}
		}
		return writer{stamp: s, value: list}
	}
	whole, m := writer{stamp: s}, artifact.Map{}
	for i := range f.keys {
		for w := range f.keys[i].cell.writers {
			if w.stamp != s {
				continue
			}
			m = append(m, artifact.Entry{Key: f.keys[i].key, Value: w.value})
			whole.out = w.out.and(whole.out)
		}
	}
	whole.value = m
	return whole
}

// unfold restores a list or a map from a field whose writers agree on one.
func (f *field) unfold() {
	c := f.cell
	*f = field{name: f.name, shape: shapeOf(c.first.value), raised: true}
	switch v := c.first.value.(type) {
	case artifact.List:
		_, by := c.close()
		for _, e := range v {
			f.list = append(f.list, element{value: e, by: slices.Clip(by)})
		}
	case artifact.Map:
		for i, e := range v {
			var ws []writer
			for w := range c.writers {
				if i > 0 {
					w.out = nil // the first represents all: an outcome has one place
				}
				ws = append(ws, writer{w.stamp, e.Value, w.out})
			}
			f.keys = append(f.keys, keyed{e.Key, cellOf(ws)})
		}
	}
}

// reshape prepares the field for a write of the wanted shape. A write of another shape is weighed
// as a whole: it replaces, loses, or is a conflict. done means that nothing is left to do.
func (f *field) reshape(want shape, w writer, birth *artifact.Stamp) (done, changed bool) {
	if f.shape == unset || f.shape == want {
		f.shape = want
		return false, false
	}
	changed = f.setScalar(w, birth)
	switch {
	case !changed || f.cell.split:
		return true, changed
	case len(f.cell.more) > 0: // its author now agrees with the others
		f.unfold()
		return true, true
	}
	*f = field{name: f.name, shape: want, raised: true}
	return false, true
}

// addList adds elements to the list, or with replace sets them. self is the writer alone; order is
// the position of its delta in the batch.
func (f *field) addList(w writer, self []*artifact.Stamp, order int32, replace bool, birth *artifact.Stamp) bool {
	done, changed := f.reshape(union, w, birth)
	if done {
		return changed
	}
	if !beats(w.stamp, f.floor, birth) {
		w.becomes(FieldSuperseded)
		return changed
	}
	if replace && f.raiseFloor(self, birth, nil) {
		changed = true
	}
	for _, v := range w.value.(artifact.List) {
		if f.addElement(v, self, order, birth) {
			changed = true
		}
	}
	if w.becomes(FieldUnchanged); changed {
		w.becomes(FieldApplied)
	}
	return changed
}

// raiseFloor drops what is older than a replacement. Replacements of equal right are united. Keys
// for which keep holds are not dropped.
func (f *field) raiseFloor(self []*artifact.Stamp, birth *artifact.Stamp, keep func(string) bool) bool {
	if !f.spared.by(self[0]) {
		f.dropOlder(self, birth, keep)
		f.spared.learn(f)
	}
	f.raised = true
	floor, changed := joinStamps(f.floor, self, birth)
	f.floor = floor
	return changed
}

func (f *field) dropOlder(self []*artifact.Stamp, birth *artifact.Stamp, keep func(string) bool) {
	drop := func(by *artifact.Stamp) bool { return by == nil || !beats(by, self, birth) }
	f.list = slices.DeleteFunc(f.list, func(e element) bool { return !slices.ContainsFunc(e.by, not(drop)) })
	for i := range f.list {
		f.list[i].by = surviving(f.list[i].by, drop)
	}
	f.keys = slices.DeleteFunc(f.keys, func(k keyed) bool {
		if keep != nil && keep(k.key) || k.cell.anyWriter(not(drop)) {
			return false
		}
		k.cell.lose(nil)
		return true
	})
	for i := range f.keys {
		if keep == nil || !keep(f.keys[i].key) {
			f.keys[i].cell.drop(drop)
		}
	}
	f.at = nil
}

// spared caches, after one scan of all parts of a list or map, which replacements cannot affect any
// of them. Without it a thousand replacements of one field would scan all parts a thousand times.
type spared struct {
	known   bool
	oldest  *artifact.Stamp // no part is older
	authors map[string]bool // all authors of parts
}

// by reports whether no part is older than s, or as old and by the same author.
func (p *spared) by(s *artifact.Stamp) bool {
	if !p.known || p.oldest == nil && len(p.authors) > 0 {
		return false
	}
	c := compareRight(s, p.oldest)
	return len(p.authors) == 0 || c < 0 || c == 0 && !p.authors[s.Agent]
}

func (p *spared) learn(f *field) {
	*p = spared{known: true, authors: make(map[string]bool)}
	for _, e := range f.list {
		for _, s := range e.by {
			p.add(s)
		}
	}
	for i := range f.keys {
		for w := range f.keys[i].cell.writers {
			p.add(w.stamp)
		}
	}
}

func (p *spared) add(s *artifact.Stamp) {
	if !p.known {
		return
	}
	if s == nil {
		*p = spared{} // parts without a known writer are older than all
		return
	}
	if len(p.authors) == 0 || compareRight(s, p.oldest) < 0 {
		p.oldest = s
	}
	p.authors[s.Agent] = true
}

func not(is func(*artifact.Stamp) bool) func(*artifact.Stamp) bool {
	return func(s *artifact.Stamp) bool { return !is(s) }
}

func (f *field) addElement(v artifact.Value, self []*artifact.Stamp, order int32, birth *artifact.Stamp) bool {
	if at := f.element(v); at >= 0 {
		by, changed := joinStamps(f.list[at].by, self, birth)
		f.list[at].by = by
		f.spared.add(self[0])
		return changed
	}
	f.spared.add(self[0])
	f.list = append(f.list, element{value: v, by: self, order: order})
	if f.at != nil {
		f.at[string(artifact.Canonical(v))] = len(f.list) - 1
	}
	return true
}

// element returns the index of a value in the list, or -1.
func (f *field) element(v artifact.Value) int {
	if len(f.list) <= manyParts {
		for i := range f.list {
			if artifact.Equal(f.list[i].value, v) {
				return i
			}
		}
		return -1
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

func (f *field) setKey(w writer, name string, birth *artifact.Stamp) bool {
	if !beats(w.stamp, f.floor, birth) {
		w.becomes(FieldSuperseded)
		return false
	}
	f.spared.add(w.stamp)
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

// rename renames a key or an element. If the name is taken, the one with the better right wins.
func (f *field) rename(from, to string) {
	switch f.shape {
	case mapping:
		f.renameKey(from, to)
	case union:
		if at := f.element(artifact.Text(from)); at >= 0 && f.element(artifact.Text(to)) < 0 {
			f.list[at].value = artifact.Text(to)
			f.at = nil
		}
	}
}

func (f *field) renameKey(from, to string) {
	c := f.key(from)
	if c == nil {
		return
	}
	if other := f.key(to); other != nil {
		for w := range c.writers {
			other.write(w, nil)
		}
		f.keys = slices.DeleteFunc(f.keys, func(k keyed) bool { return k.key == from })
		f.at = nil
		return
	}
	at, indexed := f.at[from]
	if indexed {
		delete(f.at, from)
		f.at[to] = at
	} else {
		at = slices.IndexFunc(f.keys, func(k keyed) bool { return k.key == from })
	}
	f.keys[at].key = to
}
