package settle

import (
	"cmp"

	"brenner/artifact"
	"brenner/artifact/delta"
)

// The label of an ADD passes to its correction only if no other delta can be meant: a reference to the
// wrong item is worse than one to none.

// isAside reports whether a delta of the reply may be a quotation, an example or a draft. Only what names
// it can correct it.
func (m *match) isAside(i int) bool {
	p := m.first[i].Problem
	return m.second && p != nil && p.Code == delta.AmbiguousDelta
}

// rank returns the order in which deltas of the reply are found: those with a defect first.
func (m *match) rank(i int) int {
	switch {
	case m.isAside(i):
		return 1
	case m.first[i].Problem != nil || m.flaws[i] != nil:
		return 0
	}
	return good
}

// good is the rank of a delta without a defect.
const good = 2

// enough reports whether the repair has no more new deltas than the reply has open blocks. Then each corrects one
// of these, and none replaces a good one that only has the same name.
func (m *match) enough() bool {
	n := 0
	for i := range m.first {
		if m.nothing(i) && !m.isAside(i) {
			n++
		}
	}
	return m.c.Reader != delta.SecondReader && m.second && len(m.more) <= n
}

// countNames counts the ADDs of which nothing was taken, by what tells them apart besides their labels.
func (m *match) countNames(first *delta.Reply) {
	m.named = make([]string, len(m.first))
	for i := range m.first {
		if m.first[i].Operation == delta.Add {
			a := addedBy(&first.Blocks[m.first[i].Place.Block-1])
			if m.named[i] = cmp.Or(a.name, a.main); m.nothing(i) && !m.isAside(i) {
				m.called[m.named[i]]++
			}
		}
	}
}

// mayBeOther reports whether an ADD of the repair that has no label of the reply may correct another
// one of the same name.
func (m *match) mayBeOther(i, j int) bool {
	return m.second && !m.shares(j) && m.nothing(i) && m.named[i] != "" && m.called[m.named[i]] > 1
}

// clear returns a function that reports whether an open delta of the reply may be paired with one of the
// repair that does not name it. One that may be a quotation never is; an ADD with a label only if there
// is one such ADD on either side.
func (m *match) clear(open []int) func(i int) bool {
	olds, news, unknown := make(map[string]int), make(map[string]int), 0
	for _, i := range open {
		switch d := &m.first[i]; {
		case m.isAside(i):
		case isUnknown(d):
			unknown++
		case d.Operation == delta.Add:
			olds[d.Section]++
		}
	}
	for j := range m.more {
		if d := &m.more[j]; d.Operation == delta.Add && (!m.known[j] || m.bad[j]) {
			news[d.Section]++
		}
	}
	return func(i int) bool {
		d := &m.first[i]
		if !m.second || m.isAside(i) {
			return !m.second
		}
		return d.Operation != delta.Add || len(d.Labels) == 0 || olds[d.Section]+unknown == 1 && news[d.Section] == 1
	}
}

// isUnknown reports whether the operation or the section of a delta could not be read.
func isUnknown(d *delta.Delta) bool {
	_, ok := artifact.ParseSection(d.Section)
	return !ok || d.Operation == ""
}

// explainOpen says of refused ADDs with a label that the repair has an ADD that may be meant for them.
func (m *match) explainOpen() {
	news := make(map[string]bool)
	for j := range m.more {
		if d := &m.more[j]; d.Operation == delta.Add && !m.known[j] && !m.bad[j] && len(d.Labels) == 0 {
			news[d.Section] = true
		}
	}
	for i := range m.first {
		d := &m.first[i]
		if d.Problem == nil || m.by[i] >= 0 || m.isAside(i) || d.Operation != delta.Add || len(d.Labels) == 0 || !news[d.Section] {
			continue
		}
		problem := *d.Problem
		problem.Message += "; the repair has ADDs that do not name it"
		d.Problem = &problem
	}
}
