package remark

import "strings"

// Words are parts of words that are searched for together, in one pass over a text. They are kept by their first byte.
type Words [256][]string

// WordsOf returns the words for a search.
func WordsOf(all ...string) *Words {
	by := new(Words)
	for _, word := range all {
		by[word[0]] = append(by[word[0]], word)
	}
	return by
}

// In reports whether a text has one of the words.
func (w *Words) In(text string) bool {
	for i := range len(text) {
		for _, word := range w[text[i]] {
			if strings.HasPrefix(text[i:], word) {
				return true
			}
		}
	}
	return false
}
