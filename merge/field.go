package merge

import (
	"slices"
	"strings"
	"unicode"

	"brenner/artifact"
)

// shape is how a field is merged.
type shape int

const (
	unset shape = iota
	scalar
	union   // a list: additions are united
	mapping // a map: each key is a cell
)

func shapeOf(v artifact.Value) shape {
	switch v.(type) {
	case artifact.List:
		return union
	case artifact.Map:
		return mapping
	}
	return scalar
}

// field is one field of a draft.
type field struct {
	name  string
	shape shape
	cell  cell            // of a scalar
	floor *artifact.Stamp // of a list or a map: its newest replacement
	list  []element
	keys  []keyed
	// at finds a long list's elements by their canonical form, and a large
	// map's keys; nil until it pays, and whenever places have moved.
	at map[string]int
	// raised tells that this batch dropped parts of it, so that additions to
	// a list may have come to nothing.
	raised bool
}

type element struct {
	value artifact.Value
	stamp *artifact.Stamp
	order int // of the delta that first added it: 0 for what stood in the base
}

type keyed struct {
	key  string
	cell cell
}

func (f *field) open(from *artifact.Field) {
	f.name = from.Name
	f.shape = shapeOf(from.Value)
	f.floor = from.Marks.Floor
	switch v := from.Value.(type) {
	case artifact.List:
		f.list = make([]element, len(v), len(v)+1)
		for i, e := range v {
			f.list[i].value = e
			if by := from.Marks.Part(i); len(by) > 0 {
				f.list[i].stamp = by[0]
			}
		}
	case artifact.Map:
		f.keys = make([]keyed, len(v), len(v)+1)
		for i, e := range v {
			f.keys[i] = keyed{e.Key, openCell(e.Value, from.Marks.Part(i))}
		}
	default:
		f.cell = openCell(v, from.Marks.By)
	}
}

// empty tells whether the field was only looked at, or lost all that it was given.
func (f *field) empty() bool {
	return f.shape == unset || (f.shape == scalar && f.cell.empty())
}

func (f *field) close() artifact.Field {
	out := artifact.Field{Name: f.name, Marks: artifact.Marks{Floor: f.floor}}
	switch f.shape {
	case union:
		out.Value, out.Marks.Parts = f.closeList()
		compress(&out.Marks)
	case mapping:
		out.Value, out.Marks.Parts = f.closeMap()
		compress(&out.Marks)
	default:
		out.Value, out.Marks.By = f.cell.close()
	}
	return out
}

// compress says once what is the same for every part: nearly all lists and maps
// were written by one delta, or came without any stamps.
func compress(m *artifact.Marks) {
	if m.Floor != nil {
		return
	}
	for _, by := range m.Parts {
		if len(by) > 1 || !slices.Equal(by, m.Parts[0]) {
			return
		}
	}
	if len(m.Parts) > 0 {
		m.By = m.Parts[0]
	}
	m.Parts = nil
}

func (f *field) closeList() (artifact.List, [][]*artifact.Stamp) {
	slices.SortStableFunc(f.list, func(a, b element) int { return a.order - b.order })
	f.at = nil
	list := make(artifact.List, len(f.list))
	parts := make([][]*artifact.Stamp, len(f.list))
	stamps := make([]*artifact.Stamp, len(f.list))
	for i, e := range f.list {
		list[i], stamps[i] = e.value, e.stamp
		if e.stamp != nil {
			parts[i] = stamps[i : i+1 : i+1]
		}
	}
	return list, parts
}

func (f *field) closeMap() (artifact.Map, [][]*artifact.Stamp) {
	slices.SortFunc(f.keys, func(a, b keyed) int { return artifact.CompareKeys(a.key, b.key) })
	f.at = nil
	m := make(artifact.Map, len(f.keys))
	parts := make([][]*artifact.Stamp, len(f.keys))
	for i := range f.keys {
		m[i].Key = f.keys[i].key
		m[i].Value, parts[i] = f.keys[i].cell.close()
	}
	return m, parts
}

// whole gives the field's value as it stands, and the newest stamp on it: what a
// write of another shape has to beat.
func (f *field) whole() (artifact.Value, *artifact.Stamp) {
	newest := f.floor
	later := func(s *artifact.Stamp) {
		if compareRight(s, newest) > 0 {
			newest = s
		}
	}
	for _, e := range f.list {
		later(e.stamp)
	}
	for i := range f.keys {
		later(f.keys[i].cell.first.stamp)
	}
	return f.close().Value, newest
}

// has tells whether a list or a map names a reference.
func (f *field) has(ref string) bool {
	switch f.shape {
	case union:
		return f.element(artifact.Text(ref)) >= 0
	case mapping:
		return f.key(ref) != nil
	}
	return false
}

// words are the words of a text, and of every candidate where it is in conflict.
func (f *field) words() map[string]bool {
	words := make(map[string]bool)
	for w := range f.cell.writers {
		t, _ := w.value.(artifact.Text)
		for _, word := range tokens(string(t)) {
			words[word] = true
		}
	}
	return words
}

// tokens splits a text into the words that can be ids or labels.
func tokens(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !isTokenRune(r) })
}

func isTokenRune(r rune) bool {
	return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
