// Package pattern matches regular expressions, of which a program has many and needs few.
//
// A Pattern is compiled when it is first tried, and tried only on texts that contain a word which each of its matches has.
// Most texts have none of these words, and looking for them is much faster than matching.
package pattern

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Pattern is a regular expression in the syntax of package regexp. It is safe for concurrent use. Do not copy it.
type Pattern struct {
	text     string
	make     func() string // the text, if it has to be made first
	compile  sync.Once
	compiled *regexp.Regexp
	divide   sync.Once
	divided  *index
}

// New returns the Pattern of an expression. A wrong one panics when it is first tried. The compiler evaluates New: a
// program spends no time on a pattern that it does not try.
func New(source string) *Pattern { return &Pattern{text: source} }

// Of is New for an expression that has to be made first.
func Of(source func() string) *Pattern { return &Pattern{make: source} }

// String returns the expression.
func (p *Pattern) String() string {
	if p.make != nil {
		return p.make()
	}
	return p.text
}

func (p *Pattern) whole() *regexp.Regexp {
	p.compile.Do(func() { p.compiled = regexp.MustCompile(p.String()) })
	return p.compiled
}

func (p *Pattern) forms() *index {
	p.divide.Do(func() { p.divided = indexOf(formsOf(p.String())) })
	return p.divided
}

// MatchString reports whether the text has a match.
func (p *Pattern) MatchString(s string) bool {
	return search(p.forms(), s, func(f *form) bool { return f.compiled().MatchString(s) })
}

// Match reports whether the text has a match.
func (p *Pattern) Match(b []byte) bool {
	return search(p.forms(), b, func(f *form) bool { return f.compiled().Match(b) })
}

// in returns the compiled expression, or nil if the text has no match.
func (p *Pattern) in(s string) *regexp.Regexp {
	isTried := len(p.forms().forms) > 1 && len(s) <= maxShort
	if search(p.forms(), s, func(f *form) bool { return !isTried || f.compiled().MatchString(s) }) {
		return p.whole()
	}
	return nil
}

func (p *Pattern) inBytes(b []byte) *regexp.Regexp {
	isTried := len(p.forms().forms) > 1 && len(b) <= maxShort
	if search(p.forms(), b, func(f *form) bool { return !isTried || f.compiled().Match(b) }) {
		return p.whole()
	}
	return nil
}

// Set is several patterns that are tried on the same texts, of which most have no match of any.
type Set struct {
	forms func() *index
	tries atomic.Int32
}

// fewTexts is how many texts a set lets pass: for these, its index would take longer than its patterns.
const fewTexts = 64

// SetOf returns the set of some patterns.
func SetOf(patterns ...*Pattern) *Set {
	return &Set{forms: sync.OnceValue(func() *index {
		var all []*form
		for _, p := range patterns {
			all = append(all, p.forms().forms...)
		}
		return indexOf(all)
	})}
}

// MayMatch reports whether a text may have a match of a pattern of the set. If not, it has none.
func (s *Set) MayMatch(text string) bool {
	if s.tries.Load() < fewTexts {
		s.tries.Add(1)
		return true
	}
	return search(s.forms(), text, func(*form) bool { return true })
}

// form is one of the alternatives of a pattern. Small expressions are matched much faster than one that has all.
type form struct {
	compiled func() *regexp.Regexp
	needs    [][]word // of each, every match has one
}

func formsOf(source string) []*form {
	flags, rest := cutFlags(source)
	var all []*form
	for _, one := range split(rest) {
		f := &form{compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(flags + one) })}
		if tree, err := syntax.Parse(flags+one, syntax.Perl); err == nil {
			f.needs = needed(tree)
			slices.SortStableFunc(f.needs, func(a, b []word) int { return len(a) - len(b) })
		}
		all = append(all, f)
	}
	return all
}

// cutFlags returns the flags at the beginning of an expression, which hold for all of its alternatives.
func cutFlags(source string) (flags, rest string) {
	if strings.HasPrefix(source, "(?") {
		if end := strings.IndexAny(source, ":)P<"); end > 0 && source[end] == ')' {
			return source[:end+1], source[end+1:]
		}
	}
	return "", source
}

// split divides a pattern at the bars that are in no group.
func split(pattern string) []string {
	var all []string
	depth, start, inClass := 0, 0, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
			if i+1 < len(pattern) && pattern[i+1] == '^' {
				i++
			}
			if i+1 < len(pattern) && pattern[i+1] == ']' {
				i++ // it is one of the class
			}
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			all, start = append(all, pattern[start:i]), i+1
		}
	}
	return append(all, pattern[start:])
}
