package delta

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
)

// withUnfulfilled returns the blocks with a row for each announcement that the reply does not fulfil.
// Both are in text order, and each is looked at once.
func (r *reader) withUnfulfilled(blocks []Block) []Block {
	if len(r.promises) == 0 || r.keys != nil {
		return blocks
	}
	t := tallyOf(blocks)
	direct := r.claimDirect(blocks, t)
	var all []Block
	next := 0
	for i := range r.promises {
		a := &r.promises[i]
		for next < len(blocks) && blocks[next].Line < a.line {
			all = append(all, blocks[next])
			next++
		}
		if !direct[i] && !r.isFulfilled(i, blocks[next:], t) {
			all = append(all, a.row())
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

// claimDirect returns which announcements are fulfilled by the block that follows them.
func (r *reader) claimDirect(blocks []Block, t *tally) []bool {
	direct := make([]bool, len(r.promises))
	next := 0
	for i := range r.promises {
		a := &r.promises[i]
		for next < len(blocks) && blocks[next].Line < a.line {
			next++
		}
		isNext := next < len(blocks) && (i+1 == len(r.promises) || blocks[next].Line < r.promises[i+1].line)
		if direct[i] = isNext && a.means(&blocks[next]); !direct[i] {
			continue
		}
		if a.kind == promisesOne && a.target == "" && a.number == 0 {
			t.promised[[2]string{a.operation, a.section}]++
		}
		if a.isLooseAdd() {
			t.claimed[next] = true
		}
	}
	for i := range r.promises {
		if a := &r.promises[i]; a.isLooseAdd() {
			t.claimByWords(a)
		}
	}
	return direct
}

// isFulfilled reports whether an announcement needs no row; later are the blocks after it.
func (r *reader) isFulfilled(i int, later []Block, t *tally) bool {
	a := &r.promises[i]
	isLast := i+1 == len(r.promises)
	switch {
	case (a.kind == promisesSome || a.kind == mentionsDelta) && (!r.meant || !isLast):
		return true // the other announcements have rows, or the reply has a problem
	case r.opt.Cut && len(later) == 0 && r.open <= a.line:
		return true // it was not reached
	}
	return t.fulfils(a, len(later) > 0)
}

// means reports whether a block that follows an announcement is the change that it announces.
func (a *announcement) means(b *Block) bool {
	if b.Skipped() && !b.Flagged(FlagExample) || a.said || a.whole {
		return false
	}
	d := &b.Delta
	row, _, _ := strings.Cut(d.Target, ".")
	switch {
	case d.Operation == "" && d.Section == "": // it is not JSON
		return true
	case a.operation != "" && a.operation != d.Operation, a.section != "" && a.section != d.Section:
		return false
	}
	return a.target == "" || d.Operation == Add || a.target == d.Target || a.target == row
}

func (a *announcement) row() Block {
	b := Block{Line: a.line, Delta: Delta{Operation: a.operation, Section: a.section, Target: a.target}}
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

// tally counts the changes of a reply, accepted or refused, by what they do.
type tally struct {
	total    int
	counts   map[[2]string]int  // by operation and section, either may be ""
	targets  map[[2]string]bool // operation and id
	promised map[[2]string]int  // announcements, by the key that they were counted under
	labels   map[string]bool    // of announced ADDs
	blocks   []Block
	words    map[string]bool  // of all texts, once they are needed
	adds     map[string][]int // the ADDs that have a word
	claimed  map[int]bool     // the blocks that an announcement means
	free     map[string]int   // where the search for an unclaimed ADD to a section continues
	vague    map[string]bool  // the texts of announced ADDs that share no words with a block
}

// containsWords reports whether the changes have all the words of a text.
func (t *tally) containsWords(text string) bool {
	if t.words == nil {
		t.words = make(map[string]bool)
		for i := range t.blocks {
			if d := &t.blocks[i].Delta; !t.blocks[i].Skipped() {
				for _, w := range lineWords(string(d.Content())) {
					t.words[strings.ToLower(w.text)] = true
				}
			}
		}
	}
	_, text, _ = strings.Cut(text, "]")
	for _, w := range lineWords(text) {
		if len(w.text) > 3 && !t.words[strings.ToLower(w.text)] {
			return false
		}
	}
	return true
}

func tallyOf(blocks []Block) *tally {
	t := &tally{
		blocks: blocks, counts: map[[2]string]int{}, targets: map[[2]string]bool{}, promised: map[[2]string]int{}, labels: map[string]bool{},
		claimed: map[int]bool{}, free: map[string]int{}, vague: map[string]bool{},
	}
	for i := range blocks {
		b := &blocks[i]
		if b.Skipped() && !b.Flagged(FlagExample) {
			continue
		}
		d := &b.Delta
		t.total++
		for _, key := range [][2]string{{d.Operation, d.Section}, {d.Operation, ""}, {"", d.Section}} {
			if key[0] != "" || key[1] != "" {
				t.counts[key]++
			}
		}
		row, _, _ := strings.Cut(d.Target, ".")
		t.targets[[2]string{d.Operation, d.Target}], t.targets[[2]string{d.Operation, row}] = true, true
		for _, l := range d.Labels {
			t.targets[[2]string{Add, l}] = true
		}
	}
	return t
}

// fulfils reports whether the reply has the change that an announcement means, although none follows
// directly.
func (t *tally) fulfils(a *announcement, later bool) bool {
	key := [2]string{a.operation, a.section}
	if a.said || a.whole {
		return a.said && t.containsWords(a.text)
	}
	switch {
	case a.kind == mentionsDelta:
		return t.total > 0
	case a.kind == promisesSome:
		return later
	case a.target != "" && a.operation == Add:
		if !t.labels[a.target] {
			t.labels[a.target] = true
			t.promised[key]++
		}
		return t.targets[[2]string{Add, a.target}] || t.promised[key] <= t.counts[key]
	case a.target != "" && a.operation != "":
		return t.targets[[2]string{a.operation, a.target}]
	case a.number > 0:
		return t.total >= a.number && (a.operation == "" || t.counts[key] > 0)
	case a.kind == promisesOne && a.number == 0:
		t.promised[key]++
		if key == [2]string{} {
			return t.promised[key] <= t.total
		}
		return t.promised[key] <= t.counts[key]
	}
	if a.isLooseAdd() {
		return t.fulfilsLoosely(a)
	}
	return t.counts[key] > 0
}

// isLooseAdd reports whether an announcement mentions an ADD without its label: only its words say
// which.
func (a *announcement) isLooseAdd() bool {
	return a.kind == mentionsOne && a.operation == Add && a.target == "" && !a.said && !a.whole
}

// maxSharing is how many blocks are compared with an announcement for one word of it.
const maxSharing = 8

// claimByWords claims the ADD that shares most words with an announcement. One that shares few is
// vague.
func (t *tally) claimByWords(a *announcement) {
	if t.adds == nil {
		t.indexAdds()
	}
	shared := make(map[int]int)
	words := significant(a.text)
	best := -1
	for _, w := range words {
		for _, i := range t.adds[w] {
			if shared[i]++; best < 0 || shared[i] > shared[best] {
				best = i
			}
		}
	}
	if best >= 0 && 2*shared[best] >= len(words) {
		t.claimed[best] = true
		return
	}
	if len(words) > 0 {
		t.vague[a.text] = true
	}
}

// indexAdds records the words of all ADDs.
func (t *tally) indexAdds() {
	t.adds = make(map[string][]int)
	for i := range t.blocks {
		d := &t.blocks[i].Delta
		if d.Operation != Add || t.blocks[i].Skipped() && !t.blocks[i].Flagged(FlagExample) {
			continue
		}
		for _, f := range d.Payload {
			text, _ := f.Value.(artifact.Text)
			for _, w := range significant(string(text)) {
				if n := len(t.adds[w]); n < maxSharing && (n == 0 || t.adds[w][n-1] != i) {
					t.adds[w] = append(t.adds[w], i)
				}
			}
		}
	}
}

// significant returns the words of a text that say what it is about.
func significant(text string) []string {
	var all []string
	for _, w := range lineWords(text) {
		word := strings.ToLower(w.text)
		if _, isSection := sectionOf(word); len(word) > 3 && !isSection && !slices.Contains([]string{"about", "that", "with", "this", "from", "which", "into", "their", "second", "third", "another"}, word) {
			all = append(all, word)
		}
	}
	return all
}

// fulfilsLoosely reports whether an ADD is left for an announcement that shares no words with any.
func (t *tally) fulfilsLoosely(a *announcement) bool {
	key := [2]string{a.operation, a.section}
	if t.counts[key] == 0 || !t.vague[a.text] {
		return t.counts[key] > 0
	}
	delete(t.vague, a.text) // repeated, it means the same
	for i := t.free[a.section]; i < len(t.blocks); i++ {
		t.free[a.section] = i + 1
		if d := &t.blocks[i].Delta; d.Operation == Add && (a.section == "" || d.Section == a.section) && !t.claimed[i] {
			t.claimed[i] = true
			return true
		}
	}
	return false
}
