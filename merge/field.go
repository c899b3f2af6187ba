package merge

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
)

type shape int

const (
	unset shape = iota
	scalar
	union   // a list: additions are merged by union
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

type field struct {
	name  string
	shape shape
	cell  cell              // of a scalar
	floor []*artifact.Stamp // of a list or a map: its newest replacements
	list  []element
	keys  []keyed
	// at indexes a long list's elements by canonical form, or a large map's keys. It is nil until
	// it pays, and whenever positions have moved.
	at map[string]int
	// raised reports that this batch dropped parts, so that additions to a list may be lost.
	raised bool
	spared spared
}

type element struct {
	value artifact.Value
	by    []*artifact.Stamp // the writers with the highest right, by agent
	order int32             // of the delta that first added it; 0 for the base
}

type keyed struct {
	key  string
	cell cell
}

func (f *field) open(from *artifact.Field, marks artifact.Marks) {
	f.name = from.Name
	f.shape = shapeOf(from.Value)
	f.floor = slices.Clip(marks.Floor())
	switch v := from.Value.(type) {
	case artifact.List:
		f.list = make([]element, len(v), len(v)+1)
		whole := marks.By()
		for i, e := range v {
			f.list[i] = element{value: e, by: slices.Clip(marks.Part(i, whole))}
		}
	case artifact.Map:
		f.keys = make([]keyed, len(v), len(v)+1)
		whole := marks.By()
		for i, e := range v {
			f.keys[i] = keyed{e.Key, openCell(e.Value, marks.Part(i, whole))}
		}
	default:
		f.cell = openCell(v, marks.By())
	}
}

// empty reports whether the field was only examined, or lost all its content.
func (f *field) empty() bool {
	return f.shape == unset || (f.shape == scalar && f.cell.empty())
}

// close returns the field's value and its stamps.
func (f *field) close() (artifact.Value, artifact.Marks) {
	switch f.shape {
	case union:
		list, each := f.closeList()
		return list, marksOf(f.floor, each)
	case mapping:
		m, each := f.closeMap()
		return m, marksOf(f.floor, each)
	}
	return f.cell.closeWhole()
}

// marksOf collapses equal marks: nearly all lists and maps were written by one delta, or none.
func marksOf(floor []*artifact.Stamp, each [][]*artifact.Stamp) artifact.Marks {
	same := len(floor) == 0
	for _, by := range each {
		same = same && len(by) <= 1 && slices.Equal(by, each[0])
	}
	switch {
	case !same:
		return artifact.Marks{Parts: &artifact.Parts{Floor: floor, Each: each}}
	case len(each) == 0:
		return artifact.Marks{}
	}
	return artifact.MarksOf(each[0])
}

func (f *field) closeList() (artifact.List, [][]*artifact.Stamp) {
	slices.SortStableFunc(f.list, func(a, b element) int { return int(a.order - b.order) })
	f.at = nil
	list := make(artifact.List, len(f.list))
	parts := make([][]*artifact.Stamp, len(f.list))
	for i, e := range f.list {
		list[i], parts[i] = e.value, e.by
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

// has reports whether a list or a map contains a reference.
func (f *field) has(ref string) bool {
	switch f.shape {
	case union:
		return f.element(artifact.Text(ref)) >= 0
	case mapping:
		return f.key(ref) != nil
	}
	return false
}

// isTokenRune reports whether ids and labels may contain r, in any language.
func isTokenRune(r rune) bool {
	return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// rewriteWords replaces the words of a text for which to returns true. A word with hyphens or
// underscores is tried as a whole first ("my-label"), then in parts ("H4-vs-H1").
func rewriteWords(text string, to func(string) (string, bool)) string {
	var b strings.Builder
	eachRun(text, isTokenRune, b.WriteString, func(word string) {
		if other, ok := to(word); ok {
			b.WriteString(other)
			return
		}
		eachRun(word, func(r rune) bool { return r != '_' && r != '-' }, b.WriteString, func(part string) {
			if other, ok := to(part); ok {
				part = other
			}
			b.WriteString(part)
		})
	})
	return b.String()
}

// eachRun splits a text into runs of characters in a set, and the rest.
func eachRun(text string, in func(rune) bool, rest func(string) (int, error), run func(string)) {
	for len(text) > 0 {
		if r, _ := utf8.DecodeRuneInString(text); in(r) {
			end := strings.IndexFunc(text, func(r rune) bool { return !in(r) })
			if end < 0 {
				end = len(text)
			}
			run(text[:end])
			text = text[end:]
			continue
		}
		end := strings.IndexFunc(text, in)
		if end < 0 {
			end = len(text)
		}
		_, _ = rest(text[:end]) // a strings.Builder never fails
		text = text[end:]
	}
}

// compareRight compares the right of two stamps to a field: the later instant, then the higher
// rank. A nil stamp, of an unknown writer, is older than all.
func compareRight(a, b *artifact.Stamp) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	if c := a.At.Compare(b.At); c != 0 {
		return c
	}
	return cmp.Compare(a.Rank, b.Rank)
}

// laterBlock reports, for two deltas of one author and one instant, whether a is the later one. An
// ADD is older than any edit of its item, wherever the blocks are.
func laterBlock(a, b, birth *artifact.Stamp) bool {
	switch {
	case a == b:
		return false
	case b == nil || b == birth:
		return true
	case a == birth:
		return false
	}
	return cmp.Or(
		cmp.Compare(a.Message, b.Message), cmp.Compare(a.Block, b.Block), strings.Compare(a.Delta, b.Delta),
	) > 0
}

// beats reports whether a write stands against replacements of the whole field: it is later, or of
// equal right and not since replaced by its own author.
func beats(s *artifact.Stamp, floor []*artifact.Stamp, birth *artifact.Stamp) bool {
	if len(floor) == 0 {
		return true
	}
	if c := compareRight(s, floor[0]); c != 0 {
		return c > 0
	}
	at, found := byAgent(floor, s.Agent)
	return !found || s == floor[at] || laterBlock(s, floor[at], birth)
}

// byAgent finds an author among stamps of equal right, which are sorted by agent.
func byAgent(by []*artifact.Stamp, agent string) (int, bool) {
	return slices.BinarySearchFunc(by, agent, func(s *artifact.Stamp, a string) int { return strings.Compare(s.Agent, a) })
}

// joinStamps adds a stamp to those with the highest right, one per author, and reports whether that
// changed them. Slices of the base are never modified.
func joinStamps(by, self []*artifact.Stamp, birth *artifact.Stamp) ([]*artifact.Stamp, bool) {
	s := self[0]
	if len(by) == 0 {
		return self, true
	}
	if c := compareRight(s, by[0]); c != 0 {
		if c < 0 {
			return by, false
		}
		return self, true
	}
	at, found := byAgent(by, s.Agent)
	switch {
	case !found:
		return slices.Insert(by, at, s), true
	case !laterBlock(s, by[at], birth):
		return by, false
	}
	by = slices.Clone(by)
	by[at] = s
	return by, true
}

// surviving returns the stamps that are not dropped.
func surviving(by []*artifact.Stamp, drop func(*artifact.Stamp) bool) []*artifact.Stamp {
	if !slices.ContainsFunc(by, drop) {
		return by
	}
	return slices.DeleteFunc(slices.Clone(by), drop)
}
