package remark

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// forms matches sentences of one of many forms. Each form is an expression of its own, which is tried only on
// sentences that have a word of it: most have none, and small expressions are matched much faster than one
// that has all forms.
type forms []form

type form struct {
	words []string // one of which is in every sentence of this form; nil if unknown
	*regexp.Regexp
}

// formsOf returns the forms of a pattern, which are separated by bars.
func formsOf(pattern string) forms {
	var all forms
	for _, one := range splitForms(pattern) {
		f := form{Regexp: regexp.MustCompile(one)}
		if tree, err := syntax.Parse(one, syntax.Perl); err == nil {
			f.words = neededWords(tree)
		}
		all = append(all, f)
	}
	return all
}

// MatchString reports whether a sentence has one of the forms.
func (f forms) MatchString(sentence string) bool {
	for i := range f {
		if f[i].mayMatch(sentence) && f[i].Regexp.MatchString(sentence) {
			return true
		}
	}
	return false
}

func (f *form) mayMatch(sentence string) bool {
	for _, word := range f.words {
		if strings.Contains(sentence, word) {
			return true
		}
	}
	return f.words == nil
}

// splitForms divides a pattern at the bars that are in no group.
func splitForms(pattern string) []string {
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

// neededWords returns words of which every match has one, or nil: of the parts of an expression that must
// match, those that are longest.
func neededWords(tree *syntax.Regexp) []string {
	switch tree.Op {
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase == 0 {
			return []string{string(tree.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return neededWords(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return neededWords(tree.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range tree.Sub {
			if words := neededWords(sub); shortest(words) > shortest(best) {
				best = words
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range tree.Sub {
			words := neededWords(sub)
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
