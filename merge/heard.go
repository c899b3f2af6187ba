package merge

import (
	"fmt"
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

// heardOf returns the ADDs of letters that the author of e could read before it wrote its own, and that
// carry a name.
func (e entry) heardOf(name string) []entry {
	if len(e.in.heard) == 0 || e.d().Place == nil || e.d().Place.Letter == nil {
		return nil
	}
	all := e.in.heard[hearing{e.d().Agent, name}]
	before, _ := slices.BinarySearchFunc(all, e.sent(), func(add entry, at time.Time) int { return add.sent().Compare(at) })
	return all[:before]
}

// overheard reports whether another author's letter gave the name before e's author did.
func (e entry) overheard(name string) bool {
	return slices.ContainsFunc(e.heardOf(name), func(add entry) bool { return add.agent != e.agent })
}

// mean resolves a reference of a field. A name that its author was not shown and did not choose itself
// means the item that earlier letters added under that name, if there is exactly one; add is then the
// ADD that made it. The target of an EDIT or KILL is never resolved in this way.
func (p *pass) mean(e entry, name string) (s *slot, found finding, add entry) {
	s, found = p.refer(e, name)
	own := !e.labelledAdd(name).none()
	if own && found == known && e.overheard(name) && !e.d().Place.Letter.Direct {
		found = ambiguous
	}
	if own || found != unknown {
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

// heardItems returns the items of others that e's author can mean by its own name, for messages.
func (p *pass) heardItems(e entry, name string) []string {
	var items []string
	for _, add := range e.heardOf(name) {
		item := "an item of " + fault.Shown(add.d().Agent)
		if made := p.madeItem(add); made != nil {
			item = fmt.Sprintf("%s (%s's %s)", made.id(), fault.Shown(add.d().Agent), name)
		}
		if add.agent != e.agent && !slices.Contains(items, item) && len(items) < mostNamed {
			items = append(items, item)
		}
	}
	return items
}

// mostNamed is how many items of letters a message names.
const mostNamed = 3

// heardNames says what became of the items of earlier letters that e's author can mean by a name that is
// not its own, for messages.
func (p *pass) heardNames(e entry, name string) string {
	var names []string
	if !e.labelledAdd(name).none() {
		return ""
	}
	for _, add := range e.heardOf(name) {
		one := fault.Shown(add.d().Agent) + "'s " + name + " was refused"
		switch made := p.madeItem(add); {
		case made == nil:
		case made.id() == name:
			one = fault.Shown(add.d().Agent) + "'s new item has this id"
		default:
			one = fault.Shown(add.d().Agent) + "'s " + name + " is " + made.id()
		}
		if slices.Contains(names, one) {
			continue
		}
		if len(names) == mostNamed {
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

// misnamed is a target that is not taken, but may be the name of an item in an earlier letter.
type misnamed struct {
	e       entry
	section artifact.Section
	name    string
}

// adviseTargets names the items that invalid targets can mean, once all of them have ids.
func (p *pass) adviseTargets() {
	for _, m := range p.misnamed {
		if m.e.doubts(m.name) {
			m.e.row().Message = p.whyNoTarget(m.e, m.section, m.name)
		}
		m.e.row().Message += p.heardNames(m.e, m.name)
	}
}
