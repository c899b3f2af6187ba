package merge

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
)

// labels are the names that one author gave, within one message, to the items of its ADDs.
type labels map[string]*nameClaims

// nameClaims are all ADDs that claim a name: those of the reply with their corrections, and the new ones
// of its repair. merge/1 keeps all in the first text.
type nameClaims struct {
	texts  [2]claims
	resent *artifact.Stamp // of one that was read in an earlier merge
	early  bool            // the name is a target before the first of them and may mean another item
}

// claims are the ADDs of one text with one name, in order, and what they made in a pass.
type claims struct {
	adds    []entry
	pass    *pass
	weighed int     // how many of adds are judged and taken into account
	made    []*slot // at most two of the items
	refused bool    // one of them made nothing
}

// scope is where a label is valid: one message of one agent. A delta file has no messages; there it
// is all deltas of the agent in the batch.
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

func (d *orderedBatch) collectLabels(base *artifact.Artifact) {
	if d.second {
		d.markNamed()
		d.knownLabels(base)
		d.rememberLabels(base)
	}
	for i := range d.facts {
		if !d.facts[i].is(labelled) {
			continue
		}
		if d.scopes == nil {
			d.scopes = make(map[scope]labels)
		}
		e := d.entry(i)
		scope := scopeOf(e.d())
		names := d.scopes[scope]
		if names == nil {
			names = make(labels)
			d.scopes[scope] = names
		}
		e.needs().labels = names
		for _, name := range e.names() {
			if !e.knows(name) {
				names.add(name, e)
			}
		}
	}
	if d.second {
		d.collectLetterNames()
		d.markEarly()
	}
}

// markEarly finds the names that are targets before their ADDs. Their authors may mean other items.
func (d *orderedBatch) markEarly() {
	if d.scopes == nil {
		return
	}
	for i := range d.facts {
		from := &d.batch[d.facts[i].at]
		if from.Operation != opEdit && from.Operation != opKill {
			continue
		}
		e := d.entry(i)
		for _, name := range namesIn(from.Target) {
			if n := e.claimsOf(name); n != nil && !n.early && (from.Operation == opKill || mayCount(name)) {
				n.early = e.precedes(n.first()) && !e.knows(name)
			}
		}
	}
}

// mayCount reports whether a name that is not an id has a number, and so may spell the id of a known item.
func mayCount(name string) bool {
	_, isID := artifact.SectionOfID(name)
	return !isID && strings.ContainsFunc(name, unicode.IsNumber)
}

// namesIn returns what a target may name: an item, or the row and the hypothesis of a cell.
func namesIn(target string) []string {
	row, cell, isCell := strings.Cut(target, ".")
	if !isCell {
		return []string{target}
	}
	return []string{target, row, cell}
}

// precedes reports whether e is before another delta of its message, or older in a delta file.
func (e entry) precedes(other entry) bool {
	if place := e.d().Place; place != nil {
		return place.Block < other.d().Place.Block
	}
	return e.d().At.Before(other.d().At)
}

// first returns the first ADD with the name.
func (n *nameClaims) first() entry {
	if len(n.texts[0].adds) == 0 {
		return n.texts[1].adds[0]
	}
	return n.texts[0].adds[0]
}

func (l labels) add(name string, e entry) {
	n := l[name]
	if n == nil {
		n = &nameClaims{}
		l[name] = n
	}
	text := &n.texts[0]
	if e.in.second && e.repairs() && !e.d().Place.Corrects {
		text = &n.texts[1]
	}
	text.adds = append(text.adds, e)
	n.resent = cmp.Or(n.resent, e.readBefore())
}

func (e entry) repairs() bool { return e.d().Place != nil && e.d().Place.Repair }

// names returns what the author of an ADD calls its item: its labels, the ids that they spell, and the id
// before its name.
func (e entry) names() []string {
	d := e.d()
	if !e.in.second {
		return d.Labels
	}
	names := slices.Clip(d.Labels)
	for _, label := range d.Labels {
		if id := spelledID(label); id != "" && !slices.Contains(names, id) {
			names = append(names, id)
		}
	}
	if id := idInName(d); id != "" && !slices.Contains(names, id) {
		names = append(names, id)
	}
	return names
}

// spelledID returns the id that a label spells, or "". A label with a dot addresses a cell of a row.
func spelledID(label string) string {
	id, _ := artifact.Spelled(label)
	if artifact.PredictionsTable.ValidID(id) && strings.Contains(label, ".") {
		return ""
	}
	return id
}

// idInName returns the id of its section before the name of an ADD, or "".
func idInName(d *delta.Delta) string {
	f := d.Payload.Find("name")
	if f == nil {
		return ""
	}
	name, _ := f.Value.(artifact.Text)
	id := artifact.IDBeforeName(string(name))
	if s, ok := artifact.SectionOfID(id); ok && s.String() == d.Section {
		return id
	}
	return ""
}

// markNamed finds the ADDs whose only label is the id before the name.
func (d *orderedBatch) markNamed() {
	for i := range d.facts {
		f := &d.facts[i]
		if from := &d.batch[f.at]; !f.is(labelled) && from.Operation == opAdd && idInName(from) != "" {
			f.traits |= labelled
		}
	}
}

// assumedIDs returns the names of an ADD that are ids, other than the one that its item got.
func (e entry) assumedIDs(id string) []string {
	var assumed []string
	for _, l := range e.names() {
		if _, isID := artifact.SectionOfID(l); isID && l != id && !e.knows(l) {
			assumed = append(assumed, l)
		}
	}
	slices.Sort(assumed)
	return assumed
}

// labelledAdd returns an ADD that a name refers to in e: in merge/1 the nearest before it, else the
// first after it; since merge/2 the first of those that share the name.
func (e entry) labelledAdd(name string) entry {
	texts := e.labelled(name)
	if texts == nil {
		return entry{}
	}
	adds := texts[0].adds
	if e.in.second {
		return adds[0]
	}
	after, found := slices.BinarySearchFunc(adds, e.index, func(a entry, i int32) int { return int(a.index - i) })
	if !found && after > 0 {
		after--
	}
	return adds[after]
}

// claimsOf returns the ADDs that claim a name, in this spelling or, since merge/2, in another one of the same id.
func (e entry) claimsOf(name string) *nameClaims {
	n := e.labels()[name]
	if n != nil && e.in.second {
		if all := e.labels()[spelledID(name)]; all != nil {
			return all
		}
	}
	return n
}

// labelled returns the ADDs that a name can mean in e, or nil. A reply means its own; only a name that it
// lacks can be one of its repair. A known id does not name a new item, except in a delta that was sent
// again: there it means what it meant when it was first read.
func (e entry) labelled(name string) []claims {
	n := e.claimsOf(name)
	switch {
	case n == nil || e.knows(name) && !e.meansOwn(name, n):
		return nil
	case len(n.texts[0].adds) == 0:
		return n.texts[1:]
	case len(n.texts[1].adds) == 0 || !e.repairs():
		return n.texts[:1]
	}
	return n.texts[:]
}

// unjudged returns an ADD that must be judged before e's name of an item has a meaning, if there is one.
func (p *pass) unjudged(e entry, name string) entry {
	if !p.second {
		if add := e.labelledAdd(name); !add.none() && !add.judged {
			return add
		}
		return entry{}
	}
	texts := e.labelled(name)
	for i := range texts {
		if add := p.weigh(&texts[i]); !add.none() {
			return add
		}
	}
	return entry{}
}

// weigh takes into account what ADDs have made so far. It returns the first that is not judged yet.
func (p *pass) weigh(c *claims) entry {
	if c.pass != p {
		*c = claims{adds: c.adds, pass: p}
	}
	for ; c.weighed < len(c.adds); c.weighed++ {
		add := c.adds[c.weighed]
		if !add.judged {
			return add
		}
		switch made := p.madeItem(add); {
		case made == nil:
			c.refused = c.refused || add.d().Problem == nil
		case len(c.made) < 2 && !slices.Contains(c.made, made):
			c.made = append(c.made, made)
		}
	}
	return entry{}
}

// byLabel returns the item that a name of an ADD means. A name of two items means neither, nor does one of
// an item and of an ADD that was refused and not repaired.
func (p *pass) byLabel(e entry, name string) (*slot, finding) {
	if !p.unjudged(e, name).none() {
		return nil, tooSoon
	}
	made, refused := p.madeAs(e, name)
	switch {
	case len(made) == 0:
		return nil, unknown
	case len(made) > 1 || refused:
		return nil, ambiguous
	}
	return made[0], known
}

// madeAs returns the items of judged ADDs that share a name, at most two of a text, and whether another ADD
// with that name was refused and not repaired.
func (p *pass) madeAs(e entry, name string) (made []*slot, refused bool) {
	if !p.second {
		if one := p.madeItem(e.labelledAdd(name)); one != nil {
			made = append(made, one)
		}
		return made, false
	}
	texts := e.labelled(name)
	for i := range texts {
		text := &texts[i]
		p.weigh(text)
		for _, one := range text.made {
			if !slices.Contains(made, one) {
				made = append(made, one)
			}
		}
		refused = text.refused
	}
	return made, refused
}

// labelOf returns the author's name of the item, if it differs from its id.
func (e entry) labelOf(id string) string {
	for _, l := range e.names() {
		if l != id && !e.knows(l) {
			if e.in.second {
				l = fault.Shown(l)
			}
			return " (" + e.d().Agent + "'s " + l + ")"
		}
	}
	return ""
}
