package pattern

import (
	"slices"
	"strings"
)

// HasAny reports whether a text has one of some words of two letters or more. It looks at few bytes of a text that has none.
func HasAny(text []byte, words ...string) bool {
	return hasAny(text, func(text []byte, word string) bool { return string(text[:len(word)]) == word }, words)
}

// HasAnyCase is HasAny for words in any case.
func HasAnyCase(text []byte, words ...string) bool {
	return hasAny(text, func(text []byte, word string) bool { return strings.EqualFold(string(text[:len(word)]), word) }, words)
}

// hasAny looks at the last two bytes of a window over the text that is as long as the shortest word, and moves it by as much as
// no word allows.
func hasAny(text []byte, isAt func([]byte, string) bool, words []string) bool {
	width := len(words[0])
	for _, w := range words {
		width = min(width, len(w))
	}
	pair := func(a, b byte) int { return int(a)%32<<5 | int(b)%32 } // the same in any case
	var steps [1 << 10]byte
	for i := range steps {
		steps[i] = byte(min(width-1, 255))
	}
	for _, w := range words {
		for i := range width - 1 {
			p := &steps[pair(w[i], w[i+1])]
			*p = min(*p, byte(min(width-2-i, 255)))
		}
	}
	for end := width; end <= len(text); {
		if step := steps[pair(text[end-2], text[end-1])]; step > 0 {
			end += int(step)
			continue
		}
		rest := text[end-width:]
		if slices.ContainsFunc(words, func(w string) bool { return len(rest) >= len(w) && isAt(rest, w) }) {
			return true
		}
		end++
	}
	return false
}
