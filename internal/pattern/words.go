package pattern

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// word is a part of every match of an expression.
type word struct {
	text         string
	anyCase      bool
	begins, ends bool // no letter stands before it, or behind it
}

// edge stands for the place before a word or behind it, in the texts that an expression matches.
const edge = "\x01"

// mostTexts is how many texts of an expression are listed.
const mostTexts = 16

// needed returns lists of words. Every match has one of each list.
func needed(tree *syntax.Regexp) [][]word {
	texts, all := read(tree)
	if texts != nil {
		return listed(texts)
	}
	return all
}

// read returns the texts that an expression matches, if they are few, or else what each of its matches has.
func read(tree *syntax.Regexp) (texts []string, needs [][]word) {
	switch tree.Op {
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase == 0 {
			return []string{string(tree.Rune)}, nil
		}
		for _, text := range pieces(string(tree.Rune)) {
			needs = append(needs, []word{{text: text, anyCase: true}})
		}
	case syntax.OpEmptyMatch:
		return []string{""}, nil
	case syntax.OpWordBoundary, syntax.OpBeginText, syntax.OpBeginLine, syntax.OpEndText, syntax.OpEndLine:
		return []string{edge}, nil
	case syntax.OpCapture:
		return read(tree.Sub[0])
	case syntax.OpQuest:
		if texts, _ = read(tree.Sub[0]); texts != nil {
			return append(slices.Clip(texts), ""), nil
		}
	case syntax.OpPlus:
		return nil, needed(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return nil, needed(tree.Sub[0])
		}
	case syntax.OpConcat:
		return readAll(tree.Sub)
	case syntax.OpAlternate:
		return readOne(tree.Sub)
	}
	return nil, needs
}

// readAll is read for expressions in a row.
func readAll(trees []*syntax.Regexp) (texts []string, needs [][]word) {
	texts = []string{""}
	isWhole := true
	for _, sub := range trees {
		next, more := read(sub)
		if next != nil && len(texts)*len(next) <= mostTexts {
			texts = joined(texts, next)
			continue
		}
		isWhole = false
		needs = append(append(needs, listed(texts)...), more...)
		if texts = next; texts == nil {
			texts = []string{""}
		}
	}
	if isWhole {
		return texts, nil
	}
	return nil, append(needs, listed(texts)...)
}

// readOne is read for alternatives.
func readOne(trees []*syntax.Regexp) (texts []string, needs [][]word) {
	var either []word
	isWhole, isKnown := true, true
	for _, sub := range trees {
		next, more := read(sub)
		if next != nil {
			texts, more = append(texts, next...), listed(next)
		}
		isWhole = isWhole && next != nil
		words := best(more)
		isKnown = isKnown && words != nil
		either = append(either, words...)
	}
	switch {
	case isWhole && len(texts) <= mostTexts:
		return texts, nil
	case isKnown:
		return nil, [][]word{either}
	}
	return nil, nil
}

// joined returns each of some texts with each of the next ones.
func joined(texts, next []string) []string {
	all := make([]string, 0, len(texts)*len(next))
	for _, text := range texts {
		for _, end := range next {
			all = append(all, text+end)
		}
	}
	return all
}

// listed returns the list of some texts, if all are worth a search.
func listed(texts []string) [][]word {
	const common = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,.\n"
	words := make([]word, 0, len(texts))
	for _, text := range texts {
		w := word{text: strings.ReplaceAll(text, edge, "")}
		if len(w.text) < 2 && strings.Contains(common, w.text) {
			return nil
		}
		w.begins = strings.HasPrefix(text, edge) && isWordByte(w.text[0])
		w.ends = strings.HasSuffix(text, edge) && isWordByte(w.text[len(w.text)-1])
		words = append(words, w)
	}
	return [][]word{words}
}

// isWordByte reports whether a byte is part of a word to an expression.
func isWordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// pieces returns the parts of a literal in any case that are worth a search. k and s are not: they have other forms.
func pieces(text string) (all []string) {
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return c > 127 || strings.ContainsRune("kKsS", c) }) {
		if len(part) > 1 {
			all = append(all, part)
		}
	}
	return all
}

// best returns the list whose shortest word is the longest, or nil.
func best(lists [][]word) (words []word) {
	for _, l := range lists {
		if shortest(l) > shortest(words) {
			words = l
		}
	}
	return words
}

// shortest returns the length of the shortest word, or 0.
func shortest(words []word) int {
	n := 0
	for i := range words {
		if i == 0 || len(words[i].text) < n {
			n = len(words[i].text)
		}
	}
	return n
}
