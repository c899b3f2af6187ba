package merge

import (
	"slices"

	"brenner/artifact"
	"brenner/artifact/delta"
)

// labels are the names that one author gave, within one message, to the items
// that its ADDs make. Each name keeps all ADDs that claimed it, in order.
type labels struct {
	byName map[string][]entry
}

// scope is where a label means something: one message of one agent. A delta file
// has no messages; there it is all that the agent has in the batch.
type scope struct {
	agent   string
	message int
	placed  bool
}

func scopeOf(d *delta.Delta) scope {
	if d.Place == nil {
		return scope{agent: d.Agent}
	}
	return scope{agent: d.Agent, message: d.Place.Message, placed: true}
}

// collectLabels finds the labels of every scope.
func (d *docket) collectLabels() {
	for i := range d.facts {
		if !d.facts[i].is(labelled) {
			continue
		}
		if d.scopes == nil {
			d.scopes = make(map[scope]*labels)
		}
		e := d.entry(i)
		scope := scopeOf(e.d())
		names := d.scopes[scope]
		if names == nil {
			names = &labels{byName: make(map[string][]entry)}
			d.scopes[scope] = names
		}
		e.needs().labels = names
		for _, name := range e.d().Labels {
			names.byName[name] = append(names.byName[name], e)
		}
	}
}

// labelled finds the ADD that a name means for e: the nearest one before it,
// else the first one after it.
func (e entry) labelled(name string) entry {
	names := e.labels()
	if names == nil {
		return entry{}
	}
	adds := names.byName[name]
	if len(adds) == 0 {
		return entry{}
	}
	after, found := slices.BinarySearchFunc(adds, e.index, func(a entry, i int32) int { return int(a.index - i) })
	if !found && after > 0 {
		after--
	}
	return adds[after]
}

// called says how the author called the item, where that differs from its id.
func (e entry) called(id string) string {
	for _, l := range e.d().Labels {
		if l != id {
			return " (" + e.d().Agent + "'s " + l + ")"
		}
	}
	return ""
}

// finding is what a reference turned out to be.
type finding int

const (
	known   finding = iota // it means the item given
	unknown                // it means nothing that the author could know
	tooSoon                // it means an item that an ADD further on will make
)

// refer finds what an id or label in a delta means.
func (p *pass) refer(e entry, ref string) (*slot, finding) {
	if add := e.labelled(ref); !add.none() {
		if !add.judged {
			return nil, tooSoon
		}
		if made := p.made(add); made != nil {
			return made, known
		}
		return nil, unknown
	}
	section, ok := artifact.SectionOfID(ref)
	if !ok {
		return nil, unknown
	}
	if s := p.shelf(section).find(ref); s != nil && s.shownTo(e) {
		return s, known
	}
	return nil, unknown
}
