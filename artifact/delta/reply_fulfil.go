package delta

import (
	"fmt"
	"slices"
	"strings"
)

// withUnfulfilled returns the blocks with a row for each announced change that the reply does not
// have. Both are in text order.
func (r *reader) withUnfulfilled(blocks []Block) []Block {
	if len(r.promises) == 0 || r.keys != nil {
		return blocks
	}
	missing := newMatching(r.promises, blocks).missing()
	all := make([]Block, 0, len(blocks)+len(slices.Concat(missing...)))
	next := 0
	for i := range r.promises {
		a := &r.promises[i]
		for next < len(blocks) && blocks[next].Line < a.line {
			all = append(all, blocks[next])
			next++
		}
		if r.opt.Cut && next == len(blocks) && r.open <= a.line {
			continue // its delta was not reached
		}
		for _, target := range missing[i] {
			all = append(all, a.row(target))
		}
	}
	all = append(all, blocks[next:]...)
	if len(all) == len(blocks) {
		return blocks
	}
	r.full = r.full || len(all) > r.opt.MaxBlocks
	for i := range all {
		all[i].Index = i + 1
		r.meant = r.meant || !all[i].Skipped()
	}
	return all
}

func (a *announcement) row(target string) Block {
	b := Block{Line: a.line, Delta: Delta{Operation: a.operation, Section: a.section, Target: target}}
	if a.operation == Add {
		b.Delta.Target = ""
	}
	b.Problems = []Located{{
		Code: ProseOnly, Line: a.line, Column: a.column,
		Message: fmt.Sprintf("the change is announced and not given: %q", clipped(a.text)),
		Hint:    "write it as one JSON object in a fence that begins with ```delta",
	}}
	return b
}

// matching finds the changes that announcements mean, among those that were accepted or refused.
type matching struct {
	announced []announcement
	blocks    []Block
	changes   map[[2]string]bool // operation and target, operation and section, or target and field of an EDIT
	words     []map[string]bool  // of each block, once they are needed
	claimed   []bool             // blocks that are some announcement's change
	numbers   map[int]bool       // of "Delta 3"
	total     int
	effort    int
}

func newMatching(announced []announcement, blocks []Block) *matching {
	m := &matching{
		announced: announced, blocks: blocks, changes: make(map[[2]string]bool), claimed: make([]bool, len(blocks)), numbers: make(map[int]bool),
		words: make([]map[string]bool, len(blocks)), effort: 1 << 22,
	}
	for i := range blocks {
		if !m.isChange(i) {
			continue
		}
		m.total++
		d := &blocks[i].Delta
		row, _, _ := strings.Cut(d.Target, ".")
		for _, what := range append([]string{d.Section, d.Target, row}, d.Labels...) {
			m.changes[[2]string{d.Operation, what}] = true
		}
		if d.Operation == Edit && len(d.Payload) == 0 {
			m.changes[[2]string{row, ""}] = true
		}
		for _, f := range d.Payload {
			if d.Operation == Edit {
				m.changes[[2]string{row, f.Name}] = true
			}
		}
		if d.Section == "research_thread" {
			m.changes[[2]string{d.Operation, "RT"}] = true
		}
	}
	for _, a := range announced {
		if a.number > 0 {
			m.numbers[a.number] = true
		}
	}
	return m
}

// isChange reports whether a block is a change, or was meant as one.
func (m *matching) isChange(i int) bool {
	return !m.blocks[i].Skipped() || m.blocks[i].Flagged(FlagExample)
}

// missing returns, for each announcement, the targets that no block has, or one empty target.
func (m *matching) missing() [][]string {
	missing := make([][]string, len(m.announced))
	for i := range m.announced {
		missing[i] = m.unnamed(&m.announced[i])
	}
	// From the end on: below are the blocks between an announcement and the one after it, and with
	// announcements in between that do not say more than a number, or nothing, those after them.
	var below []int
	next := len(m.blocks) - 1
	isGroup := true // nothing but announcements since below was collected
	for i := len(m.announced) - 1; i >= 0; i-- {
		a := &m.announced[i]
		for ; next >= 0 && m.blocks[next].Line >= a.line; next-- {
			if isGroup {
				below, isGroup = below[:0], false
			}
			below = append(below, next)
		}
		direct := !isGroup
		isGroup = isGroup || a.number == 0 || len(a.words) > 0
		if len(missing[i]) > 0 && m.follows(a, below, direct) {
			missing[i] = nil
		}
	}
	return missing
}

// unnamed returns the targets of an announcement that no block has, wherever it stands.
func (m *matching) unnamed(a *announcement) []string {
	has := func(what string) bool { return m.changes[[2]string{a.operation, what}] }
	switch {
	case a.operation == Edit || a.operation == Kill:
		return m.unchanged(a, has)
	case a.number > 0 && len(a.words) == 0 && len(a.targets) == 0:
	case len(a.targets) > 0 && !a.whole && has(a.targets[0]),
		a.operation == Add && len(a.words) == 0 && len(a.targets) == 0 && (a.section != "" && has(a.section) || a.section == "" && m.total > 0),
		len(a.words) > 0 && m.shares(a, ""):
		return nil
	}
	return []string{""}
}

// unchanged returns the targets of an EDIT or KILL that no block has.
func (m *matching) unchanged(a *announcement, has func(what string) bool) (left []string) {
	for _, target := range a.targets {
		id, _, _ := strings.Cut(target, ".")
		isOther := a.field != "" && !m.changes[[2]string{id, a.field}] && !m.changes[[2]string{id, ""}]
		if !has(target) && !has(id) || a.operation == Edit && (isOther || a.whole && !m.shares(a, id)) {
			left = append(left, target)
		}
	}
	if len(a.targets) == 0 && (a.number > 0 && a.section == "" || !has(a.section)) {
		left = append(left, "")
	}
	return left
}

// shares reports whether some block has most words of an announcement, of one in another notation
// nearly all.
func (m *matching) shares(a *announcement, target string) bool {
	found := false
	for i := range m.blocks {
		d := &m.blocks[i].Delta
		if row, _, _ := strings.Cut(d.Target, "."); !m.isChange(i) || !a.fits(d) || target != "" && target != d.Target && target != row {
			continue
		}
		if m.effort -= len(a.words) + 1; m.effort < 0 {
			return found
		}
		n := 0
		for _, w := range a.words {
			if m.wordsOf(i)[w] {
				n++
			}
		}
		if most := a.whole && 5*n >= 4*len(a.words) || !a.whole && 2*n >= len(a.words); most {
			m.claimed[i], found = true, true
		}
	}
	return found
}

// fits reports whether a change has the operation and the section of an announcement.
func (a *announcement) fits(d *Delta) bool {
	return (a.operation == "" || a.operation == d.Operation) && (a.section == "" || a.section == d.Section)
}

func (m *matching) wordsOf(i int) map[string]bool {
	if m.words[i] == nil {
		m.words[i] = make(map[string]bool)
		for w := range stems(string(m.blocks[i].Delta.Content())) {
			m.words[i][w] = true
		}
	}
	return m.words[i]
}

// follows reports whether one of the blocks below an announcement is its change: one that fits, or
// that could not be read, and is no other announcement's.
func (m *matching) follows(a *announcement, below []int, direct bool) bool {
	if a.number > 0 && m.total >= len(m.numbers) && (a.operation == "" || a.section == "" || m.changes[[2]string{a.operation, a.section}]) && len(a.targets) == 0 {
		return true
	}
	if a.number > 0 && !direct {
		return false
	}
	at := slices.IndexFunc(below, func(i int) bool {
		d := &m.blocks[i].Delta
		unreadable := d.Operation == "" && d.Section == "" && !a.whole
		isOwn := a.fits(d) && (a.operation == Add || a.operation == "") && (!a.whole || len(a.words) == 0)
		return m.isChange(i) && !m.claimed[i] && (unreadable || isOwn)
	})
	if at >= 0 {
		m.claimed[below[at]] = true
	}
	return at >= 0
}
