package view

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/internal/text"
)

// inert returns a text from outside on one line in which only its words mean anything.
func inert(s string) string { return text.Clean(s, text.PromptLine) }

// cut returns the beginning of a text, inert, with at most so many characters.
func cut(s string, most int) string {
	// Space at the front is not shown: enough of the text is read to find the words
	// behind it, and no more, however long it is.
	short := text.First(s, 4*most)
	out := inert(short)
	if len(short) == len(s) && utf8.RuneCountInString(out) <= most {
		return out
	}
	return strings.TrimSpace(text.First(out, most-1)) + "…"
}

// maxWord is the most characters of a name that are shown.
const maxWord = 64

// Word gives a name from outside: an id, a field, a key, an agent. It may begin a
// line, so it stays as it is only where it is a plain word, and is quoted like a
// JSON string otherwise.
func Word(name string) string {
	if plain(name) {
		return name
	}
	if short := text.First(name, maxWord-1); short != name {
		name = short + "…"
	}
	return inert(string(artifact.AppendString(nil, name)))
}

// plain tells whether a name begins with a letter and goes on with letters, digits
// and what names are joined with.
func plain(name string) bool {
	if name == "" || len(name) > maxWord {
		return false
	}
	for i, r := range name {
		joins := r == '_' || r == '-' || r == '.' || r == '@'
		if !unicode.IsLetter(r) && (i == 0 || (!unicode.IsDigit(r) && !joins)) {
			return false
		}
	}
	return utf8.ValidString(name)
}
