package remark

import (
	"strings"
	"unicode"
)

// NoChanges returns the reason in a line "NO CHANGES: reason". Emphasis and code marks around the
// words, or around all of it, are ignored; if lax, marks of lists and headings are, too.
func NoChanges(line string, lax bool) (reason string, ok bool) {
	const marks = "*_`"
	if lax {
		line = strings.ReplaceAll(strings.TrimLeft(line, " \t\u00a0#-+•"), "\u00a0", " ")
		if rest, isItem := strings.CutPrefix(line, "* "); isItem {
			line = rest
		}
	}
	line = strings.TrimSpace(line)
	rest := strings.TrimLeft(line, marks)
	opening := line[:len(line)-len(rest)]
	for _, word := range []string{"no", "changes"} {
		if len(rest) < len(word) || !strings.EqualFold(rest[:len(word)], word) {
			return "", false
		}
		after := strings.TrimLeft(rest[len(word):], " \t")
		if word == "no" && len(after) == len(rest)-len(word) {
			return "", false // one word
		}
		rest = after
	}
	rest, closed := strings.CutPrefix(rest, opening)
	rest = strings.TrimLeft(rest, " \t")
	colons := []string{":", "："}
	if lax {
		colons = append(colons, "–", "—", "- ")
	}
	for _, colon := range colons {
		if after, found := strings.CutPrefix(rest, colon); found {
			if inner, whole := strings.CutPrefix(after, opening); !closed && whole {
				after = inner
			} else if !closed {
				after = strings.TrimSuffix(after, opening)
			}
			return strings.TrimSpace(after), true
		}
	}
	return "", rest == "" || rest == "." && lax
}

// IsReason reports whether a text says something. The form "NO CHANGES: reason" itself does not.
func IsReason(text string) bool {
	words := strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	return words != "" && !strings.EqualFold(words, "reason")
}
