package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/internal/text"
)

// page is a view before it is written: all parts in the order of the text, with their levels.
type page struct {
	head   string
	groups [groupCount][]*part
	// order is by importance: notes, feedback, research thread, conflicts, items.
	order []*part
	// addressed is how many parts at the start of order are notes and feedback.
	addressed int
}

func newPage(in *Input) *page {
	p := &page{head: head(&in.Artifact)}
	w := newWriter(&in.Artifact)
	items := p.addItems(w, in)
	p.addNotes(in.Notes, in.Spec.Bound()/addressedShare, in.Count)
	p.addOutcomes(in.Feedback)
	p.addressed = len(p.order)
	for _, it := range in.Artifact.Items(artifact.ResearchThread) {
		part := items[it]
		part.want = max(part.want, shortened) // the thread opens every view
		p.order = append(p.order, part)
	}
	open := w.conflicts(&in.Artifact)
	for i := range open {
		p.addConflict(&open[i], in.Spec.Sections[open[i].section].form())
	}
	taken := [artifact.SectionCount]int{}
	for _, c := range ranked(in, open) {
		part, most := items[c.item], in.Spec.Sections[c.section].Max
		taken[c.section]++
		if part.want > named && most > 0 && taken[c.section] > most {
			part.want, part.rule = named, OverMax
		}
		p.order = append(p.order, part)
	}
	return p
}

func head(a *artifact.Artifact) string {
	line := "Version " + strconv.Itoa(a.Metadata.Version) + " of the artifact"
	if id := a.Metadata.SessionID; id != "" {
		line += " " + Word(id)
	}
	return line + ". An item on one line is a summary.\n"
}

func levelFor(f Form) level {
	switch f {
	case Full:
		return complete
	case Summary:
		return shortened
	default:
		return named
	}
}

func (p *page) add(id string, g group, want level, write func(level) string) *part {
	part := &part{id: id, group: g, want: want, rule: OverBound, write: write}
	if want == named {
		part.rule = IDsOnly
	}
	p.groups[g] = append(p.groups[g], part)
	return part
}

// addressedShare is the part of a view that shortened notes take at most, and outcomes if not everything fits.
const addressedShare = 3

// addNotes adds notes. Shortened, they have a number of tokens together, or a line each.
func (p *page) addNotes(notes []Note, tokens int, count func(string) int) {
	for i, n := range notes {
		whole := inert(n.Text)
		all := utf8.RuneCountInString(whole)
		short := strings.TrimSpace(whole[:beginning(whole, tokens/len(notes), count)])
		if utf8.RuneCountInString(short) < maxSummary {
			short = strings.TrimSpace(text.First(whole, maxSummary))
		}
		left := all - utf8.RuneCountInString(short)
		mark := fmt.Sprintf(" [note: %d of %d characters left out]", left, all)
		if left <= len(mark) {
			short, mark, left = whole, "", 0
		}
		part := p.add("note "+strconv.Itoa(i+1), notesGroup, complete, func(l level) string {
			if l == shortened {
				return "- " + Word(n.By) + ": " + visible(short) + mark + "\n"
			}
			return "- " + Word(n.By) + ": " + visible(whole) + "\n"
		})
		part.characters, part.cut = all, left
		p.order = append(p.order, part)
	}
}

// addOutcomes adds outcomes; those that differ only in their deltas are one part.
func (p *page) addOutcomes(feedback []Outcome) {
	same := make(map[Outcome][]string)
	for _, o := range feedback {
		if o.Delta != "" {
			same[o.rest()] = append(same[o.rest()], o.Delta)
		}
	}
	for i, o := range feedback {
		deltas := same[o.rest()]
		if o.Delta != "" && deltas == nil {
			continue // told with an earlier one
		}
		if o.Delta != "" {
			same[o.rest()] = nil
		}
		part := p.add("outcome "+strconv.Itoa(i+1), outcomesGroup, complete, func(l level) string { return o.write(deltas, l) })
		part.of = max(len(deltas), 1)
		p.order = append(p.order, part)
	}
}

// rest returns the outcome without its delta.
func (o *Outcome) rest() Outcome {
	rest := *o
	rest.Delta = ""
	return rest
}

// maxDeltas is how many deltas of one outcome are named.
const maxDeltas = 8

func (o *Outcome) write(deltas []string, l level) string {
	if o.Delta == "" {
		return "- Note: " + atLevel(o.Message, l) + "\n"
	}
	line := "- " + words(deltas[:min(len(deltas), maxDeltas)])
	if len(deltas) > 1 {
		if more := len(deltas) - maxDeltas; more > 0 {
			line += " and " + strconv.Itoa(more) + " more"
		}
		line += " (" + strconv.Itoa(len(deltas)) + " deltas)"
	}
	if o.Target != "" {
		line += " on " + Word(o.Target)
	}
	line += ": " + Word(o.Disposition)
	if o.Code != "" {
		line += ", " + Word(string(o.Code))
	}
	if o.Message != "" {
		line += ": " + atLevel(o.Message, l)
	}
	return line + "\n"
}

func atLevel(text string, l level) string {
	if l == shortened {
		return visible(cut(text, maxSummary))
	}
	return visible(inert(text))
}

func (p *page) addConflict(c *conflict, form Form) {
	part := p.add(c.place, conflictsGroup, levelFor(form), func(l level) string {
		if l == shortened {
			return c.short()
		}
		return c.full()
	})
	part.target = c.item.ID
	p.order = append(p.order, part)
}

func (p *page) addItems(w *writer, in *Input) map[*artifact.Item]*part {
	items := make(map[*artifact.Item]*part)
	for _, s := range artifact.Sections() {
		want := levelFor(in.Spec.Sections[s].form())
		for _, it := range in.Artifact.Items(s) {
			items[it] = p.addItem(w, s, it, want)
		}
	}
	return items
}

func (p *page) addItem(w *writer, s artifact.Section, it *artifact.Item, want level) *part {
	if it.Killed() {
		want = min(want, shortened)
	}
	return p.add(it.ID, group(s), want, func(l level) string {
		switch {
		case it.Killed():
			return killed(s, it)
		case l == shortened:
			return summary(s, it)
		}
		return w.full(s, it)
	})
}

// title returns the title of a group, with an explanation if one is needed.
func (g group) title() (title, about string) {
	switch g {
	case notesGroup:
		return "Words from people", ""
	case outcomesGroup:
		return "What became of your last deltas", ""
	case conflictsGroup:
		return "Open CONFLICTs", "Several agents wrote these at one instant with equal right; an EDIT of the field decides."
	}
	return artifact.Section(g).Spec().Title, ""
}

func (g group) heading() string {
	title, about := g.title()
	text := "\n### " + title + "\n\n"
	if about != "" {
		text += about + "\n\n"
	}
	return text
}

// sequence returns the groups in the order of the text.
func sequence() []group {
	all := []group{group(artifact.ResearchThread), notesGroup, outcomesGroup, conflictsGroup}
	for _, s := range artifact.Sections()[1:] {
		all = append(all, group(s))
	}
	return all
}

// write returns the text with the parts at their current levels.
func (p *page) write() string {
	var b strings.Builder
	b.WriteString(p.head)
	for _, g := range sequence() {
		if len(p.groups[g]) == 0 {
			if g < artifact.SectionCount {
				b.WriteString(g.heading() + artifact.Section(g).Spec().Empty + ".\n")
			}
			continue
		}
		begun := false
		for _, part := range p.groups[g] {
			if part.level == named {
				continue
			}
			if !begun {
				b.WriteString(g.heading())
				begun = true
			}
			b.WriteString(part.text(part.level))
		}
	}
	b.WriteString(p.leftOut())
	return b.String()
}

// level is how much of a part is shown.
type level int

const (
	named     level = iota // only its name, in the list of omissions
	shortened              // shortened to a line or a few
	complete               // all of it
)

// group is a part of the text under one heading: a section by number, or one of the others.
type group int

const (
	notesGroup group = artifact.SectionCount + iota
	outcomesGroup
	conflictsGroup
	groupCount
)

// part is an item, a conflict, an outcome or a note.
type part struct {
	id    string
	group group
	want  level  // according to the spec
	level level  // the current one
	rule  string // why only its name is shown
	of    int    // outcomes it tells; 0 means 1
	// target is the item that a conflict is about.
	target string
	// characters are those of a note, and cut how many of them are left out if it is shortened.
	characters, cut int
	// write returns the text at a level. texts and tokens cache it: few parts are ever needed.
	write  func(level) string
	texts  [complete + 1]string
	tokens [complete + 1]int
}

func (p *part) text(l level) string {
	if l == named {
		return ""
	}
	if p.texts[l] == "" {
		p.texts[l] = p.write(l)
	}
	return p.texts[l]
}

func (p *part) cost(l level, count func(string) int) int {
	if l == named {
		return 0
	}
	if p.tokens[l] == 0 {
		p.tokens[l] = count(p.text(l))
	}
	return p.tokens[l]
}

// leftOut names what is not shown, one line per rule.
func (p *page) leftOut() string {
	out := ""
	for _, rule := range []string{OverBound, OverMax, IDsOnly} {
		if names := p.leftOutBy(rule); len(names) > 0 {
			out += "- " + rule + ": " + strings.Join(names, ", ") + "\n"
		}
	}
	if out == "" {
		return ""
	}
	return leftHeading + out
}

const leftHeading = "\n### Left out\n\n"

// leftOutBy returns the ids that a rule left out, as ranges, and the numbers of other parts.
func (p *page) leftOutBy(rule string) []string {
	var names []string
	for _, s := range artifact.Sections() {
		var ids []string
		for _, part := range p.groups[s] {
			if part.level == named && part.rule == rule {
				ids = append(ids, part.id)
			}
		}
		for _, r := range ranges(s, ids) {
			names = append(names, r.name)
		}
	}
	return append(names, p.countOthers(rule)...)
}

type countedPart struct {
	group group
	name  string
}

// countedParts returns the parts that are counted if they are left out.
func countedParts() []countedPart {
	return []countedPart{{conflictsGroup, "CONFLICT"}, {outcomesGroup, "outcome"}, {notesGroup, "note"}}
}

// countOthers returns the numbers of parts other than items that a rule left out.
func (p *page) countOthers(rule string) []string {
	var names []string
	for _, of := range countedParts() {
		n := 0
		for _, part := range p.groups[of.group] {
			if part.level == named && part.rule == rule {
				n += max(part.of, 1)
			}
		}
		if n > 0 {
			names = append(names, text.Count(n, of.name))
		}
	}
	return names
}

// minRange is the least number of ids written as a range.
const minRange = 3

// idRange is the name of one or more items.
type idRange struct {
	name  string
	items int
}

// ranges returns ids of one section, with neighbours as ranges, so that thousands can be named.
func ranges(s artifact.Section, ids []string) []idRange {
	var numbers []int
	var names []idRange
	for _, id := range ids {
		if n, ok := s.IDNumber(id); ok {
			numbers = append(numbers, n)
		} else {
			names = append(names, idRange{Word(id), 1})
		}
	}
	slices.Sort(numbers)
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		if n := end - i + 1; n >= minRange {
			names = append(names, idRange{s.ItemID(numbers[i]) + "-" + s.ItemID(numbers[end]), n})
			i = end + 1
			continue
		}
		names = append(names, idRange{s.ItemID(numbers[i]), 1})
		i++
	}
	return names
}

// least lowers everything and returns a text that names as many items as fit and counts the others.
func (f *filler) least() (text string, tokens int) {
	p := f.page
	var all []idRange
	items := 0
	for g, parts := range p.groups {
		var ids []string
		for _, part := range parts {
			part.level, part.rule = named, OverBound
			ids = append(ids, part.id)
		}
		if g < artifact.SectionCount {
			all = append(all, ranges(artifact.Section(g), ids)...)
			items += len(ids)
		}
	}
	write := func(n int) string {
		var names []string
		left := items
		for _, r := range all[:n] {
			names, left = append(names, r.name), left-r.items
		}
		if left > 0 || n == 0 {
			names = append(names, leftItems(left, n > 0))
		}
		return p.head + leftHeading + "- " + OverBound + ": " + strings.Join(append(names, p.countOthers(OverBound)...), ", ") + "\n"
	}
	// The most names that fit, by halving.
	low, high := 0, len(all)
	for low < high {
		mid := (low + high + 1) / 2
		if f.count(write(mid)) <= f.bound {
			low = mid
		} else {
			high = mid - 1
		}
	}
	text = write(low)
	return text, f.count(text)
}

func leftItems(n int, more bool) string {
	if more {
		return strconv.Itoa(n) + " more"
	}
	return text.Count(n, "item")
}

// Least returns a text that is about as long as the shortest view of any version of an artifact.
func Least(sessionID string) string {
	const n = 1_000_000
	a := artifact.Artifact{}
	a.Metadata.Version, a.Metadata.SessionID = n, sessionID
	names := []string{leftItems(n, false)}
	for _, one := range countedParts() {
		names = append(names, text.Count(n, one.name))
	}
	return head(&a) + leftHeading + "- " + OverBound + ": " + strings.Join(names, ", ") + "\n"
}
