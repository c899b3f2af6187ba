package settle

import (
	"slices"
	"strings"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
)

// The corrections of sessions of protocol 2; those of later ones are in correct.go.

// correction is a delta of a repair with the flaw that it corrects.
type correction struct {
	flaw
	by int // index among the deltas of the repair
}

// maxFlaws bounds the flaws that a repair can correct. A request names far fewer.
const maxFlaws = 100

// corrections finds the flaws of the first reply that deltas of the repair correct. A delta with
// refused fields is corrected only by one that the merge accepts. Full are the blocks of the first
// reply that add to a full section.
func (c *Contribution) corrections(first *delta.Reply, more []delta.Delta, rules merge.Rules, at time.Time) (found []correction, full map[int]bool) {
	if len(more) == 0 {
		return nil, nil
	}
	flaws := slices.DeleteFunc(c.flaws(first, rules, at), func(f flaw) bool { return f.final() })
	if len(flaws) == 0 {
		return nil, nil
	}
	full = make(map[int]bool)
	for _, f := range flaws {
		full[f.block.Index] = f.row.Code == merge.SectionLimitExceeded
	}
	flaws = flaws[:min(len(flaws), maxFlaws)]
	m := matcher{flaws: flaws, more: more, rows: c.trial(more, rules), taken: make(map[int]bool)}
	for _, same := range []func(*flaw, *delta.Delta) int{sharedLabels, equalNames, equalParts, m.onlyOnes} {
		m.match(same)
	}
	return m.found, full
}

type matcher struct {
	flaws []flaw // not corrected yet
	more  []delta.Delta
	rows  map[string]*merge.Row
	taken map[int]bool // indices in more
	found []correction
}

// match finds for each delta of the repair the flaw that is most alike; 0 is not alike.
func (m *matcher) match(alike func(*flaw, *delta.Delta) int) {
	for i := range m.more {
		d := &m.more[i]
		if d.Problem != nil || m.taken[i] {
			continue
		}
		best, most := -1, 0
		for j := range m.flaws {
			f := &m.flaws[j]
			if f.block.Delta.Section != d.Section || !f.rejected && m.rows[d.ID].Disposition == merge.Rejected {
				continue
			}
			if n := alike(f, d); n > most {
				best, most = j, n
			}
		}
		if best >= 0 {
			m.taken[i] = true
			m.found = append(m.found, correction{m.flaws[best], i})
			m.flaws = slices.Delete(m.flaws, best, best+1)
		}
	}
}

func sharedLabels(f *flaw, d *delta.Delta) int {
	n := 0
	for _, label := range f.block.Delta.Labels {
		if f.block.Delta.Operation == d.Operation && slices.Contains(d.Labels, label) {
			n++
		}
	}
	return n
}

// equalNames compares what ADDs call their items, or the targets of other deltas. An EDIT that the
// merge took in part is corrected only by one with a field that was refused.
func equalNames(f *flaw, d *delta.Delta) int {
	x := &f.block.Delta
	switch {
	case x.Operation != d.Operation:
		return 0
	case d.Operation == delta.Add && sameValue(x, d, "name") && !f.refused("name"), x.Target != "" && x.Target == d.Target && (f.rejected || f.refusedIn(d) > 0):
		return 1 + f.refusedIn(d) + equalFields(x, d)
	}
	return 0
}

// equalParts compares the required fields of ADDs, and all fields of rejected deltas.
func equalParts(f *flaw, d *delta.Delta) int {
	x := &f.block.Delta
	if x.Operation != d.Operation {
		return 0
	}
	if d.Operation != delta.Add {
		if !f.rejected {
			return 0
		}
		return equalFields(x, d)
	}
	section, ok := artifact.ParseSection(d.Section)
	if !ok {
		return 0
	}
	for _, field := range section.Spec().Fields {
		if field.Required && !f.refused(field.Name) && sameValue(x, d, field.Name) {
			return 1 + equalFields(x, d)
		}
	}
	return 0
}

// onlyOnes takes any delta for a correction of a rejected one of its kind. ADDs must be the only ones
// of their section on either side; an ADD that was taken must also be worded alike.
func (m *matcher) onlyOnes(f *flaw, d *delta.Delta) int {
	x := &f.block.Delta
	sameKind := func(y *delta.Delta) bool { return y.Operation == d.Operation && y.Section == d.Section }
	switch {
	case x.Operation != d.Operation:
		if f.rejected && f.row.Code == merge.RTEditOnly {
			return 1
		}
		return 0
	case d.Operation != delta.Add:
		if f.rejected {
			return 1
		}
		return 0
	}
	flaws, adds := 0, 0
	for i := range m.flaws {
		if sameKind(&m.flaws[i].block.Delta) {
			flaws++
		}
	}
	for i := range m.more {
		if y := &m.more[i]; y.Problem == nil && !m.taken[i] && sameKind(y) {
			adds++
		}
	}
	if flaws == 1 && adds == 1 && (f.rejected || alikeInWords(x, d)) {
		return 1
	}
	return 0
}

// alikeInWords reports whether half of the words of a name or a required text are the same.
func alikeInWords(x, y *delta.Delta) bool {
	section, ok := artifact.ParseSection(x.Section)
	if !ok {
		return false
	}
	names := []string{"name"}
	for _, field := range section.Spec().Fields {
		if field.Required && field.Kind == artifact.KindText {
			names = append(names, field.Name)
		}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		words, same := strings.Fields(strings.ToLower(x.Payload.Text(name))), 0
		others := strings.Fields(strings.ToLower(y.Payload.Text(name)))
		for _, w := range words {
			if slices.Contains(others, w) {
				same++
			}
		}
		return same > 0 && 2*same >= max(len(words), len(others))
	})
}

func sameValue(x, y *delta.Delta, name string) bool {
	a, b := x.Payload.Find(name), y.Payload.Find(name)
	return a != nil && b != nil && a.Value != nil && b.Value != nil && string(artifact.Canonical(a.Value)) == string(artifact.Canonical(b.Value))
}

func equalFields(x, y *delta.Delta) int {
	n := 0
	for i := range x.Payload {
		if sameValue(x, y, x.Payload[i].Name) {
			n++
		}
	}
	return n
}

// refusedIn returns how many fields of a delta were refused before.
func (f *flaw) refusedIn(d *delta.Delta) int {
	n := 0
	for i := range d.Payload {
		if f.refused(d.Payload[i].Name) {
			n++
		}
	}
	return n
}

// keeps reports whether the merge takes a part of the delta that its correction does not replace: an
// EDIT changes its fields one by one.
func (f *flaw) keeps() bool { return !f.rejected && f.block.Delta.Operation == delta.Edit }

// combine returns the deltas of a reply and its repair in the order in which they count: a correction
// takes the place of what it corrects, and an ADD keeps the labels of the one it replaces. KILLs make
// room for the first ADD to a full section. Each other delta of the repair replaces an unreadable
// block, as long as there are any.
func (r *Reading) combine(first, more []delta.Delta, fixes []correction, full map[int]bool, moves bool) []delta.Delta {
	byBlock, taken := make(map[int]*correction), make(map[int]bool)
	for i := range fixes {
		byBlock[fixes[i].block.Index], taken[fixes[i].by] = &fixes[i], true
	}
	var free []int // indices of the other deltas of the repair
	for i := range more {
		if more[i].Problem == nil && !taken[i] {
			free = append(free, i)
		}
	}
	var all []delta.Delta
	placed := make(map[int]bool)
	take := func(i int) {
		if moves {
			all, placed[i] = append(all, more[i]), true
		}
	}
	for i := range first {
		d := &first[i]
		fix := byBlock[d.Place.Block]
		if full[d.Place.Block] {
			free = slices.DeleteFunc(free, func(j int) bool {
				makesRoom := more[j].Operation == delta.Kill && more[j].Section == d.Section
				if makesRoom {
					take(j)
				}
				return makesRoom
			})
		}
		switch {
		case fix != nil && fix.keeps():
			if rest := fix.withoutRefused(d, func(name string) bool { return more[fix.by].Payload.Find(name) != nil }); len(rest.Payload) > 0 {
				all = append(all, rest)
				r.Repaired++
				take(fix.by)
				continue
			}
			fallthrough
		case fix != nil:
			r.replace(d, &more[fix.by])
			r.Taken--
			take(fix.by)
		case d.Problem != nil && len(free) > 0:
			r.replace(d, &more[free[0]])
			r.Refused--
			take(free[0])
			free = free[1:]
		default:
			all = append(all, *d)
		}
	}
	for i := range more {
		if !placed[i] {
			all = append(all, more[i])
		}
	}
	return all
}

func (r *Reading) replace(d, by *delta.Delta) {
	r.Repaired++
	r.Replaced = append(r.Replaced, Replaced{*d, by.ID})
	if d.Operation == delta.Add && d.Problem == nil && by.Operation == delta.Add {
		addLabels(by, d)
	}
}
