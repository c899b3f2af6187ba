package record

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/fault"
)

// MaxSummary is the maximum length of a summary, in characters.
const MaxSummary = 400

// extracted is the maximum length of an extracted summary.
const extracted = 240

// BadSummary is the code for a summary that is missing, too long or not one line.
const BadSummary fault.Code = "BAD_SUMMARY" // A summary is missing, too long, or has several lines.

// CheckSummary returns an error unless summary is a short, readable line.
func CheckSummary(summary string) error {
	var detail string
	switch n := utf8.RuneCountInString(summary); {
	case strings.TrimSpace(summary) == "":
		detail = "the summary is missing"
	case n > MaxSummary:
		detail = fmt.Sprintf("the summary has %d characters, more than the maximum of %d", n, MaxSummary)
	case strings.ContainsFunc(summary, breaksLine):
		detail = "the summary is more than one line, or has control characters"
	default:
		return nil
	}
	return &fault.Error{Code: BadSummary, Detail: detail, Hint: "summarise the content in one or two sentences, on one line"}
}

// breaksLine reports whether r ends a line or is a control character.
func breaksLine(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) }

// Extract returns the first sentences of the content's running text, or "".
func Extract(content []byte) string {
	var words []string
	size := 0
	fenced := false
	for line := range strings.Lines(strings.ToValidUTF8(string(content), "\ufffd")) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced || strings.HasPrefix(line, "#") || strings.Trim(line, "-=*_ ") == "" {
			continue // skip headings, rules and code
		}
		for _, word := range strings.FieldsFunc(strings.TrimLeft(line, "->*+ "), breaksWords) {
			size += utf8.RuneCountInString(word) + 1
			words = append(words, word)
		}
		if size > extracted {
			break
		}
	}
	if len(words) == 0 {
		words = strings.FieldsFunc(strings.ToValidUTF8(string(content), "\ufffd"), breaksWords)
	}
	return sentences(strings.Join(words, " "))
}

func breaksWords(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// sentences cuts a text after its last complete sentence that fits, or at a word.
func sentences(text string) string {
	runes := []rune(text)
	if len(runes) <= extracted {
		return text
	}
	cut := string(runes[:extracted])
	if i := strings.LastIndexAny(cut, ".!?"); i > len(cut)/3 {
		return cut[:i+1]
	}
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		cut = cut[:i]
	}
	return cut + "…"
}
