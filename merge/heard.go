package merge

import (
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/internal/fault"
)

// heard lists the ADDs of letters, oldest letter first, by who could read them and what their authors
// called the new items. Only names in the form of an id are listed: others may be plain words.
type heard map[hearing][]entry

type hearing struct{ reader, name string }

// hear lists the labelled ADDs of letters for all who could read them, their authors included.
func (d *orderedBatch) hear() {
	var adds []entry
	for i := range d.facts {
		if place := d.batch[d.facts[i].at].Place; d.facts[i].is(labelled) && place != nil && place.Letter != nil {
			adds = append(adds, d.entry(i))
		}
	}
	if adds == nil {
		return
	}
	slices.SortStableFunc(adds, func(a, b entry) int { return a.sent().Compare(b.sent()) })
	d.heard = make(heard)
	for _, add := range adds {
		for _, name := range add.names() {
			if _, isID := artifact.SectionOfID(name); isID && !add.knows(name) {
				d.heard.spread(add, name)
			}
		}
	}
}

func (h heard) spread(add entry, name string) {
	for _, reader := range append([]string{add.d().Agent}, add.d().Place.Letter.To...) {
		key := hearing{reader, name}
		if all := h[key]; len(all) == 0 || all[len(all)-1] != add {
			h[key] = append(all, add)
		}
	}
}

func (e entry) sent() time.Time { return e.d().Place.Letter.Sent }

// heardOf returns the ADDs that the author of e can mean by a name: those of letters that it could read
// before it wrote its own. A name that it chose itself in this message is not looked up.
func (e entry) heardOf(name string) []entry {
	if len(e.in.heard) == 0 || e.d().Place == nil || e.d().Place.Letter == nil || !e.labelledAdd(name).none() {
		return nil
	}
	all := e.in.heard[hearing{e.d().Agent, name}]
	before, _ := slices.BinarySearchFunc(all, e.sent(), func(add entry, at time.Time) int { return add.sent().Compare(at) })
	return all[:before]
}

// mean resolves a reference of a field. A name that its author was not shown and did not choose itself
// means the item that earlier letters added under that name, if there is exactly one; add is then the
// ADD that made it. The target of an EDIT or KILL is never resolved in this way.
func (p *pass) mean(e entry, name string) (s *slot, found finding, add entry) {
	if s, found = p.refer(e, name); found != unknown {
		return s, found, entry{}
	}
	section, _ := artifact.SectionOfID(name)
	for _, add = range e.heardOf(name) {
		if !add.judged {
			return nil, tooSoon, entry{}
		}
		made := p.madeItem(add)
		if made == nil || made.section() != section || s != nil && s.id() != made.id() {
			return nil, unknown, entry{}
		}
		s, found = made, known
	}
	return s, found, add
}

// heardNames says what became of the items that e's author can mean by a name, for messages.
func (p *pass) heardNames(e entry, name string) string {
	const most = 3
	var names []string
	for _, add := range e.heardOf(name) {
		one := fault.Shown(add.d().Agent) + "'s " + name + " was refused"
		if made := p.madeItem(add); made != nil {
			one = fault.Shown(add.d().Agent) + "'s " + name + " is " + made.id()
		}
		if slices.Contains(names, one) {
			continue
		}
		if len(names) == most {
			names = append(names, "and others")
			break
		}
		names = append(names, one)
	}
	if len(names) == 0 {
		return ""
	}
	return "; " + strings.Join(names, ", ")
}

// misnamed is a target that does not exist, but is the name of an item in an earlier letter.
type misnamed struct {
	e    entry
	name string
}

// adviseTargets names the items that invalid targets can mean, once all of them have ids.
func (p *pass) adviseTargets() {
	for _, m := range p.misnamed {
		m.e.row().Message += p.heardNames(m.e, m.name)
	}
}
