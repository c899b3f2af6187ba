package merge

import (
	"slices"

	"brenner/artifact"
)

// unresolved are the places of an item that name something which did not exist
// when they were written. They never come to mean a later item of that name.
type unresolved struct {
	list []pendingRef
	at   map[place]int
}

// place is a name in a field: a key, an element, or a word of a text. A text
// belongs to the delta that wrote it, since another one may come to say the same
// word and know what it means; by is nil for keys, elements and texts of the base.
type place struct {
	field, ref string
	by         *artifact.Stamp
}

// pendingRef is one such place.
type pendingRef struct {
	place
	open bool // it may still mean an item that this batch adds
	gone bool
	e    entry
}

func (u *unresolved) add(key place, open bool) *pendingRef {
	if u.at == nil {
		u.at = make(map[place]int)
	}
	i, ok := u.at[key]
	if !ok {
		i = len(u.list)
		u.list = append(u.list, pendingRef{place: key, open: open})
		u.at[key] = i
	}
	u.list[i].open = u.list[i].open && open
	return &u.list[i]
}

func (u *unresolved) has(field, ref string) bool {
	_, ok := u.at[place{field: field, ref: ref}]
	return ok
}

// resolve forgets a place: it means a real item after all.
func (u *unresolved) resolve(key place) {
	if i, ok := u.at[key]; ok {
		u.list[i].gone = true
		delete(u.at, key)
	}
}

// close gives the places that still name something unknown, for the item.
func (u *unresolved) close(d *draft) []string {
	var places []string
	texts := make(map[string]textWords) // of a field, taken apart once
	for _, p := range u.list {
		f := d.find(p.field)
		if p.gone || f == nil {
			continue
		}
		named := f.has(p.ref)
		if f.shape == scalar {
			if texts[p.field] == nil {
				texts[p.field] = f.words()
			}
			named = texts[p.field][spoken{p.ref, p.by}]
		}
		if named {
			places = append(places, p.field+"."+p.ref)
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// textWords are the words of a text, each with the delta that said it; those of
// the base have none.
type textWords map[spoken]bool

type spoken struct {
	word string
	by   *artifact.Stamp
}

func (f *field) words() textWords {
	words := make(textWords)
	for w := range f.cell.writers {
		t, _ := w.value.(artifact.Text)
		by := w.stamp
		if w.out == nil {
			by = nil
		}
		rewriteWords(string(t), func(word string) (string, bool) {
			words[spoken{word, by}] = true
			return "", false
		})
	}
	return words
}
