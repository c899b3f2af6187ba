package view

import "brenner/artifact"

// level is how much of a part is shown.
type level int

const (
	named    level = iota // by its name, under what is left out
	inShort               // cut to a line or a few
	complete              // all of it
)

// group is a stretch of the text under one heading: a section has its own number,
// the others come behind.
type group int

const (
	people group = artifact.SectionCount + iota
	outcomes
	disputes
	groupCount
)

// part is one thing that can be shown, in short or completely: an item, a
// conflict, an outcome, a note.
type part struct {
	id    string
	group group
	want  level  // what the spec says
	level level  // what it came to
	rule  string // why it is shown by its name alone
	// write writes it in short or completely; texts and tokens remember what came
	// of it, for of thousands only a few are ever looked at.
	write  func(level) string
	texts  [complete + 1]string
	tokens [complete + 1]int
}

// text gives the part at a level.
func (p *part) text(l level) string {
	if l == named {
		return ""
	}
	if p.texts[l] == "" {
		p.texts[l] = p.write(l)
	}
	return p.texts[l]
}

// cost gives the tokens of the part at a level.
func (p *part) cost(l level, count func(string) int) int {
	if l == named {
		return 0
	}
	if p.tokens[l] == 0 {
		p.tokens[l] = count(p.text(l))
	}
	return p.tokens[l]
}
