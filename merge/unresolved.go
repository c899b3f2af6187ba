package merge

import "slices"

// unresolved are the places of an item that name something which did not exist
// when they were written. They never come to mean a later item of that name.
type unresolved struct {
	list []pendingRef
	at   map[place]int
}

// place is a name in a field: a key, an element, or a word of a text.
type place struct{ field, ref string }

// pendingRef is one such place.
type pendingRef struct {
	place
	open bool // it may still mean an item that this batch adds
	gone bool
	e    *entry
}

func (u *unresolved) add(field, ref string, open bool) *pendingRef {
	if u.at == nil {
		u.at = make(map[place]int)
	}
	key := place{field, ref}
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
	_, ok := u.at[place{field, ref}]
	return ok
}

// resolve forgets a place: a write of somebody who knew the item took it over.
func (u *unresolved) resolve(field, ref string) {
	key := place{field, ref}
	if i, ok := u.at[key]; ok {
		u.list[i].gone = true
		delete(u.at, key)
	}
}

// close gives the places that still name something unknown, for the item.
func (u *unresolved) close(d *draft) []string {
	var places []string
	texts := make(map[string]map[string]bool) // words of a field, split once
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
			named = texts[p.field][p.ref]
		}
		if named {
			places = append(places, p.field+"."+p.ref)
		}
	}
	slices.Sort(places)
	return places
}
