package fieldform

import (
	"slices"
	"strings"
	"unicode"

	"brenner/artifact"
)

// IsPlaceholder reports whether a value stands for another one: "…", "<claim>", "[...]".
func IsPlaceholder(v artifact.Value) bool {
	switch v := v.(type) {
	case artifact.Text:
		return isBlankForm(strings.TrimSpace(string(v)))
	case artifact.List:
		return len(v) > 0 && !slices.ContainsFunc(v, func(e artifact.Value) bool { return !IsPlaceholder(e) })
	case artifact.Map:
		return len(v) > 0 && !slices.ContainsFunc(v, func(e artifact.Entry) bool { return !IsPlaceholder(e.Value) })
	}
	return false
}

func isBlankForm(s string) bool {
	if s == "" || strings.IndexByte(".<[{\xe2", s[0]) < 0 { // \xe2 begins "…"
		return false
	}
	if strings.Trim(s, ".…") == "" {
		return strings.Contains(s, "…") || len(s) >= 2
	}
	switch inner := strings.TrimSpace(s[1:max(1, len(s)-1)]); s[:1] + s[len(s)-1:] {
	case "[]", "{}":
		return strings.Trim(inner, ".…") == ""
	case "<>":
		return len(inner) <= 100 && isDescription(inner)
	}
	return false
}

// isDescription reports whether a text in angle brackets describes what belongs there: only words,
// and one that such descriptions have. "<5 µm>" and "<b>bold</b>" are texts of their own.
func isDescription(text string) bool {
	if strings.Trim(text, ".…") == "" {
		return text != ""
	}
	if strings.IndexFunc(text, func(c rune) bool {
		return !(c == '_' || c > unicode.MaxASCII || unicode.IsLetter(c) || unicode.IsDigit(c)) && !strings.ContainsRune(" .…-/|'’,", c)
	}) >= 0 {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return c == ' ' || c == '_' || c == '-' || c == '/' || c == '|' })
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{
			"your", "what", "why", "how", "name", "claim", "text", "description", "describe", "reason", "rationale", "value", "field", "insert",
			"placeholder", "short", "id", "target", "section", "something", "here", "sentence", "mechanism", "procedure", "statement",
			"observation", "attack", "title", "todo", "fill", "etc", "string", "operation", "prediction",
		}, w)
	})
}
