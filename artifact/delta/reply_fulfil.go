package delta

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact/delta/itemform"
)

// withUnfulfilled returns the blocks with a row for each announced change that the reply does not
// have. Both are in text order.
func (r *reader) withUnfulfilled(blocks []Block) []Block {
	if len(r.promises) == 0 || r.keys != nil {
		return blocks
	}
	m := newMatching(r.promises, blocks)
	m.third = r.third
	missing := m.missing()
	all := make([]Block, 0, len(blocks)+len(slices.Concat(missing...)))
	next, told := 0, make(map[[2]string][]*announcement)
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
			if !a.repeats(target, told) {
				all = append(all, a.row(target))
			}
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

// repeats reports whether an announcement says again what one before it said. Told are the others
// with rows, by operation and target.
func (a *announcement) repeats(target string, told map[[2]string][]*announcement) bool {
	if target == "" && len(a.targets) > 0 {
		target = a.targets[0] // the label of an ADD
	}
	if target == "" {
		return false
	}
	id, _, _ := strings.Cut(target, ".")
	key := [2]string{a.operation, id}
	again := slices.ContainsFunc(told[key], a.same)
	told[key] = append(told[key], a)
	return again
}

// same reports whether an announcement means the change of one before it, which has the same operation
// and target: one of them says nothing else, and is right beside it or no title, or all that it says.
func (a *announcement) same(before *announcement) bool {
	switch {
	case a.operation == Kill:
		return true
	case a.whole || a.field != "" && before.field != "" && a.field != before.field:
		return false
	case len(a.words) == 0 || len(before.words) == 0:
		return a.line <= before.line+2 || len(a.words) == 0 && !itemform.IsTitle([]byte(a.text))
	}
	less, more := a.words, before.words
	if len(less) > len(more) {
		less, more = more, less
	}
	return !slices.ContainsFunc(less, func(w string) bool { return !slices.Contains(more, w) })
}

func (a *announcement) row(target string) Block {
	b := Block{Line: a.line, Delta: Delta{Operation: a.operation, Section: a.section, Target: target}}
	if a.operation == Add {
		b.Delta.Target = ""
	}
	code, message := ProseOnly, "the change is announced and not given"
	switch {
	case a.keyed:
		code, message = UnfencedDelta, "a delta that is not written as JSON"
	case a.shaped:
		code, message = UnfencedDelta, "a change that is not written as a delta"
	}
	hint := "write it as one JSON object in a fence that begins with ```delta"
	if a.merges {
		hint = "send a KILL of each item that goes, and an EDIT of the one that stays, each as one JSON object in a fence that begins with ```delta"
	}
	b.Problems = []Located{{
		Code: code, Line: a.line, Column: a.column,
		Message: fmt.Sprintf("%s: %q", message, clipped(a.text)), Hint: hint,
	}}
	return b
}

// matching finds the changes that announcements mean, among those that were accepted or refused.
type matching struct {
	announced []announcement
	blocks    []Block
	changes   map[[2]string]bool // operation and target, operation and section, or target and field of an EDIT
	words     []map[string]bool  // of each block, once they are needed
	edits     map[string][]int   // of each row
	claimed   map[[2]int]bool    // list of announcements and block
	numbers   map[int]bool       // of "Delta 3"
	total     int
	effort    int
	third     bool // the rules of the third reader
}

func newMatching(announced []announcement, blocks []Block) *matching {
	m := &matching{
		announced: announced, blocks: blocks, changes: make(map[[2]string]bool), claimed: make(map[[2]int]bool), numbers: make(map[int]bool),
		edits: make(map[string][]int), words: make([]map[string]bool, len(blocks)), effort: 1 << 22,
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
		if d.Operation == Edit {
			m.edits[row] = append(m.edits[row], i)
			if len(d.Payload) == 0 {
				m.changes[[2]string{row, ""}] = true
			}
			for _, f := range d.Payload {
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
	groups := m.groups()
	for i := range m.announced {
		a := &m.announced[i]
		if a.operation == Edit || a.operation == Kill {
			missing[i] = m.unchanged(a)
		} else if !m.finds(a, groups[i]) && !m.isHeading(i) {
			missing[i] = []string{""}
		}
	}
	below := len(m.blocks)
	for i, next := len(m.announced)-1, len(m.blocks); i >= 0; i-- { // from the end on: a title is about what is below it
		a := &m.announced[i]
		end := below
		for below = next; below > 0 && m.blocks[below-1].Line >= a.line; {
			below--
		}
		if next = below; len(missing[i]) > 0 && (m.counts(a) || m.belongs(a, groups[i], below, end)) {
			missing[i] = nil
		}
	}
	return missing
}

// isHeading reports whether an announcement is the bare title of the change in keys and values below it.
func (m *matching) isHeading(i int) bool {
	const near = 3
	a := &m.announced[i]
	return m.third && a.number > 0 && a.operation == "" && i+1 < len(m.announced) && m.announced[i+1].keyed && m.announced[i+1].line <= a.line+near
}

// The lists of titles: those above blocks, and all others.
const (
	titlesAbove = -1
	otherTitles = 0
)

// groups numbers the lists of announcements: no two of a list are about the same block. Titles and lines
// right above blocks are one list, other titles are another.
func (m *matching) groups() []int {
	all := make([]int, len(m.announced))
	last, line, next := 1, 0, 0
	for i := range m.announced {
		a := &m.announced[i]
		for next < len(m.blocks) && m.blocks[next].Line < a.line {
			next++
		}
		isTitle := strings.IndexAny(a.text, "#*_") == 0 && !strings.HasPrefix(a.text, "* ")
		end := a.line + 2
		if isTitle && i+1 < len(m.announced) {
			end = m.announced[i+1].line - 1
		}
		isLast := isTitle && i+1 == len(m.announced)
		isAbove := next < len(m.blocks) && (isLast || m.blocks[next].Line <= end)
		switch {
		case isAbove && (isTitle || line == 0 || a.line > line+1):
			all[i] = titlesAbove
		case isTitle:
			all[i] = otherTitles
		default:
			if a.line > line+2 {
				last++
			}
			all[i], line = last, a.line
		}
	}
	return all
}

// finds reports whether some block has the label, the name, or half of the words of an announced ADD.
func (m *matching) finds(a *announcement, group int) bool {
	if a.number > 0 && len(a.words) == 0 && len(a.targets) == 0 {
		return false
	}
	if len(a.words) == 0 && a.section == "" && m.total > 0 {
		return true // it says nothing
	}
	found := false
	for i := range m.blocks {
		d := &m.blocks[i].Delta
		if m.effort--; m.effort < 0 {
			break
		}
		if !m.isChange(i) || !a.fits(d) {
			continue
		}
		isLabel := len(a.targets) > 0 && !a.whole && (slices.Contains(d.Labels, a.targets[0]) || d.Target == a.targets[0])
		if isLabel || len(a.words) > 0 && m.hasWords(i, a.words, a.whole) || m.hasWords(i, a.called, false) {
			m.claimed[[2]int{group, i}], found = true, true
		}
	}
	return found
}

// hasWords reports whether a block has half of some words, or nearly all.
func (m *matching) hasWords(i int, words []string, all bool) bool {
	m.effort -= len(words)
	n := 0
	for _, w := range words {
		if m.wordsOf(i)[w] {
			n++
		}
	}
	return all && 5*n >= 4*len(words) || !all && n > 0 && 2*n >= len(words)
}

// counts reports whether a reply has as many changes as it numbers.
func (m *matching) counts(a *announcement) bool {
	return a.number > 0 && m.total >= len(m.numbers) && (a.operation == "" || a.section == "" || m.changes[[2]string{a.operation, a.section}]) && len(a.targets) == 0
}

// belongs reports whether an announced ADD without a name is about a block that no other of its list
// is about, or about one right below it, up to end, that could not be read. That of a number is right below.
func (m *matching) belongs(a *announcement, group, below, end int) bool {
	if a.operation == Edit || a.operation == Kill || a.whole && len(a.words) > 0 {
		return false
	}
	fits := func(i int) bool {
		d := &m.blocks[i].Delta
		m.effort--
		isUnreadable := i >= below && i < end && d.Operation == "" && d.Section == ""
		return m.isChange(i) && !m.isClaimed(i, group) && (isUnreadable || len(a.called) == 0 && a.fits(d))
	}
	take := func(from, to int) bool {
		for i := from; i < to && m.effort > 0; i++ {
			if fits(i) {
				m.claimed[[2]int{group, i}] = true
				return true
			}
		}
		return false
	}
	if a.number > 0 {
		return take(below, end)
	}
	return take(below, len(m.blocks)) || !a.ahead && take(0, below)
}

// isClaimed reports whether an announcement of a list is about a block, or none can be: to the third reader, if the block is
// below the line of a forwarded message.
func (m *matching) isClaimed(i, group int) bool {
	return m.claimed[[2]int{group, i}] || group == otherTitles && m.claimed[[2]int{titlesAbove, i}] || m.third && m.blocks[i].isForwarded()
}

// unchanged returns the targets of an EDIT or KILL that no block has.
func (m *matching) unchanged(a *announcement) (left []string) {
	has := func(what string) bool { return m.changes[[2]string{a.operation, what}] }
	for _, target := range a.targets {
		id, _, _ := strings.Cut(target, ".")
		isOther := a.field != "" && !m.changes[[2]string{id, a.field}] && !m.changes[[2]string{id, ""}]
		if !has(target) && !has(id) || a.operation == Edit && (isOther || a.whole && !m.rewrites(a, id)) {
			left = append(left, target)
		}
	}
	if a.merges {
		return left[:max(0, len(left)-1)]
	}
	if len(a.targets) == 0 && (a.number > 0 && a.section == "" || !has(a.section)) {
		left = append(left, "")
	}
	return left
}

// rewrites reports whether some EDIT of a target has nearly all words of an announcement in another
// notation.
func (m *matching) rewrites(a *announcement, target string) bool {
	return slices.ContainsFunc(m.edits[target], func(i int) bool {
		return m.effort > 0 && m.hasWords(i, a.words, true)
	})
}

// fits reports whether a change has the operation and the section of an announcement.
func (a *announcement) fits(d *Delta) bool {
	return (a.operation == "" || a.operation == d.Operation) && (a.section == "" || a.section == d.Section)
}

func (m *matching) wordsOf(i int) map[string]bool {
	if m.words[i] == nil {
		m.words[i] = itemform.StemSet(string(m.blocks[i].Delta.Content()))
	}
	return m.words[i]
}
