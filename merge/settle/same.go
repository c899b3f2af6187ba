package settle

import (
	"cmp"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
)

// added is how the author of an ADD identifies its item.
type added struct {
	labels     []string
	name, main string // in lower case, with single spaces; "" if absent or derived
}

func addedBy(b *delta.Block) added {
	d := &b.Delta
	if d.Operation != delta.Add {
		return added{}
	}
	a := added{labels: d.Labels}
	plain := func(field string) string {
		return strings.ToLower(strings.Join(strings.Fields(d.Payload.Text(field)), " "))
	}
	if !b.Flagged(delta.FlagNameDerived) {
		a.name = plain("name")
	}
	if s, ok := artifact.ParseSection(d.Section); ok {
		a.main = plain(s.Spec().Main)
	}
	return a
}

// key leads from a delta of the repair to one of the reply.
type key struct {
	kind               byte
	operation, section string // no section: in any
	label              string
	field, value       string
	named              bool // the item in the reply has a name
}

// The kinds of keys. Their labels are one of the author, or one of the two below.
const (
	byTarget    byte = iota
	byLabel          // the label alone
	byName           // field is the name
	byMain           // value is the main field
	byBoth           // both of them
	byField          // any field with its value
	byOperation      // operation and section alone
	bySection
	unreadable
)

const (
	noLabel  = "\x00no"
	anyLabel = "\x00any"
)

// Two ADDs to a section are the same change if they share a label, unless both names and main fields
// differ; or if one has no label, and the names are equal or, where one has none, the main fields. Other
// deltas are the same if their targets are. The section of a delta of which nothing was taken may be
// the mistake.
//
// indexSame returns the deltas of the reply by the keys under which the same is found: those with a
// defect first.
func (m *match) indexSame(first *delta.Reply) map[key][]int {
	index, enough := make(map[key][]int), m.enough()
	for rank := range 3 {
		for i := range m.first {
			d := &m.first[i]
			if m.rank(i) != rank {
				continue
			}
			put := func(k key) {
				if rank == good && enough && (k.label == noLabel || k.label == anyLabel) {
					return
				}
				k.operation, k.section = d.Operation, d.Section
				index[k] = append(index[k], i)
				if m.nothing(i) && (k.kind == byTarget || k.kind == byLabel || k.kind == byName) {
					k.section = ""
					index[k] = append(index[k], i)
				}
			}
			switch d.Operation {
			case delta.Add:
				addedBy(&first.Blocks[d.Place.Block-1]).put(m.nothing(i), put)
			case delta.Kill:
				put(key{kind: byTarget, value: d.Target})
			}
		}
	}
	return index
}

func (a added) put(nothing bool, put func(key)) {
	labels := append(slices.Clone(a.labels), anyLabel)
	if len(a.labels) == 0 {
		labels = append(labels, noLabel)
	}
	named := a.name != ""
	for _, l := range labels {
		put(key{kind: byLabel, label: l, named: named && !nothing})
		if named {
			put(key{kind: byName, label: l, field: a.name})
		}
		if a.main != "" {
			put(key{kind: byMain, label: l, value: a.main, named: named})
			put(key{kind: byBoth, label: l, field: a.name, value: a.main})
		}
	}
}

// passes is the number of passes in which the same is searched for, the surest first.
const passes = 4

// same returns the keys under which the same as a delta of the repair is found.
func (m *match) same(j, pass int) []key {
	d, a := &m.more[j], &m.names[j]
	var keys []key
	switch {
	case d.Operation == delta.Kill:
		keys = []key{{kind: byTarget, value: d.Target}}
	case d.Operation != delta.Add:
	case pass == 0:
		keys = a.sharing()
	case m.shares(j): // it is the one with that label, or another one
		if pass == passes-1 {
			keys = a.sharing()
		}
	default:
		label := labelsOf(d, true)[0]
		keys = [passes][]key{1: a.both(label), 2: a.either(label, false), 3: a.either(label, false)}[pass]
	}
	for i := range keys {
		keys[i].operation = d.Operation
		if pass < passes-1 {
			keys[i].section = d.Section
		}
	}
	return keys
}

// sharing returns the keys of the same with a common label.
func (a *added) sharing() []key {
	var keys []key
	for _, l := range a.labels {
		keys = slices.Concat(keys, a.both(l), a.either(l, true), []key{{kind: byLabel, label: l}})
		if a.name == "" {
			keys = append(keys, key{kind: byLabel, label: l, named: true})
		}
	}
	return keys
}

func (a *added) both(label string) []key {
	if a.main == "" {
		return nil
	}
	return []key{{kind: byBoth, label: label, field: a.name, value: a.main}}
}

// either returns the keys of those with the name or, if one of the two has none, with the main field.
func (a *added) either(label string, anyName bool) []key {
	var keys []key
	if a.name != "" {
		keys = append(keys, key{kind: byName, label: label, field: a.name})
	}
	if a.main != "" {
		keys = append(keys, key{kind: byMain, label: label, value: a.main})
		if a.name == "" || anyName {
			keys = append(keys, key{kind: byMain, label: label, value: a.main, named: true})
		}
	}
	return keys
}

// shares reports whether an ADD of the repair has a label of the reply.
func (m *match) shares(j int) bool {
	return slices.ContainsFunc(m.names[j].labels, func(l string) bool { return m.labels[l] })
}

// pairOthers pairs what is left of the repair with the blocks of which nothing was taken, and nothing
// would be: what is most alike first, then in order. Two ADDs with labels of their own are never paired.
func (m *match) pairOthers() {
	for j := range m.more {
		if m.shares(j) {
			m.known[j] = true
		}
	}
	if !slices.Contains(m.known, false) {
		return
	}
	rows := m.c.trial(m.combined(nil), m.rules)
	var open []int
	for i := range m.first {
		if d := &m.first[i]; m.nothing(i) && m.by[i] < 0 && (d.Problem != nil || !m.flaws[i].final() && m.c.rejects(rows[d.ID])) {
			open = append(open, i)
		}
	}
	index := m.indexOf(open)
	for _, kinds := range [][]byte{{byTarget, byField}, {byOperation}, {unreadable}, {bySection}} {
		m.pair(index, func(j int) []key {
			var keys []key
			for _, label := range labelsOf(&m.more[j], true) {
				keys = append(keys, likeness(&m.more[j], label)...)
				keys = append(keys, key{kind: unreadable, label: label})
			}
			return slices.DeleteFunc(keys, func(k key) bool { return !slices.Contains(kinds, k.kind) })
		})
	}
}

// indexOf returns the open deltas of the reply by what may pair them.
func (m *match) indexOf(open []int) map[key][]int {
	index, isClear := make(map[key][]int), m.clear(open)
	for _, i := range open {
		d := &m.first[i]
		for _, label := range labelsOf(d, false) {
			for _, k := range likeness(d, label) {
				if (k.kind != bySection || m.anyway(i)) && (k.kind == byTarget || isClear(i)) {
					index[k] = append(index[k], i)
				}
			}
		}
	}
	return index
}

// anyway reports whether a delta of the reply may be corrected by another operation: an EDIT by an ADD,
// and an ADD without a label to a full section by an EDIT.
func (m *match) anyway(i int) bool {
	d, f := &m.first[i], m.flaws[i]
	return d.Operation != delta.Add || len(d.Labels) == 0 && f != nil && f.row.Code == merge.SectionLimitExceeded
}

// labelsOf returns the labels under which a delta is found, or under which one finds others.
func labelsOf(d *delta.Delta, finds bool) []string {
	switch none := d.Operation != delta.Add || len(d.Labels) == 0; {
	case none && finds:
		return []string{anyLabel}
	case none:
		return []string{anyLabel, noLabel}
	case finds:
		return []string{noLabel}
	}
	return []string{anyLabel}
}

// likeness returns the keys of a delta that others like it have, the most telling first.
func likeness(d *delta.Delta, label string) []key {
	_, ok := artifact.ParseSection(d.Section)
	if !ok || !slices.Contains([]string{delta.Add, delta.Edit, delta.Kill}, d.Operation) {
		return []key{{kind: unreadable, label: label}}
	}
	var keys []key
	for i := range d.Payload {
		if f := &d.Payload[i]; f.Value != nil {
			keys = append(keys, key{kind: byField, operation: d.Operation, section: d.Section, label: label, field: f.Name, value: string(artifact.Canonical(f.Value))})
		}
	}
	slices.SortStableFunc(keys, func(x, y key) int { return cmp.Compare(len(y.value), len(x.value)) })
	if d.Target != "" {
		keys = slices.Insert(keys, 0, key{kind: byTarget, operation: d.Operation, label: label, value: d.Target})
	}
	keys = append(keys, key{kind: byOperation, operation: d.Operation, section: d.Section, label: label})
	if d.Operation != delta.Kill {
		keys = append(keys, key{kind: bySection, section: d.Section, label: label})
	}
	return keys
}

// pairBad pairs the deltas of the repair that are as bad as before with those of the reply that they
// repeat, so that each attempted change counts once. They replace only what was not taken.
func (m *match) pairBad() {
	index := make(map[key][]int)
	for i := range m.first {
		if d := &m.first[i]; m.nothing(i) && m.by[i] < 0 {
			for _, k := range attempted(d) {
				index[k] = append(index[k], i)
			}
		}
	}
	for j := range m.more {
		if m.bad[j] {
			m.known[j] = false
		}
	}
	m.pair(index, func(j int) []key {
		return slices.DeleteFunc(attempted(&m.more[j]), func(k key) bool { return k.kind == byOperation })
	})
	m.pair(index, func(j int) []key { // an ADD whose name is not known in one of the two
		keys := slices.DeleteFunc(attempted(&m.more[j]), func(k key) bool { return k.kind != byOperation })
		for i := range keys {
			other := keys[i]
			if other.named = !other.named; keys[i].named {
				keys[i] = other
			} else {
				keys = append(keys, other)
			}
		}
		return keys
	})
}

// attempted returns the keys of a change of which nothing was taken: its target and fields, or its name.
func attempted(d *delta.Delta) []key {
	k := key{kind: byTarget, operation: d.Operation, value: d.Target}
	switch {
	case d.Operation == delta.Edit && len(d.Payload) > 0:
		keys := make([]key, len(d.Payload))
		for i := range d.Payload {
			keys[i] = k
			keys[i].field = d.Payload[i].Name
		}
		return keys
	case d.Operation != delta.Add:
		return []key{k}
	}
	name := strings.ToLower(strings.Join(strings.Fields(d.Payload.Text("name")), " "))
	kind := key{kind: byOperation, operation: d.Operation, section: d.Section, named: name != ""}
	if name == "" {
		return []key{kind}
	}
	return []key{{kind: byName, operation: d.Operation, section: d.Section, field: name}, kind}
}
