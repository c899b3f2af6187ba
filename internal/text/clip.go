package text

import "strings"

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
			return strings.TrimRight(text[:end], " ") + "…"
		}
	}
	return text
}
