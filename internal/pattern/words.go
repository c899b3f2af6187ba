package pattern

import (
	"regexp/syntax"
	"strings"
)

// word is a part of every match of an expression.
type word struct {
	text    string
	anyCase bool
	pairs   [3]pair // the first, the middle and the last one
}

// pair is two bytes in a row, of which the last five bits count: the letters in any case.
type pair struct{ first, second byte }

// pairs are the pairs in a text: for each first byte, a bit for each second one.
type pairs [32]uint32

// anyPair is in every text.
var anyPair = pair{0, 31}

// pairsIn returns the pairs of a text. It fails if the text is long, and has most of them.
func pairsIn[T string | []byte](text T) (all pairs, ok bool) {
	if len(text) > maxShort {
		return all, false
	}
	all[anyPair.first] = 1 << anyPair.second
	last := byte(0)
	for i := range len(text) {
		next := text[i] & 31
		all[last] |= 1 << next
		last = next
	}
	return all, true
}

func wordOf(text string, anyCase bool) word {
	w := word{text: text, anyCase: anyCase, pairs: [3]pair{anyPair, anyPair, anyPair}}
	if len(text) > 1 {
		for i, at := range [...]int{1, len(text) / 2, len(text) - 1} {
			w.pairs[i] = pair{text[at-1] & 31, text[at] & 31}
		}
	}
	return w
}

// isIn reports whether a text with some pairs may have a word.
func (w *word) isIn(all *pairs) bool {
	a, b, c := w.pairs[0], w.pairs[1], w.pairs[2]
	return all[a.first&31]>>(a.second&31)&(all[b.first&31]>>(b.second&31))&(all[c.first&31]>>(c.second&31))&1 != 0
}

// needed returns lists of words. Every match has one of each list.
func needed(tree *syntax.Regexp) (all [][]word) {
	switch tree.Op {
	case syntax.OpLiteral:
		isFolded := tree.Flags&syntax.FoldCase != 0
		for _, text := range pieces(string(tree.Rune), isFolded) {
			all = append(all, []word{wordOf(text, isFolded)})
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return needed(tree.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range tree.Sub {
			all = append(all, needed(sub)...)
		}
	case syntax.OpAlternate:
		var either []word
		for _, sub := range tree.Sub {
			words := best(needed(sub))
			if words == nil {
				return nil
			}
			either = append(either, words...)
		}
		return [][]word{either}
	}
	return all
}

// pieces returns the parts of a literal that are worth a search. In any case, k and s are not: they have other forms.
func pieces(text string, isFolded bool) (all []string) {
	const common = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,.\n"
	parts := []string{text}
	if isFolded {
		parts = strings.FieldsFunc(text, func(c rune) bool { return c > 127 || strings.ContainsRune("kKsS", c) })
	}
	for _, part := range parts {
		if len(part) > 1 || !isFolded && part != "" && !strings.Contains(common, part) {
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
