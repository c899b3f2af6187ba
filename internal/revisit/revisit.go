// Package revisit reads what an answer to a request for corrections, or a later letter, says of the changes that its author sent
// before: which of them stand, and which are taken back or left open. It also reads what a reply says of its own changes.
package revisit

import (
	"slices"
	"strings"

	"brenner/internal/markdown"
)

// Change is a change that an author has sent.
type Change struct {
	Letter    int // of several that it may be in, counted from 0
	Number    int // of its block in the text, from 1
	Line      int // of its block, from 1; only ReadOwn needs it
	Index     int // for the caller
	Operation string
	Section   string
	Target    string
	Name      string
}

// Context is what the author of a text has sent.
type Context struct {
	Standing []Change // before the text; they are taken unless it leaves them open
	Asked    []Change // before the text, which answers a request to correct them
	Own      []Change // in the text
	IsLetter bool     // the text is a letter, which was not asked for
	Before   []byte   // the text that was sent before: its sentences say nothing when they are repeated
}

// Finding is what a text says of the changes that stand.
type Finding struct {
	Open     []string // by index of a change: the sentence that leaves it open, or ""
	Affirmed []bool   // by index of a change: the text says that it stands
	Message  string   // a sentence that takes back a message of which no change is left
	spans    [][2]int // of the sentences about changes that stand
}

// Read returns what a text says of the changes that stand. A sentence that takes one back, doubts it or asks about it leaves it open,
// unless another sentence answers the question. One that only names a change says nothing: agents explain what they sent.
func Read(text []byte, c Context) Finding {
	f := finder{Context: c, found: Finding{Open: make([]string, len(c.Standing)), Affirmed: make([]bool, len(c.Standing))}, asked: make([]string, len(c.Standing))}
	repeated := make(map[string]bool)
	for _, s := range proseIn(c.Before) {
		repeated[s.lower] = true
	}
	paragraph := -1
	for _, s := range proseIn(text) {
		if s.block != paragraph {
			f.before, paragraph = nil, s.block
		}
		if !repeated[s.lower] {
			f.read(s)
		}
	}
	for i := range f.asked {
		if f.found.Open[i] == "" && !f.found.Affirmed[i] {
			f.found.Open[i] = f.asked[i]
		}
	}
	return f.found
}

// proseIn returns the sentences of a text that are its author's own.
func proseIn(text []byte) (all []sentence) {
	for b := range markdown.Blocks(text, markdown.Third) {
		if b.Kind != markdown.Prose || !b.Own() {
			continue
		}
		for _, s := range sentencesIn(text[b.Start:b.End]) {
			s.start, s.end, s.block = s.start+b.Start, s.end+b.Start, b.Start
			all = append(all, s)
		}
	}
	return all
}

// IsAbout reports whether a sentence of the text is about changes that stand.
func (f *Finding) IsAbout() bool { return len(f.spans) > 0 }

// Blank returns the text without the sentences about changes that stand. All else keeps its place.
func (f *Finding) Blank(text []byte) []byte {
	if len(f.spans) == 0 {
		return text
	}
	text = slices.Clone(text)
	for _, span := range f.spans {
		mark := byte('.') // blanks alone would begin code
		for i := span[0]; i < min(span[1], len(text)); i++ {
			if text[i] == '\n' {
				mark = '.'
				continue
			}
			text[i], mark = mark, ' '
		}
	}
	return text
}

// finder collects what the sentences of a text say.
type finder struct {
	Context
	found  Finding
	asked  []string // by index of a change: a question about it
	named  []int    // all that the text has named so far
	before []int    // what the last sentence names
	effort int      // changes that were compared with names
}

// verdict is what a clause says of a change.
type verdict int

const (
	says   verdict = iota // something else
	keeps                 // it stands
	leaves                // it is taken back, or in doubt
)

// read reads one sentence.
func (f *finder) read(s sentence) {
	if isPastRound.MatchString(s.lower) {
		f.before = nil
		return
	}
	if f.readOnly(s) {
		return
	}
	subject, carried := names{}, names{}
	isAbout, title := false, says
	var all []int
	for _, clause := range s.clauses() {
		n := f.namesIn(clause, s)
		isNew := n.any()
		switch {
		case isNew:
			n = n.with(carried)
			subject = n
		case len(carried.of) > 0:
			n = carried // block 2: stands
		case len(subject.of) > 0 && refersBack.MatchString(clause):
			n = subject
		case len(subject.of) == 0 && len(f.before) > 0 && f.continues(clause, s):
			n = names{of: f.before, how: byBlock}
		default:
			if title = says; len(strings.Fields(clause)) <= 2 {
				title = judgeWords(plainly(clause)) // withdrawn: block 1
			}
			f.keepOwn(clause, s)
			continue
		}
		carried = names{}
		if n.isOthers() {
			continue // about what was asked for
		}
		said := f.verdictOf(clause, n, s)
		if said == says && isNew && isBareName(clause) {
			carried, said = n, title
		}
		f.note(n, said, s)
		isAbout = isAbout || said != says || n.isStrong(f)
		all = append(all, n.of...)
	}
	if isAbout && !s.isNoChanges {
		f.found.spans = append(f.found.spans, [2]int{s.start, s.end})
	}
	f.named = append(f.named, all...)
	f.before = all
}

// note records what a clause says of changes.
func (f *finder) note(n names, said verdict, s sentence) {
	for _, i := range n.of {
		switch {
		case said == keeps:
			f.found.Affirmed[i] = true
		case said == leaves && f.found.Open[i] == "":
			f.found.Open[i] = s.text
		case said == says && s.isQuestion && f.asked[i] == "" && n.isStrong(f):
			f.asked[i] = s.text
		}
	}
	if said == leaves && n.how == byMessage && len(n.of) == 0 && f.found.Message == "" {
		f.found.Message = s.text
	}
}

// readOnly reads a sentence that keeps only some changes, and reports whether it is one.
func (f *finder) readOnly(s sentence) bool {
	if !onlySome.MatchString(s.lower) || f.isForm(s.lower) {
		return false
	}
	kept := f.namesIn(onlyPart(s.lower), s)
	if kept.how == byMessage || kept.how == byRest {
		kept = names{}
	}
	for i := range f.Standing {
		if slices.Contains(kept.of, i) {
			f.found.Affirmed[i] = true
		} else if f.found.Open[i] == "" && !f.isLater(i) {
			f.found.Open[i] = s.text
		}
	}
	f.before = nil
	if !s.isNoChanges {
		f.found.spans = append(f.found.spans, [2]int{s.start, s.end})
	}
	return true
}

// isLater reports whether a change is in another letter than the last one before the text.
func (f *finder) isLater(i int) bool { return f.IsLetter && f.Standing[i].Letter != f.lastLetter() }

func (f *finder) lastLetter() (last int) {
	for i := range f.Standing {
		last = max(last, f.Standing[i].Letter)
	}
	return last
}

// keepOwn hides a sentence of an answer that keeps what was asked for: "I do not withdraw it."
func (f *finder) keepOwn(clause string, s sentence) {
	if !f.IsLetter && !s.isNoChanges && keepsOwn.MatchString(plainly(clause)) && !doubts.MatchString(clause) {
		f.found.spans = append(f.found.spans, [2]int{s.start, s.end})
	}
}

// continues reports whether a clause is about what the sentence before names.
func (f *finder) continues(clause string, s sentence) bool {
	return !s.isLead && refersBack.MatchString(clause) && !pointsHere.MatchString(s.lower) && judgeWords(plainly(clause)) != says
}

// isForm reports whether a sentence is about the form of a text.
func (f *finder) isForm(lower string) bool {
	return formal.MatchString(lower) && !strings.Contains(lower, "counts")
}
