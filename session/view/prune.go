package view

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"brenner/internal/fault"
	"brenner/internal/text"
)

// Class is a kind of content of a message that may be left out if the message is over its bound.
type Class int

// The classes in the order in which they are kept: the last one is left out first. A class is shown
// only if nothing of the classes before it is left out, with two exceptions: names have a limit of
// their own, and prose does not take more than half of the room that the artifact could use.
const (
	Names   Class = iota // of what is left out; the rest is counted
	Prose                // the context of the question, the excerpt and the evidence
	Items                // of the artifact, with notes and outcomes; or the hypotheses of the brief
	Lessons              // of earlier sessions
	Records              // of the project, besides its overview
	classCount
)

// Whole grants a class everything it has.
const Whole = MaxSetting

// Grants are the tokens that each class may have besides the least that must be said of it.
type Grants [classCount]int

// Limits of the names of what is left out.
const (
	maxNames   = 300 // tokens
	namesShare = 8   // part of the room
)

// Prune decides what a message shows: all of it if it fits its bound, or else as much of each class
// as fits, the most important first. Measure returns the tokens of the complete message with grants.
// The tokens that Prune returns exceed the bound only if the message with no grant at all does; then
// nothing may be sent. It is the only place that decides what is left out of a message.
func Prune(bound int, measure func(Grants) (int, error)) (Grants, int, error) {
	all := Grants{Whole, Whole, Whole, Whole, Whole}
	tokens, err := measure(all)
	if err != nil || tokens <= bound {
		return all, tokens, err
	}
	p := pruner{measure: measure}
	if p.tokens, err = measure(p.grants); err != nil || p.tokens > bound {
		return p.grants, p.tokens, err
	}
	p.raise(Names, min(maxNames, (bound-p.tokens)/namesShare), bound)
	p.raise(Prose, Whole, bound-min(p.want(Items), (bound-p.tokens)/2))
	for class := Items; class < classCount; class++ {
		p.raise(class, Whole, bound)
		if p.grants[class] < Whole || p.grants[Prose] < Whole {
			break
		}
	}
	return p.grants, p.tokens, p.err
}

type pruner struct {
	measure func(Grants) (int, error)
	grants  Grants
	tokens  int // of the message with grants
	err     error
}

// try returns the tokens of the message if a class has another grant.
func (p *pruner) try(class Class, grant int) (Grants, int) {
	g := p.grants
	g[class] = grant
	tokens, err := p.measure(g)
	if p.err == nil {
		p.err = err
	}
	return g, tokens
}

// want returns how many more tokens the message has with a whole class.
func (p *pruner) want(class Class) int {
	_, tokens := p.try(class, Whole)
	return max(tokens-p.tokens, 0)
}

// maxTries is how often a grant is lowered before a class gets none. The first grant is nearly
// right: it differs by what quotation marks and headings add.
const maxTries = 8

// raise grants a class as much as fits a bound.
func (p *pruner) raise(class Class, most, bound int) {
	grant := most
	for range maxTries {
		if grant <= 0 || p.err != nil {
			return
		}
		g, tokens := p.try(class, grant)
		if tokens <= bound {
			p.grants, p.tokens = g, tokens
			return
		}
		if grant == most {
			grant = min(most-1, bound-p.tokens)
			continue
		}
		grant -= tokens - bound + grant/32
	}
}

// Shortfall returns the error of a message whose fixed parts need more tokens than its bound.
func Shortfall(to string, needs, bound int, hint string) error {
	return &fault.Error{
		Code: TooLarge, Op: "write to " + fault.Shown(to),
		Detail: fmt.Sprintf("the fixed parts of its messages (instructions, question, overview, format; room for a repair) need %d tokens; the limit is %d", needs, bound),
		Hint:   hint,
	}
}

// Begin returns the beginning of a text within a number of tokens, and how many characters are
// left out. A text that is no longer than the line that says so is returned as it is.
func Begin(s string, tokens int, count func(string) int) (string, int) {
	all := utf8.RuneCountInString(s)
	mark := func(left int) string { return fmt.Sprintf("[left out: %d of %d characters]", left, all) }
	if tokens >= Whole || len(s) <= len(mark(all)) || len(s) <= BytesPerToken*tokens && count(s) <= tokens {
		return s, 0
	}
	shown := s[:beginning(s, tokens, count)]
	if at := strings.LastIndexByte(shown, '\n'); at > len(shown)/2 {
		shown = shown[:at]
	}
	left := all - utf8.RuneCountInString(shown)
	return strings.TrimLeft(shown+"\n"+mark(left), "\n"), left
}

// beginning returns the length of the beginning of a text within a number of tokens.
func beginning(s string, tokens int, count func(string) int) int {
	n := min(len(s), BytesPerToken*max(tokens, 0))
	for n > 0 {
		have := count(s[:n])
		if have <= tokens {
			break
		}
		n = min(n*tokens/have, n-1)
	}
	return len(text.FirstBytes(s, n))
}

// List returns the beginning of a list of names within a number of tokens, and the number of the
// others: "a, b and 3 more". It is empty if not even the first name fits.
func List(names []string, tokens int, count func(string) int) string {
	out, shown := "", 0
	for _, name := range names {
		one := Word(name)
		if shown > 0 {
			one = ", " + one
		}
		if tokens -= count(one); tokens < 0 {
			break
		}
		out += one
		shown++
	}
	if more := len(names) - shown; more > 0 && shown > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}
