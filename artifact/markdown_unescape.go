package artifact

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// readText reads what appendText wrote.
func readText(raw string) string {
	if raw == mdEmptyText {
		return ""
	}
	at := strings.IndexAny(raw, `\&<`)
	if at < 0 {
		return raw
	}
	out := append(make([]byte, 0, len(raw)), raw[:at]...)
	for i := at; i < len(raw); {
		text, size := readEscape(raw[i:])
		out = append(out, text...)
		i += size
	}
	return string(out)
}

// readEscape reads one character, escaped or not, and tells how long it was.
func readEscape(s string) (string, int) {
	switch s[0] {
	case '\\':
		if len(s) > 1 && isPunctuation(s[1]) {
			return s[1:2], 2
		}
	case '<':
		for _, br := range []string{"<br>", "<br/>", "<br />"} {
			if strings.HasPrefix(s, br) {
				return "\n", len(br)
			}
		}
	case '&':
		if n := entityLength(s); n > 0 {
			if text, ok := readReference(s[1 : n-1]); ok {
				return text, n
			}
		}
	}
	return s[:1], 1
}

// readReference reads the inside of "&…;". Of the names only those that a person
// would type are known; any other is the text it seems to be.
func readReference(name string) (string, bool) {
	switch name {
	case "amp":
		return "&", true
	case "lt":
		return "<", true
	case "gt":
		return ">", true
	case "quot":
		return `"`, true
	case "nbsp":
		return "\u00a0", true
	}
	digits, ok := strings.CutPrefix(name, "#")
	base := 10
	if hex, isHex := strings.CutPrefix(strings.ToLower(digits), "x"); isHex {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if !ok || err != nil || !utf8.ValidRune(rune(min(n, utf8.MaxRune+1))) {
		return "", false
	}
	return string(rune(n)), true
}

func isPunctuation(c byte) bool {
	return '!' <= c && c <= '~' && !isLetter(c) && !isDigit(c)
}

// indexPlain finds the first of some ASCII characters that is not escaped, or -1.
func indexPlain(s, chars string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if strings.IndexByte(chars, s[i]) >= 0 {
			return i
		}
	}
	return -1
}

// cutPlain cuts s around the first character sep that is not escaped.
func cutPlain(s string, sep string) (before, after string, found bool) {
	i := indexPlain(s, sep)
	if i < 0 {
		return s, "", false
	}
	return trim(s[:i]), trim(s[i+1:]), true
}

// splitPlain splits s at every character sep that is not escaped.
func splitPlain(s, sep string) []string {
	var parts []string
	for {
		i := indexPlain(s, sep)
		if i < 0 {
			return append(parts, trim(s))
		}
		parts = append(parts, trim(s[:i]))
		s = s[i+1:]
	}
}

func trim(s string) string { return strings.Trim(s, " \t") }

// readSpan gives the inside of a value that is one code span and nothing else.
func readSpan(raw string) (string, bool) {
	if len(raw) < 2 || raw[0] != '`' || raw[len(raw)-1] != '`' {
		return "", false
	}
	inside := raw[1 : len(raw)-1]
	return inside, inside != "" && strings.IndexByte(inside, '`') < 0
}

// readStruck takes the strike-through off a value.
func readStruck(raw string) (string, bool) {
	if len(raw) <= 2*len(mdStrike) || !strings.HasPrefix(raw, mdStrike) || !strings.HasSuffix(raw, mdStrike) {
		return raw, false
	}
	return trim(raw[len(mdStrike) : len(raw)-len(mdStrike)]), true
}
