package view

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/artifact"
)

// Inert gives a text from outside on one line, in which nothing but its words
// means anything: line ends are shown as ⏎, what cannot be seen as its number in
// brackets, and HTML loses its meaning by a backslash. All else stays as it is,
// because agents quote what they read. Whoever writes the text puts something of
// ours in front of it on its line; what only means something at the front of a
// line (#, >, -, a fence) therefore means nothing.
func Inert(text string) string {
	if text = strings.TrimSpace(text); harmless(text) {
		return text
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	slashes := 0 // backslashes right before this place: an odd one escapes already
	for i, r := range text {
		switch {
		case endsLine(r):
			b.WriteString(" ⏎ ")
		case r == '\t':
			b.WriteByte(' ')
		case hidden(r):
			fmt.Fprintf(&b, "[U+%04X]", r)
		case r == '<' && slashes%2 == 0 && opensTag(text[i+1:]):
			b.WriteString(`\<`)
		default:
			b.WriteRune(r)
		}
		if r == '\\' {
			slashes++
		} else {
			slashes = 0
		}
	}
	return b.String()
}

// harmless tells whether a text can stay as it is; most can.
func harmless(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7F || c == '<' {
			return false
		}
	}
	return true
}

// endsLine tells whether anybody takes the character for the end of a line.
func endsLine(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// hidden tells whether a character cannot be seen, or changes how its neighbours
// are seen: such characters can carry words that a model reads and a person does
// not. The two joiners stay, because scripts and emoji need them.
func hidden(r rune) bool {
	switch {
	case r == '\u200c', r == '\u200d':
		return false
	case r&0xFFFE == 0xFFFE, 0xFDD0 <= r && r <= 0xFDEF: // noncharacters
		return true
	case 0xFE00 <= r && r <= 0xFE0D, 0xE0100 <= r && r <= 0xE01EF: // variants, but for those of emoji
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf)
}

// opensTag tells whether what follows a "<" makes it HTML or a link; in "p < 0.05"
// and "a<3" it does not.
func opensTag(rest string) bool {
	if rest == "" {
		return false
	}
	c := rest[0]
	return c == '/' || c == '!' || c == '?' || ('a' <= c|0x20 && c|0x20 <= 'z')
}

// cut gives the beginning of a text, inert, with at most so many characters.
func cut(text string, most int) string {
	// Space at the front is not shown: enough of the text is looked at to find
	// the words behind it, and no more, however long it is.
	short := first(text, 4*most)
	out := Inert(short)
	if len(short) == len(text) && utf8.RuneCountInString(out) <= most {
		return out
	}
	return strings.TrimSpace(first(out, most-1)) + "…"
}

// first gives the first n characters of a text.
func first(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
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
	if short := first(name, maxWord-1); short != name {
		name = short + "…"
	}
	return Inert(string(artifact.AppendString(nil, name)))
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
