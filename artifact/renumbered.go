package artifact

import (
	"slices"
	"strings"
	"unicode"
)

// Renumbered finds free texts that mention an item by an id that the merge did not assign: an author
// guesses the id of a new item, and may use the guess in its texts before it is told the real one. A
// guess holds for the texts of the same message, or of the same batch of a delta file.
type Renumbered map[labelScope]map[string][]string

type labelScope struct {
	agent            string
	message, version int
}

func scopeOf(s *Stamp) labelScope { return labelScope{s.Agent, s.Message, s.Version} }

// Renumbered returns the items with other ids than their authors assumed; nil if there are none.
func (a *Artifact) Renumbered() Renumbered {
	var r Renumbered
	for _, items := range a.Sections {
		for _, it := range items {
			if it.Created != nil {
				r = r.add(it)
			}
		}
	}
	return r
}

func (r Renumbered) add(it *Item) Renumbered {
	for _, label := range it.Labels() {
		if r == nil {
			r = make(Renumbered)
		}
		scope := scopeOf(it.Created)
		if r[scope] == nil {
			r[scope] = make(map[string][]string)
		}
		r[scope][label] = append(r[scope][label], it.ID)
	}
	return r
}

// LabelNotes returns a sentence for each id that the author of an item assumed for it: "BlueLake's H5 is H7".
func (it *Item) LabelNotes() []string {
	if it.Created == nil {
		return nil
	}
	var notes []string
	for _, label := range it.Labels() {
		notes = append(notes, it.Created.Agent+"'s "+label+" is "+it.ID)
	}
	return notes
}

// Notes returns a sentence for each assumed id that a text mentions, given the writers of the text.
func (r Renumbered) Notes(text string, by []*Stamp) []string {
	var notes []string
	for _, s := range by {
		if s == nil || r[scopeOf(s)] == nil {
			continue
		}
		labels := r[scopeOf(s)]
		for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
			if ids := labels[word]; ids != nil {
				notes = append(notes, s.Agent+"'s "+word+" is "+strings.Join(ids, " or "))
			}
		}
	}
	return sorted(notes)
}

func sorted(notes []string) []string {
	slices.Sort(notes)
	return slices.Compact(notes)
}

// ItemNotes returns the notes of all free texts of an item. References are not free texts: the merge
// has put the real ids there. A key or an element with an id among other words ("If H4") is not a reference.
func (r Renumbered) ItemNotes(s Section, it *Item) []string {
	if len(r) == 0 {
		return nil
	}
	var notes []string
	for i := range it.Fields {
		f := &it.Fields[i]
		marks := it.Marks(i)
		whole := marks.By()
		switch v := f.Value.(type) {
		case Map: // its keys may be references
			for j, e := range v {
				by := marks.Part(j, whole)
				notes = append(notes, r.compoundNotes(e.Key, by)...)
				notes = append(notes, r.valueNotes(e.Value, by)...)
			}
			continue
		case List:
			for j, e := range v {
				if by := marks.Part(j, whole); !s.refers(f.Name) {
					notes = append(notes, r.valueNotes(e, by)...)
				} else if text, ok := e.(Text); ok {
					notes = append(notes, r.compoundNotes(string(text), by)...)
				}
			}
			continue
		}
		if !s.refers(f.Name) {
			notes = append(notes, r.valueNotes(f.Value, whole)...)
		}
	}
	if k := it.Kill; k != nil {
		notes = append(notes, r.Notes(k.Reason, []*Stamp{k.Stamp})...)
	}
	for _, c := range it.Cells() {
		notes = append(notes, r.Notes(c.Kill.Reason, []*Stamp{c.Kill.Stamp})...)
	}
	return sorted(notes)
}

// compoundNotes returns the notes of a key, or of an element of a list of references, that is not an id as a whole.
func (r Renumbered) compoundNotes(text string, by []*Stamp) []string {
	row, cell, isCell := strings.Cut(text, ".")
	if id := strings.TrimSpace(text); isID(id) || isCell && isID(row) && isID(cell) || strings.HasSuffix(text, ")") && strings.Contains(text, "'s)") {
		return nil
	}
	return r.Notes(text, by)
}

func isID(text string) bool {
	_, ok := SectionOfID(text)
	return ok
}

// refers reports whether a field of the section holds references.
func (s Section) refers(field string) bool {
	spec, known := s.Spec().Field(field)
	return known && spec.Refs
}

// PartNotes returns the notes of one text: of the field, or of the key of a field, at path.
func (r Renumbered) PartNotes(id, path, text string, by *Stamp) []string {
	if s, ok := SectionOfID(id); ok && s.refers(path) {
		return nil
	}
	return r.Notes(text, []*Stamp{by})
}

// valueNotes returns the notes of a value and of the texts in it.
func (r Renumbered) valueNotes(v Value, by []*Stamp) []string {
	var notes []string
	switch v := v.(type) {
	case Text:
		return r.Notes(string(v), by)
	case List:
		for _, e := range v {
			notes = append(notes, r.valueNotes(e, by)...)
		}
	case Map:
		for _, e := range v {
			notes = append(notes, r.valueNotes(e.Value, by)...)
		}
	case Conflict:
		for _, c := range v {
			for _, s := range by {
				if s != nil && s.Delta == c.Delta {
					notes = append(notes, r.valueNotes(c.Value, []*Stamp{s})...)
				}
			}
		}
	}
	return notes
}
