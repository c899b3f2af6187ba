// Package pattern matches regular expressions, of which a program has many and needs few.
//
// A Pattern is compiled when it is first tried, and tried only on texts that contain a word which each of its matches has.
// Most texts have none of these words, and looking for them is much faster than matching.
package pattern

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// Pattern is a regular expression in the syntax of package regexp. It is safe for concurrent use. Do not copy it.
type Pattern struct {
	source func() string
	whole  func() *regexp.Regexp
	forms  func() []*form
}

// New returns the Pattern of an expression. A wrong one panics when it is first tried.
func New(source string) *Pattern { return Of(func() string { return source }) }

// Of is New for an expression that has to be made first.
func Of(source func() string) *Pattern {
	return &Pattern{
		source: source,
		whole:  sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source()) }),
		forms:  sync.OnceValue(func() []*form { return formsOf(source()) }),
	}
}

// String returns the expression.
func (p *Pattern) String() string { return p.source() }

// MatchString reports whether the text has a match.
func (p *Pattern) MatchString(s string) bool {
	seen, isShort := pairsIn(s)
	for _, f := range p.forms() {
		if mayMatch(f, s, &seen, isShort, strings.Contains) && f.compiled().MatchString(s) {
			return true
		}
	}
	return false
}

// Match reports whether the text has a match.
func (p *Pattern) Match(b []byte) bool {
	seen, isShort := pairsIn(b)
	for _, f := range p.forms() {
		if mayMatch(f, b, &seen, isShort, contains) && f.compiled().Match(b) {
			return true
		}
	}
	return false
}

// in returns the compiled expression, or nil if the text has no match.
func (p *Pattern) in(s string) *regexp.Regexp {
	forms := p.forms()
	seen, isShort := pairsIn(s)
	for _, f := range forms {
		if mayMatch(f, s, &seen, isShort, strings.Contains) && (len(forms) == 1 || !isShort || f.compiled().MatchString(s)) {
			return p.whole()
		}
	}
	return nil
}

func (p *Pattern) inBytes(b []byte) *regexp.Regexp {
	forms := p.forms()
	seen, isShort := pairsIn(b)
	for _, f := range forms {
		if mayMatch(f, b, &seen, isShort, contains) && (len(forms) == 1 || !isShort || f.compiled().Match(b)) {
			return p.whole()
		}
	}
	return nil
}

func contains(b []byte, word string) bool { return bytes.Contains(b, []byte(word)) }

// form is one of the alternatives of a pattern. Small expressions are matched much faster than one that has all.
type form struct {
	compiled func() *regexp.Regexp
	needs    [][]word // of each, every match has one
}

// maxShort is the size of texts whose pairs of letters are looked at first.
const maxShort = 2048 // bytes

// mayMatch reports whether a text has one of each list of words that a form needs. In a short text, seen are its pairs.
func mayMatch[T any](f *form, text T, seen *pairs, isShort bool, contains func(T, string) bool) bool {
	for _, words := range f.needs {
		found := false
		for i := 0; i < len(words) && !found; i++ {
			w := &words[i]
			found = (!isShort || w.isIn(seen)) && (w.anyCase || contains(text, w.text))
		}
		if !found {
			return false
		}
	}
	return true
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
