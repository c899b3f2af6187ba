package remark

import (
	"strings"

	"brenner/internal/lazy"
)

// Words are parts of words that are searched for together, in one pass over a text. They are kept by their first byte.
type Words struct{ by *lazy.Value[[][]string] }

// WordsOf returns the words for a search.
func WordsOf(all ...string) *Words { return wordsFrom(func() []string { return all }) }

func wordsFrom(list func() []string) *Words {
	return &Words{by: lazy.Of(func() [][]string {
		by := make([][]string, 256)
		for _, word := range list() {
			by[word[0]] = append(by[word[0]], word)
		}
		return by
	})}
}

// In reports whether a text has one of the words.
func (w *Words) In(text string) bool {
	by := w.by.Get()
	for i := range len(text) {
		for _, word := range by[text[i]] {
			if strings.HasPrefix(text[i:], word) {
				return true
			}
		}
	}
	return false
}
