package merge

import (
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/internal/fault"
)

// meaning is the item of the base that a label reads as.
type meaning struct {
	id   string
	made *artifact.Stamp // of the delta that added the item; nil if it is not recorded
	text bool            // only a text of the base has the id
	sure bool            // false if the label is the item's name, or has other words, too
}

// since returns the version that added the item.
func (m meaning) since() int {
	if m.made == nil {
		return 0
	}
	return m.made.Version
}

// knownLabels finds the labels of the batch that read as items of the base: as their ids in whatever
// spelling, as cells of a row, or as their names. An author who was shown that item means it.
func (d *orderedBatch) knownLabels(base *artifact.Artifact) {
	wanted := d.wantedItems()
	if wanted == nil {
		return
	}
	d.known = make(map[string]meaning)
	for s, items := range base.Sections {
		for _, id := range base.Reserved(artifact.Section(s)) {
			d.record(wanted[lookup{text: id, sure: true}], meaning{id: id, text: true, sure: true})
		}
		for _, it := range items {
			m := meaning{id: it.ID, made: it.Created}
			d.record(wanted[lookup{text: it.ID}], m)
			if name := it.Text("name"); name != "" {
				d.record(wanted[lookup{text: artifact.FoldName(name), name: true}], m)
			}
			m.sure = true
			d.record(wanted[lookup{text: it.ID, sure: true}], m)
		}
	}
}

// record keeps what labels read as. A sure reading takes precedence, then the older item.
func (d *orderedBatch) record(labels []string, m meaning) {
	for _, label := range labels {
		old, ok := d.known[label]
		if !ok || m.sure && !old.sure || m.sure == old.sure && m.since() < old.since() {
			d.known[label] = m
		}
	}
}

// lookup is an item that a label of the batch may mean: by its id, surely or perhaps, or by its name.
type lookup struct {
	text       string
	sure, name bool
}

func (d *orderedBatch) wantedItems() map[lookup][]string {
	var wanted map[lookup][]string
	seen := make(map[string]bool)
	for i := range d.facts {
		if !d.facts[i].is(labelled) {
			continue
		}
		for _, label := range d.entry(i).names() {
			if seen[label] {
				continue
			}
			seen[label] = true
			if wanted == nil {
				wanted = make(map[lookup][]string)
			}
			want := func(w lookup) { wanted[w] = append(wanted[w], label) }
			id, maybe := artifact.Spelled(label)
			if id != "" {
				want(lookup{text: id, sure: true})
			}
			for _, id := range maybe {
				want(lookup{text: id})
			}
			want(lookup{text: artifact.FoldName(label), name: true})
		}
	}
	return wanted
}

// knows reports whether a label of the batch surely reads as an item that the author of e was shown.
func (e entry) knows(label string) bool {
	m, ok := e.meaning(label)
	return ok && m.sure
}

// doubts reports whether the author of e may mean another item than its own of that name: one that it was
// shown, one of a letter that it received, a cell, or any if the name is a target before its ADD.
func (e entry) doubts(label string) bool {
	if m, ok := e.meaning(label); ok && !m.sure {
		return true
	}
	n := e.claimsOf(label)
	return n != nil && e.in.second && e.labelled(label) != nil && (n.early || e.namedByOthers(label) || e.readsAsCell(label))
}

// readsAsCell reports whether a label is in the form of a cell of a row that the author of e was shown. Before
// merge/3 the label of an earlier merge meant its row as a whole.
func (e entry) readsAsCell(label string) bool {
	return e.in.third && e.knows(label) && spelledID(label) == ""
}

// meansOwn reports whether a known id nevertheless is the author's own name of an item: in a delta that was
// read before together with its ADD, or if the item with the id is that one.
func (e entry) meansOwn(id string, n *nameClaims) bool {
	m, _ := e.meaning(id)
	return n.resent != nil && (n.resent == m.made || e.readBefore() != nil)
}

// meaning returns the item that a label of the batch reads as, if the author of e was shown it. Deltas
// from files see the base, and one that was read before sees the base of that time.
func (e entry) meaning(label string) (meaning, bool) {
	if len(e.in.known) == 0 {
		return meaning{}, false
	}
	m, ok := e.in.known[label]
	if ok && e.d().Place != nil {
		ok = m.since() <= e.d().Place.Shown
	}
	if first := e.readBefore(); ok && first != nil {
		ok = m.since() < first.Version
	}
	return m, ok
}

// readBefore returns the stamp of the delta from an earlier merge, or nil.
func (e entry) readBefore() *artifact.Stamp {
	hash := e.d().Hash()
	if first := e.in.history.byID[e.in.idOf(e.at)]; first != nil && first.Hash == hash {
		return first
	}
	return e.in.history.byContent[hash]
}

// explainTaken says which names of an ADD its author knows as items, or returns "".
func (e entry) explainTaken() string {
	if !e.is(labelled) || len(e.in.known) == 0 {
		return ""
	}
	var ids, items, texts []string
	for _, label := range e.names() {
		m, ok := e.meaning(label)
		if !ok || !m.sure || slices.Contains(ids, m.id) {
			continue
		}
		ids = append(ids, m.id)
		shown := fault.Shown(label)
		if label != m.id && !strings.HasPrefix(label, m.id+".") {
			shown += ", read as " + m.id + ","
		}
		if m.text {
			texts = append(texts, shown)
		} else {
			items = append(items, shown)
		}
	}
	var parts []string
	if len(items) > 0 {
		parts = append(parts, takenMessage(items, "is an existing item and cannot name a new one", "are existing items and cannot name a new one"))
	}
	if len(texts) > 0 {
		parts = append(parts, takenMessage(texts, "appears in a text of the artifact and cannot name a new item", "appear in texts of the artifact and cannot name a new item"))
	}
	return strings.Join(parts, "; ")
}

// noteTaken says which names of an ADD were not taken, if there are any.
func (r *Row) noteTaken(taken string) {
	if taken != "" {
		r.Code = LabelTaken
		r.Message += "; " + taken
	}
}

// takenMessage explains why labels of an ADD were not taken.
func takenMessage(labels []string, one, several string) string {
	if len(labels) > 1 {
		one = several
	}
	return strings.Join(labels, " and ") + " " + one
}

// assumed is an id that an agent assumed for an item of the base.
type assumed struct{ agent, id string }

// rememberLabels lists the items of the base that have other ids than their authors assumed.
func (d *orderedBatch) rememberLabels(base *artifact.Artifact) {
	for _, items := range base.Sections {
		for _, it := range items {
			if it.Created == nil {
				continue
			}
			for _, label := range it.Labels() {
				if d.memory == nil {
					d.memory = make(map[assumed][]string)
				}
				key := assumed{it.Created.Agent, label}
				d.memory[key] = append(d.memory[key], it.ID)
			}
		}
	}
}

// remembered returns the items that the author of e called by an id in an earlier merge, if nothing
// says whether it has seen their real ids since: in a delta file, or a reply in a file.
func (e entry) remembered(id string) []string {
	if place := e.d().Place; e.in.memory == nil || place != nil && !place.Unrecorded {
		return nil
	}
	return e.in.memory[assumed{e.d().Agent, id}]
}
