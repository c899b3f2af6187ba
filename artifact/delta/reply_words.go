package delta

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"
)

// lineWord is a word of a line with its end.
type lineWord struct {
	text string
	end  int
}

func lineWords(line string) []lineWord {
	var words []lineWord
	start := -1
	for i, c := range line + " " {
		inWord := isWordRune(c) && (c < 0x80 || unicode.IsLetter(c) || unicode.IsDigit(c)) || c == '.' && start >= 0 && i+1 < len(line) && isWordRune(rune(line[i+1]))
		switch {
		case inWord && start < 0:
			start = i
		case !inWord && start >= 0:
			words = append(words, lineWord{line[start:i], i})
			start = -1
		}
	}
	return words
}

func isCapital(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}

// after returns the first character after a word, but for spaces and emphasis.
func after(body string, w lineWord) byte {
	rest := strings.TrimLeft(body[w.end:], " \t\r\n*_`\"'”’")
	if rest == "" {
		return 0
	}
	if strings.HasPrefix(rest, "—") || strings.HasPrefix(rest, "–") || strings.HasPrefix(rest, "→") {
		return '-'
	}
	return rest[0]
}

func isSeparator(c byte) bool { return c != 0 && strings.IndexByte(":-|=([{,;", c) >= 0 }

func withoutArticles(words []lineWord) []lineWord {
	for len(words) > 0 && slices.Contains([]string{"of", "the", "to", "target", "item", "id", "new", "a", "an", "one"}, strings.ToLower(words[0].text)) {
		words = words[1:]
	}
	return words
}

// isModal reports whether a word makes a sentence of what would be an instruction.
func isModal(word string) bool {
	switch strings.ToLower(word) {
	case "would", "could", "should", "might", "may", "is", "was", "are", "were", "has", "had", "have", "can", "cannot", "did", "does",
		"do", "seems", "will", "must", "needs", "or", "and", "only", "if", "when", "unless", "once", "not", "later", "switch", "vs", "versus":
		return true
	}
	return false
}

// isNothing reports whether a word says that there is no change.
func isNothing(word string) bool {
	switch strings.ToLower(word) {
	case "none", "nothing", "no", "not", "n", "null", "zero", "premature", "rejected", "withdrawn", "declined", "pending", "deferred", "postponed", "unwarranted", "left", "if", "unless":
		return true
	}
	return false
}

// contentWords returns what a text says, as stems: without the names of the format, ids, and words
// that say little.
func contentWords(text string) []string {
	var all []string
	for s := range stems(text) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

func stems(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, w := range lineWords(text) {
			for part := range strings.FieldsFuncSeq(w.text, func(c rune) bool { return c == '_' || c == '.' }) {
				if s := stem(part); s != "" && !yield(s) {
					return
				}
			}
		}
	}
}

// stem returns the beginning of a word in lower case, or "" if the word says little.
func stem(word string) string {
	const most = 5
	lower := strings.ToLower(word)
	if utf8.RuneCountInString(lower) < 3 && lower[0] < utf8.RuneSelf && !(isLetter(lower[0]) && isDigit(lower[len(lower)-1])) || isItemID(word) || isOperation(lower) || formatWords[lower] || word == "one" {
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
