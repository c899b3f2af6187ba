// Package pattern matches regular expressions, of which a program has many and needs few.
//
// A Pattern is compiled when it is first tried, and tried only on texts that contain a word which each of its matches has.
// Most texts have none of these words, and looking for them is much faster than matching.
package pattern

import (
	"bytes"
	"regexp"
	"regexp/syntax"
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
	for _, f := range p.forms() {
		if mayMatch(f, s, strings.Contains) && f.compiled().MatchString(s) {
			return true
		}
	}
	return false
}

// Match reports whether the text has a match.
func (p *Pattern) Match(b []byte) bool {
	for _, f := range p.forms() {
		if mayMatch(f, b, contains) && f.compiled().Match(b) {
			return true
		}
	}
	return false
}

// in returns the compiled expression, or nil if the text cannot have a match.
func (p *Pattern) in(s string) *regexp.Regexp {
	for _, f := range p.forms() {
		if mayMatch(f, s, strings.Contains) {
			return p.whole()
		}
	}
	return nil
}

func (p *Pattern) inBytes(b []byte) *regexp.Regexp {
	for _, f := range p.forms() {
		if mayMatch(f, b, contains) {
			return p.whole()
		}
	}
	return nil
}

func contains(b []byte, word string) bool { return bytes.Contains(b, []byte(word)) }

// form is one of the alternatives of a pattern. Small expressions are matched much faster than one that has all.
type form struct {
	compiled func() *regexp.Regexp
	words    []string // one of which is in every match; nil if unknown
}

func mayMatch[T any](f *form, text T, contains func(T, string) bool) bool {
	for _, word := range f.words {
		if contains(text, word) {
			return true
		}
	}
	return f.words == nil
}

func formsOf(source string) []*form {
	flags, rest := cutFlags(source)
	var all []*form
	for _, one := range split(rest) {
		f := &form{compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(flags + one) })}
		if tree, err := syntax.Parse(flags+one, syntax.Perl); err == nil {
			f.words = needed(tree)
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

// needed returns words of which every match has one, or nil: of the parts of an expression that must
// match, those that are longest.
func needed(tree *syntax.Regexp) []string {
	switch tree.Op {
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase == 0 {
			return []string{string(tree.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return needed(tree.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range tree.Sub {
			if words := needed(sub); shortest(words) > shortest(best) {
				best = words
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range tree.Sub {
			words := needed(sub)
			if words == nil {
				return nil
			}
			all = append(all, words...)
		}
		return all
	}
	return nil
}

// shortest returns the length of the shortest word, or 0.
func shortest(words []string) int {
	n := 0
	for i, word := range words {
		if i == 0 || len(word) < n {
			n = len(word)
		}
	}
	return n
}
