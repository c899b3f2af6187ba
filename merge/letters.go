package merge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/internal/fault"
)

// letterNames lists the ADDs of letters, oldest letter first, by their readers and their names for the new
// items. Only names in the form of an id are listed: others may be plain words.
type letterNames map[readerName][]entry

type readerName struct{ reader, name string }

// collectLetterNames lists the labelled ADDs of letters for their recipients and authors.
func (d *orderedBatch) collectLetterNames() {
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
	d.letterNames = make(letterNames)
	for _, add := range adds {
		for _, name := range add.names() {
			if _, isID := artifact.SectionOfID(name); isID && !add.knows(name) {
				d.letterNames.spread(add, name)
			}
		}
	}
}

func (n letterNames) spread(add entry, name string) {
	for _, reader := range append([]string{add.d().Agent}, add.d().Place.Letter.To...) {
		key := readerName{reader, name}
		if all := n[key]; len(all) == 0 || all[len(all)-1] != add {
			n[key] = append(all, add)
		}
	}
}

func (e entry) sent() time.Time { return e.d().Place.Letter.Sent }

// earlierAdds returns the ADDs with a name in letters that the author of e could read before it sent e.
func (e entry) earlierAdds(name string) []entry {
	if len(e.in.letterNames) == 0 || e.d().Place == nil || e.d().Place.Letter == nil {
		return nil
	}
	all := e.in.letterNames[readerName{e.d().Agent, name}]
	before, _ := slices.BinarySearchFunc(all, e.sent(), func(add entry, at time.Time) int { return add.sent().Compare(at) })
	return all[:before]
}

// namedByOthers reports whether an earlier letter of another author has the name.
func (e entry) namedByOthers(name string) bool {
	return slices.ContainsFunc(e.earlierAdds(name), func(add entry) bool { return add.agent != e.agent })
}

// mean resolves a reference of a field. A name that its author was not shown and did not choose itself
// means the item that earlier letters added under that name, if there is exactly one; add is then the
// ADD that made it. The target of an EDIT or KILL is never resolved in this way.
func (p *pass) mean(e entry, name string) (s *slot, found finding, add entry) {
	s, found = p.refer(e, name)
	own := !e.labelledAdd(name).none()
	if own && found == known && e.namedByOthers(name) && !e.d().Place.Letter.Direct {
		found = ambiguous
	}
	if own || found != unknown {
		return s, found, entry{}
	}
	section, _ := artifact.SectionOfID(name)
	for _, add = range e.earlierAdds(name) {
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

// othersItems returns the items of other authors that have the name in earlier letters, for messages.
func (p *pass) othersItems(e entry, name string) []string {
	var items []string
	for _, add := range e.earlierAdds(name) {
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

// letterAdvice says what became of the items that have the name in earlier letters, for messages. A name
// that e's author gave to an item of its own has no advice.
func (p *pass) letterAdvice(e entry, name string) string {
	if !e.labelledAdd(name).none() {
		return ""
	}
	var names []string
	for _, add := range e.earlierAdds(name) {
		one := fault.Shown(add.d().Agent) + "'s "
		switch made := p.madeItem(add); {
		case made == nil:
			one += name + " was refused"
		case made.id() == name:
			one += "new item has this id"
		default:
			one += name + " is " + made.id()
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

// badTarget is an invalid target that is the name of an item in an earlier letter.
type badTarget struct {
	e       entry
	section artifact.Section
	name    string
}

// adviseTargets names the items that invalid targets can mean, once all of them have ids.
func (p *pass) adviseTargets() {
	for _, m := range p.badTargets {
		if m.e.doubts(m.name) {
			m.e.row().Message = p.whyNoTarget(m.e, m.section, m.name)
		}
		m.e.row().Message += p.letterAdvice(m.e, m.name)
	}
}
