package itemform

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"
)

// Content returns what a text says, as stems: without the names of the format, ids, and words
// that say little.
func Content(text string) []string {
	var all []string
	for s := range Stems(text) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// Stems are the words of a text that say something, as stems.
func Stems(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
			if s := stem(word); s != "" && !yield(s) {
				return
			}
		}
	}
}

// StemSet returns the words of a text that say something, as stems.
func StemSet(text string) map[string]bool {
	words := make(map[string]bool)
	for w := range Stems(text) {
		words[w] = true
	}
	return words
}

// stem returns the beginning of a word in lower case, or "" if the word says little.
func stem(word string) string {
	const most = 5
	lower := strings.ToLower(word)
	if utf8.RuneCountInString(lower) < 3 && lower[0] < utf8.RuneSelf && !('a' <= lower[0] && lower[0] <= 'z' && '0' <= lower[len(lower)-1] && lower[len(lower)-1] <= '9') || isItem(word) || lower == "add" || lower == "edit" || lower == "kill" || formatWords[lower] || word == "one" {
		return ""
	}
	for i := range lower {
		if utf8.RuneCountInString(lower[:i]) == most {
			return lower[:i]
		}
	}
	return lower
}

// formatWords are the names of the format, and words that say little.
var formatWords = func() map[string]bool {
	words := make(map[string]bool)
	for _, w := range strings.Fields("operation op action section target id payload delta deltas name type null none true false rationale reason ref new row rows field fields item items " +
		"slate table register ledger adversarial discriminative research quot parameter invoke function calls " +
		"third alternative alternatives rival way key value the and for that this with are was its from into has have not all but our your their see per via") {
		words[w] = true
	}
	for _, s := range artifact.Sections() {
		for _, f := range s.Spec().Fields {
			words[f.Name] = true
		}
		for _, w := range synonyms.Sections(s) {
			words[w] = true
		}
	}
	return words
}()

func isItem(word string) bool {
	_, ok := artifact.SectionOfID(word)
	return ok && len(word) < 8
}
