package view

import (
	"slices"
	"strconv"
	"strings"

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
	p.addNotes(in.Notes)
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

func (p *page) addNotes(notes []Note) {
	for i, n := range notes {
		p.order = append(p.order, p.add("note "+strconv.Itoa(i+1), notesGroup, complete, func(l level) string {
			return "- " + Word(n.By) + ": " + atLevel(n.Text, l) + "\n"
		}))
	}
}

func (p *page) addOutcomes(feedback []Outcome) {
	for i, o := range feedback {
		p.order = append(p.order, p.add("outcome "+strconv.Itoa(i+1), outcomesGroup, complete, o.write))
	}
}

func (o *Outcome) write(l level) string {
	if o.Delta == "" {
		return "- Note: " + atLevel(o.Message, l) + "\n"
	}
	line := "- " + Word(o.Delta)
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
	p.order = append(p.order, p.add(c.place, conflictsGroup, levelFor(form), func(l level) string {
		if l == shortened {
			return c.short()
		}
		return c.full()
	}))
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
	return "\n### Left out\n\n" + out
}

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
		names = append(names, ranges(s, ids)...)
	}
	for _, of := range []struct {
		group group
		one   string
	}{{conflictsGroup, "CONFLICT"}, {outcomesGroup, "outcome"}, {notesGroup, "note"}} {
		n := 0
		for _, part := range p.groups[of.group] {
			if part.level == named && part.rule == rule {
				n++
			}
		}
		if n > 0 {
			names = append(names, text.Count(n, of.one))
		}
	}
	return names
}

// minRange is the least number of ids written as a range.
const minRange = 3

// ranges returns ids of one section, with neighbours as ranges, so that thousands can be named.
func ranges(s artifact.Section, ids []string) []string {
	var numbers []int
	var names []string
	for _, id := range ids {
		if n, ok := s.IDNumber(id); ok {
			numbers = append(numbers, n)
		} else {
			names = append(names, Word(id))
		}
	}
	slices.Sort(numbers)
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		if end-i+1 >= minRange {
			names = append(names, s.ItemID(numbers[i])+"-"+s.ItemID(numbers[end]))
			i = end + 1
			continue
		}
		names = append(names, s.ItemID(numbers[i]))
		i++
	}
	return names
}
