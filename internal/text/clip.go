package text

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clip returns text with at most so many characters. Where it has more, the last of
// them is "…", right behind the words before it.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text // no character is less than a byte
	}
	n, end := 0, 0
	for i := range text {
		if n == most-1 {
			end = i
		}
		if n++; n > most {
			return strings.TrimRightFunc(text[:end], unicode.IsSpace) + "…"
		}
	}
	return text
}

// First returns the first n characters of a text.
func First(text string, n int) string {
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

// Beginning returns the first n characters of a text, and "…" behind them where there
// are more.
func Beginning(text string, n int) string {
	if first := First(text, n); first != text {
		return first + "…"
	}
	return text
}

// FirstBytes returns the beginning of a text: at most n bytes, and whole characters.
func FirstBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Count returns a number with a noun that takes an "s" in the plural.
func Count(n int, noun string) string { return Plural(n, noun, noun+"s") }

// Plural returns a number with the singular for 1, else with the plural.
func Plural(n int, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return strconv.Itoa(n) + " " + plural
}
