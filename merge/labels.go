package merge

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/internal/fault"
)

// labels are the names that one author gave, within one message, to the items of its ADDs. Each
// name keeps all ADDs that claimed it, in order.
type labels map[string][]entry

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

func (d *orderedBatch) collectLabels(base *artifact.Artifact, rules *Rules) {
	if rules.second() {
		d.knownLabels(base)
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
		for _, name := range e.d().Labels {
			if !e.knows(name) {
				names[name] = append(names[name], e)
			}
		}
	}
	if rules.second() {
		d.hear()
	}
}

// knownLabels finds the labels of the batch that are ids of the base, or addresses of cells in a row of
// it. An author who was shown that item means it, never the item of an ADD.
func (d *orderedBatch) knownLabels(base *artifact.Artifact) {
	var wanted map[string][]string // ids, and the labels that spell them
	for i := range d.facts {
		if !d.facts[i].is(labelled) {
			continue
		}
		for _, label := range d.batch[d.facts[i].at].Labels {
			id, ok := spelledID(label)
			if !ok || slices.Contains(wanted[id], label) {
				continue
			}
			if wanted == nil {
				wanted = make(map[string][]string)
			}
			wanted[id] = append(wanted[id], label)
		}
	}
	if wanted == nil {
		return
	}
	d.known = make(map[string]int)
	for _, items := range base.Sections {
		for _, it := range items {
			since := 0
			if it.Created != nil {
				since = it.Created.Version
			}
			for _, label := range wanted[it.ID] {
				d.known[label] = since
			}
		}
	}
}

// spelledID returns the id that a label spells, whatever its case, the marks around it (**H2**, [H2], H2.)
// and what separates its number (H-2, H02). The cell of a prediction counts as its row. A spelling that no
// EDIT or KILL could use is no label either: a person would read it as that item. A mark behind it alone
// makes it another name (H2', H2*).
func spelledID(label string) (string, bool) {
	id := strings.ToUpper(strings.TrimRight(strings.Map(plainRune, label), " \t\r\n.,:;"))
	if inner := strings.TrimLeft(id, " \t\r\n"); inner != strings.TrimLeft(inner, wrappers) {
		id = strings.TrimRight(strings.TrimLeft(inner, wrappers), wrappers+" .,:;")
	} else {
		id = inner
	}
	if row, _, isCell := strings.Cut(id, "."); isCell {
		return row, artifact.PredictionsTable.ValidID(row)
	}
	number := strings.TrimLeft(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	if digits := strings.TrimLeft(number, " -_#0"); digits != number {
		id = strings.TrimSuffix(id, number) + digits
	}
	_, ok := artifact.SectionOfID(id)
	return id, ok
}

// wrappers are the marks that Markdown and people put around an id.
const wrappers = "*_`~[](){}<>\"'“”‘’#"

// plainRune drops characters without a width, and narrows full-width ones.
func plainRune(r rune) rune {
	switch {
	case unicode.Is(unicode.Cf, r):
		return -1
	case r >= '！' && r <= '～':
		return r - '！' + '!'
	}
	return r
}

// knows reports whether a label of the batch is an id that the author of e was shown. Deltas from files
// see the base.
func (e entry) knows(label string) bool {
	if len(e.in.known) == 0 {
		return false
	}
	since, ok := e.in.known[label]
	return ok && (e.d().Place == nil || since <= e.d().Place.Shown)
}

// takenLabels returns the labels of an ADD that its author knows as ids.
func (e entry) takenLabels() []string {
	if !e.is(labelled) || len(e.in.known) == 0 {
		return nil
	}
	var taken []string
	for _, l := range e.d().Labels {
		if e.knows(l) {
			taken = append(taken, l)
		}
	}
	return taken
}

// assumedIDs returns the labels of an ADD that are ids, other than the one that its item got.
func (e entry) assumedIDs(id string) []string {
	var assumed []string
	for _, l := range e.d().Labels {
		if _, isID := artifact.SectionOfID(l); isID && l != id && !e.knows(l) {
			assumed = append(assumed, l)
		}
	}
	return assumed
}

// takenMessage explains why labels of an ADD were not taken.
func takenMessage(taken []string) string {
	shown := make([]string, len(taken))
	for i, l := range taken {
		shown[i] = fault.Shown(l)
	}
	if len(taken) == 1 {
		return shown[0] + " is an existing item and cannot name a new one"
	}
	return strings.Join(shown, " and ") + " are existing items and cannot name a new one"
}

// labelledAdd returns the ADD that a name refers to in e: the nearest before it, else the first
// after it.
func (e entry) labelledAdd(name string) entry {
	adds := e.labels()[name]
	if len(adds) == 0 || e.knows(name) {
		return entry{}
	}
	after, found := slices.BinarySearchFunc(adds, e.index, func(a entry, i int32) int { return int(a.index - i) })
	if !found && after > 0 {
		after--
	}
	return adds[after]
}

// labelOf returns the author's name of the item, if it differs from its id.
func (e entry) labelOf(id string) string {
	for _, l := range e.d().Labels {
		if l != id && !e.knows(l) {
			return " (" + e.d().Agent + "'s " + l + ")"
		}
	}
	return ""
}

type finding int

const (
	known   finding = iota // it is the returned item
	unknown                // it is nothing that the author could know
	tooSoon                // it is an item of a later ADD
)

// refer resolves an id or label in a delta.
func (p *pass) refer(e entry, ref string) (*slot, finding) {
	if add := e.labelledAdd(ref); !add.none() {
		if !add.judged {
			return nil, tooSoon
		}
		if made := p.madeItem(add); made != nil {
			return made, known
		}
		return nil, unknown
	}
	section, ok := artifact.SectionOfID(ref)
	if !ok {
		return nil, unknown
	}
	if s := p.section(section).find(ref); s != nil && s.shownTo(e) {
		return s, known
	}
	return nil, unknown
}

// address finds the target of an EDIT or KILL: an item, or one cell of a prediction (P2.H1). A nil
// item without a rejection is the research thread that does not exist yet.
func (p *pass) address(e entry, section artifact.Section) (*slot, string, bool) {
	target := e.d().Target
	if section == artifact.ResearchThread {
		if target != "" && target != artifact.ThreadID {
			p.noTarget(e, section, target)
			return nil, "", false
		}
		return p.section(section).find(artifact.ThreadID), "", true
	}
	if e.number != 0 && e.labels() == nil { // the common case: a plain id
		if s := p.section(section).numbered(int(e.number)); s != nil && s.shownTo(e) {
			return s, "", true
		}
	}
	if target == "" {
		e.reject(InvalidTarget, fmt.Sprintf("%s needs a target_id", e.d().Operation))
		return nil, "", false
	}
	if section == artifact.PredictionsTable {
		if row, cell, isCell := strings.Cut(target, "."); isCell && e.labelledAdd(target).none() {
			return p.addressCell(e, row, cell)
		}
	}
	s, found := p.refer(e, target)
	if found != known || s.section() != section {
		p.noTarget(e, section, target)
		return nil, "", false
	}
	return s, "", true
}

func (p *pass) addressCell(e entry, row, cell string) (*slot, string, bool) {
	s, found := p.refer(e, row)
	if found != known || s.section() != artifact.PredictionsTable {
		p.noTarget(e, artifact.PredictionsTable, row)
		return nil, "", false
	}
	h, found := p.refer(e, cell)
	if found != known || h.section() != artifact.HypothesisSlate {
		p.noTarget(e, artifact.HypothesisSlate, cell)
		return nil, "", false
	}
	if f := p.open(s).find("predictions"); f != nil && f.shape != mapping && f.shape != unset {
		e.reject(InvalidTarget, fmt.Sprintf("the predictions of %s are not a table row", s.id()))
		return nil, "", false
	}
	return s, h.id(), true
}

// noTarget reports why a target is invalid, and in which section that id exists.
func (p *pass) noTarget(e entry, section artifact.Section, target string) {
	why := fmt.Sprintf("there is no %s in %s", fault.Shown(target), section)
	if add := e.labelledAdd(target); !add.none() {
		switch made := p.madeItem(add); {
		case made == nil:
			why = fmt.Sprintf("%s is %s's own name for an item that was refused", fault.Shown(target), fault.Shown(e.d().Agent))
		default:
			why = fmt.Sprintf("%s is %s's own name for %s, which is in %s", fault.Shown(target), fault.Shown(e.d().Agent), made.id(), made.section())
		}
	} else if other, ok := artifact.SectionOfID(target); ok {
		switch s := p.section(other).find(target); {
		case s == nil:
		case !s.shownTo(e) && e.d().Place.Shown == 0:
			why = target + " is an item that its author was not shown"
		case !s.shownTo(e):
			why = fmt.Sprintf("%s is not in version %d, which its author was shown", target, e.d().Place.Shown)
		case other != section:
			why += fmt.Sprintf("; %s is in %s", target, other)
		}
	}
	e.reject(InvalidTarget, why)
	if len(e.heardOf(target)) > 0 {
		p.misnamed = append(p.misnamed, misnamed{e, target})
	}
}
