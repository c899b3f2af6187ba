package lint

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/internal/text"
)

// maxShown is how many things of a kind a message lists, and maxQuoted how many
// characters of one it quotes: a finding is read by people.
const (
	maxShown  = 5
	maxQuoted = 60
)

// show gives a name as it is, or quoted where it could pass for something else:
// agents write names, and a terminal shows them.
func show(name string) string {
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.#§", r) {
			return quote(name)
		}
	}
	if name == "" || len(name) > maxQuoted {
		return quote(name)
	}
	return name
}

// quote gives the beginning of a text, in quotation marks, on one line.
func quote(s string) string { return strconv.Quote(text.Clip(s, maxQuoted)) }

// safe makes a reader's message safe to print, whatever it quotes.
func safe(message string) string { return text.Clean(message, text.Printable) }

// enumerate lists the first names and counts the others, of total.
func enumerate(first []string, total int) string {
	shown := first[:min(len(first), maxShown)]
	text := strings.Join(shown, ", ")
	if more := total - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// normal gives a text in the form in which it is compared: without case, with
// single spaces.
func normal(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(text)), " ")
}

// edit says which EDIT of an item mends a finding; payload is JSON.
func edit(it *artifact.Item, format string, args ...any) string {
	return "EDIT " + show(it.ID) + " with " + fmt.Sprintf(format, args...)
}

// hypothesesIn gives the ids of hypotheses that a text names, in order. A token
// is a whole word: "H2" in "H1/H2", but not in "H2O".
func hypothesesIn(text string) []string {
	var ids []string
	for _, word := range strings.FieldsFunc(text, notWord) {
		if artifact.HypothesisSlate.ValidID(word) {
			ids = append(ids, word)
		}
	}
	return ids
}

func notWord(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// jsonText writes a name that anyone may have chosen into a hint's JSON.
func jsonText(name string) string {
	return safe(string(artifact.AppendString(nil, text.Clip(name, maxQuoted))))
}
