package merge

import (
	"cmp"
	"slices"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta/fieldform"
	"brenner/internal/fault"
)

// An agent that finds a mistake in its letter sends it again. ADDs that are equal are duplicates; one with
// another claim corrects the item of the first letter, if both have the same name.

// ownName is a name of an item by its author: a label, or the item's name.
type ownName struct {
	agent   string
	section artifact.Section
	label   bool
	name    string
}

// letterAdd is an item that a letter added, and how its author identifies it.
type letterAdd struct {
	slot     *slot
	place    int32 // of the slot
	messages []int // of the batch that have an ADD about it
	identity
}

// identity is how an author identifies an item.
type identity struct {
	labels     []string
	name, main string // name is "" if it is derived from the main field; without names, both are that field
	perhaps    bool   // the label is the id of the item, which its author may not have assumed
}

func identityOf(section artifact.Section, labels []string, text func(field string) string) identity {
	main := text(section.Spec().Main)
	id := identity{labels: labels, name: artifact.FoldName(artifact.TrimID(text("name"))), main: artifact.FoldName(main)}
	switch {
	case !section.Spec().HasName():
		id.name = id.main
	case id.name == artifact.FoldName(fieldform.NameFrom(main)):
		id.name = ""
	}
	return id
}

// is reports whether two ADDs of one author are about one item. They share a label, unless names and main
// fields both differ, or they share a name, unless both have labels. Names that are derived differ only if
// the label is an id that the author of a may not have assumed.
func (a *identity) is(b *identity) bool {
	if slices.ContainsFunc(a.labels, func(l string) bool { return slices.Contains(b.labels, l) }) {
		derived := a.name == "" || b.name == ""
		return a.main == b.main || a.name == b.name && !derived || derived && !a.perhaps
	}
	return a.name != "" && a.name == b.name && (len(a.labels) == 0 || len(b.labels) == 0)
}

// with returns the identity of an item after a correction.
func (a *identity) with(b identity) identity {
	b.labels = slices.Compact(slices.Sorted(slices.Values(slices.Concat(a.labels, b.labels))))
	b.name = cmp.Or(b.name, a.name)
	return b
}

func (a *identity) names(agent string, section artifact.Section) []ownName {
	var all []ownName
	for _, l := range a.labels {
		all = append(all, ownName{agent, section, true, l})
	}
	if a.name != "" {
		all = append(all, ownName{agent, section, false, a.name})
	}
	return all
}

// identity returns how the author of an ADD identifies its item.
func (e entry) identity(section artifact.Section) identity {
	labels := slices.DeleteFunc(slices.Clone(e.names()), e.knows)
	return identityOf(section, labels, e.d().Payload.Text)
}

// noteLetterAdd notes the new item of a letter, for letters after it.
func (p *pass) noteLetterAdd(e entry, s *slot) {
	if place := e.d().Place; place != nil && place.Letter != nil {
		p.loadLetterAdds()
		p.putLetterAdd(e.d().Agent, &letterAdd{s, e.made, []int{place.Message}, e.identity(s.section())})
	}
}

func (p *pass) putLetterAdd(agent string, add *letterAdd) {
	for _, name := range add.names(agent, add.slot.section()) {
		if !slices.Contains(p.letterAdds[name], add) {
			p.letterAdds[name] = append(p.letterAdds[name], add)
		}
	}
}

// loadLetterAdds lists the items of the base that authors of letters added in the same round.
func (p *pass) loadLetterAdds() {
	if p.letterAdds != nil {
		return
	}
	p.letterAdds = make(map[ownName][]*letterAdd)
	type instant struct {
		agent string
		at    int64
	}
	before := make(map[instant]bool)
	for i := range p.batch {
		if place := p.batch[i].Place; place != nil && place.Letter != nil {
			for _, at := range place.Letter.Before {
				before[instant{p.batch[i].Agent, at.UnixNano()}] = true
			}
		}
	}
	if len(before) == 0 {
		return
	}
	for _, section := range artifact.Sections() {
		for i, it := range p.base.Sections[section] {
			if by := it.Created; by != nil && before[instant{by.Agent, by.At.UnixNano()}] {
				id := identityOf(section, it.Labels(), it.Text)
				if len(id.labels) == 0 { // an id that its author assumed rightly is not among the labels
					id.labels, id.perhaps = []string{it.ID}, p.fourth
				}
				p.putLetterAdd(by.Agent, &letterAdd{p.section(section).slot(int32(i + 1)), int32(i + 1), nil, id})
			}
		}
	}
}

// correct writes an ADD of a letter to the item that it corrects, if there is exactly one, and reports
// whether there is.
func (p *pass) correct(e entry, section artifact.Section, writes []write, taken string) bool {
	found := p.corrected(e, section)
	if found == nil {
		return false
	}
	found.messages, found.identity = append(found.messages, e.d().Place.Message), found.with(e.identity(section))
	p.putLetterAdd(e.d().Agent, found)
	row := e.row()
	row.TargetID, row.Message = found.slot.id(), "corrects "+found.slot.id()+e.labelOf(found.slot.id())
	row.noteTaken(taken)
	e.made, e.madeIn = found.place, int8(section)
	for i := range writes {
		writes[i].replace = writes[i].replace || shapeOf(writes[i].Value) == union // a map is corrected key by key
	}
	e.makeRoomForAdd()
	p.warn(CorrectsItem, "%s: replaces fields of %s, which %s added in an earlier letter", e, found.slot.id(), fault.Shown(e.d().Agent)).Delta = e.stamp().Delta
	p.writeAll(e, found.slot, writes, true)
	return true
}

// corrected returns the item of an earlier letter that an ADD is about. An item that was killed, that its
// author has seen, or that another ADD of the same letter is about, is not corrected.
func (p *pass) corrected(e entry, section artifact.Section) *letterAdd {
	place := e.d().Place
	if place == nil || place.Letter == nil {
		return nil
	}
	p.loadLetterAdds()
	id := e.identity(section)
	var found *letterAdd
	for _, name := range id.names(e.d().Agent, section) {
		for _, add := range p.letterAdds[name] {
			if !add.is(&id) || found != nil && found.slot == add.slot {
				continue
			}
			if found != nil || add.slot.killed() || add.slot.shownTo(e) || slices.Contains(add.messages, place.Message) {
				return nil
			}
			if made := add.slot.item.Created; made.Version < p.version && !containsInstant(place.Letter.Before, made.At) {
				return nil
			}
			found = add
		}
	}
	return found
}

func containsInstant(all []time.Time, at time.Time) bool { return slices.ContainsFunc(all, at.Equal) }
