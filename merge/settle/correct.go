package settle

import (
	"crypto/sha256"
	"slices"
	"time"

	"brenner/artifact/delta"
	"brenner/merge"
)

// match combines a reply with its repair, in sessions since protocol 3. What is the same change is
// paired first; then the rest of the repair with blocks of which nothing was taken.
type match struct {
	c     *Contribution
	rules merge.Rules

	first   []delta.Delta
	flaws   map[int]*flaw   // by index in first
	copies  []int           // by index in first: the index of the one that it repeats, or its own
	claimed []bool          // by index in first: the repair has the same
	by      []int           // by index in first: the index in more of what replaces it, or -1
	trimmed int             // EDITs of first that lost fields to the repair
	labels  map[string]bool // of the ADDs of first
	named   []string        // by index in first: the name or the main field of an ADD
	called  map[string]int  // how many ADDs of first of which nothing was taken have the name
	second  bool            // the rules of the second reader

	more  []delta.Delta
	known []bool  // by index in more: paired, or no correction
	bad   []bool  // by index in more: nothing of it can be taken
	fixed []bool  // by index in more: a KILL that stays in the place of the one that it replaces
	names []added // by index in more, for ADDs
}

// correct returns the deltas of a reply and its repair in the order in which they count. An ADD of the
// repair takes the place of what it replaces, and its labels; all else comes after the reply. KILLs
// make room for the first ADD to a full section.
func (c *Contribution) correct(first, second *delta.Reply, at time.Time, message int, rules merge.Rules, r *Reading) []delta.Delta {
	own, rows := c.splitRecords(c.stamp(first, at, message))
	more, others := c.splitRecords(second.Stamped(c.envelope(at, message, c.ID+"/repair")))
	m := &match{c: c, rules: rules, first: own, flaws: make(map[int]*flaw), labels: make(map[string]bool), called: make(map[string]int), second: c.Reader != delta.FirstReader}
	byBlock := make(map[int]*flaw)
	flaws := c.flaws(first, rules, at)
	for i := range flaws {
		byBlock[flaws[i].block.Index] = &flaws[i]
	}
	for i := range m.first {
		if f := byBlock[m.first[i].Place.Block]; f != nil {
			m.flaws[i] = f
		}
		if m.first[i].Operation == delta.Add {
			for _, l := range m.first[i].Labels {
				m.labels[l] = true
			}
		}
	}
	m.countNames(first)
	m.claimed, m.by = make([]bool, len(m.first)), slices.Repeat([]int{-1}, len(m.first))
	m.take(second, more, r)
	index := m.indexSame(first)
	m.pairEdits()
	for pass := range passes {
		m.pair(index, func(j int) []key { return m.same(j, pass) })
	}
	m.pairOthers()
	if m.second {
		m.pairBad()
		m.explainOpen()
	}
	for i, original := range m.copies { // the original comes first
		m.by[i] = m.by[original]
	}
	for _, j := range m.by {
		if j >= 0 && !m.bad[j] {
			m.more[j].Place.Corrects = true
		}
	}
	all := m.combined(nil)
	if late := m.pushedOut(all); len(late) > 0 {
		all = m.combined(late)
	}
	m.account(r)
	for _, d := range r.correctRecords(second, rows, others) {
		d.Place.Written, d.Place.Block = d.Place.Source(), len(all)+1
		all = append(all, d)
	}
	return all
}

// take takes the deltas of the repair, without those that the reply has: agents often send everything
// again. A delta that is rejected whatever the reply has is no correction.
func (m *match) take(second *delta.Reply, more []delta.Delta, r *Reading) {
	said := make(map[[sha256.Size]byte]int, len(m.first))
	for i := range m.first {
		d := &m.first[i]
		if original, ok := said[d.Hash()]; ok && d.Problem == nil {
			m.copies, m.claimed[i] = append(m.copies, original), true
			continue
		}
		if m.copies = append(m.copies, i); d.Problem == nil {
			said[d.Hash()] = i
		}
	}
	rows := m.c.trial(more, m.rules)
	for i := range more {
		d := &more[i]
		if same, ok := said[d.Hash()]; ok {
			m.claimed[same] = true
			r.Taken--
			r.Shown++
			continue
		}
		row, b := rows[d.ID], &second.Blocks[d.Place.Block-1]
		bad := d.Problem != nil || row != nil && row.Disposition == merge.Rejected && (row.Code == delta.MissingRequiredField || row.Code == delta.InvalidField)
		m.more, m.known, m.bad, m.names = append(m.more, *d), append(m.known, bad), append(m.bad, bad), append(m.names, addedBy(b))
	}
	for i := range m.more {
		p := m.more[i].Place
		p.Written, p.Repair = p.Block, true
	}
	m.fixed = make([]bool, len(m.more))
}

// nothing reports whether nothing of a delta of the reply was taken.
func (m *match) nothing(i int) bool {
	return m.first[i].Problem != nil || m.flaws[i] != nil && m.flaws[i].rejected
}

// written is a field that an EDIT writes.
type written struct{ section, target, name string }

// pairEdits finds EDITs of the same fields of one item. Those of the repair come later and count; they
// replace fields that were refused.
func (m *match) pairEdits() {
	writes := make(map[written]int)
	for j := range m.more {
		if d := &m.more[j]; d.Operation == delta.Edit && !m.known[j] {
			for _, f := range d.Payload {
				writes[written{d.Section, d.Target, f.Name}] = j
			}
		}
	}
	for i := range m.first {
		if d := &m.first[i]; d.Operation == delta.Edit && d.Problem == nil {
			m.pairEdit(i, writes)
		}
	}
}

func (m *match) pairEdit(i int, writes map[written]int) {
	d := &m.first[i]
	var by []int
	for _, f := range d.Payload {
		if j, ok := writes[written{d.Section, d.Target, f.Name}]; ok {
			by = append(by, j)
		}
	}
	if len(by) == 0 || m.nothing(i) && len(by) < len(d.Payload) {
		return
	}
	for _, j := range by {
		m.known[j] = true
	}
	if m.nothing(i) {
		m.by[i] = slices.Max(by)
		return
	}
	if f := m.flaws[i]; f != nil {
		rest := f.withoutRefused(d, func(name string) bool { _, ok := writes[written{d.Section, d.Target, name}]; return ok })
		if rest.Hash() != d.Hash() {
			m.trimmed++
		}
		*d = rest
	}
}

// pair pairs each delta of the repair with the first one that a key of it leads to.
func (m *match) pair(index map[key][]int, keys func(j int) []key) {
	for j := range m.more {
		if m.known[j] {
			continue
		}
		for _, k := range keys(j) {
			queue := index[k]
			for len(queue) > 0 && (m.claimed[queue[0]] || m.by[queue[0]] >= 0) {
				queue = queue[1:]
			}
			index[k] = queue
			if len(queue) > 0 {
				m.replace(queue[0], j)
				break
			}
		}
	}
}

func (m *match) replace(i, j int) {
	old, d := &m.first[i], &m.more[j]
	m.by[i], m.known[j] = j, true
	m.fixed[j] = d.Operation == delta.Kill && !m.nothing(i)
	if old.Operation == delta.Add && d.Operation == delta.Add && !m.mayBeOther(i, j) {
		addLabels(d, old)
	}
}

// addLabels adds the labels of an ADD to the one that replaces it.
func addLabels(by, old *delta.Delta) {
	labels := slices.Concat(by.Labels, old.Labels)
	slices.Sort(labels)
	if labels = slices.Compact(labels); len(labels) > len(by.Labels) {
		by.Labels = labels
		by.Seal()
	}
}

// combined returns the deltas in order. Late are sections in which only ADDs that were taken before
// keep their places.
func (m *match) combined(late map[string]bool) []delta.Delta {
	var all []delta.Delta
	placed, full := make([]bool, len(m.more)), make(map[string]bool)
	place := func(j int) {
		if !placed[j] {
			all, placed[j] = append(all, m.more[j]), true
		}
	}
	for i := range m.first {
		d := &m.first[i]
		if f := m.flaws[i]; f != nil && f.row.Code == merge.SectionLimitExceeded && !full[d.Section] {
			full[d.Section] = true
			for j := range m.more {
				if kill := &m.more[j]; kill.Operation == delta.Kill && kill.Section == d.Section && kill.Problem == nil && !m.fixed[j] {
					place(j)
				}
			}
		}
		switch j := m.by[i]; {
		case j < 0:
			all = append(all, *d)
		case m.fixed[j], m.more[j].Operation == delta.Add && !(m.nothing(i) && late[m.more[j].Section]):
			place(j)
		}
	}
	for j := range m.more {
		place(j)
	}
	for i := range all {
		p := all[i].Place
		p.Written, p.Block = p.Source(), i+1
	}
	return all
}

// pushedOut returns the sections in which there is no longer room for an ADD that was taken before,
// because of ADDs in the places of others that were not.
func (m *match) pushedOut(all []delta.Delta) map[string]bool {
	late := make(map[string]bool)
	if !slices.ContainsFunc(m.by, func(j int) bool { return j >= 0 && m.more[j].Operation == delta.Add }) {
		return late
	}
	rows := m.c.trial(all, m.rules)
	for i := range m.first {
		d := &m.first[i]
		if j := m.by[i]; j >= 0 {
			d = &m.more[j]
		}
		if row := rows[d.ID]; row != nil && row.Code == merge.SectionLimitExceeded && !m.nothing(i) {
			late[d.Section] = true
		}
	}
	return late
}

// account counts what was replaced.
func (m *match) account(r *Reading) {
	r.Repaired += m.trimmed
	for i, j := range m.by {
		if j < 0 {
			continue
		}
		if !m.bad[j] {
			r.Repaired++
		}
		r.Replaced = append(r.Replaced, Replaced{m.first[i], m.more[j].ID})
		if m.first[i].Problem != nil {
			r.Refused--
		} else {
			r.Taken--
		}
	}
}
