package artifact

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/text"
)

// place is the position of a text in the file, which decides what needs escaping.
type place uint8

const (
	inField place = iota // after a label, a key or a candidate
	inList               // one of several comma-separated texts
	inCell               // in the predictions table
	inName               // at the end of a heading
	inKey                // at the start of a list line or in brackets: ends at : ( or )
)

type treatment uint8

const (
	keep       treatment = iota
	slash                // a backslash before it
	refer                // a numeric character reference
	newline              // <br>
	substitute           // a byte that is not UTF-8: U+FFFD, as in JSON
)

// appendText writes a text on one line so that it reads back unchanged and neither the reader nor a
// Markdown viewer can take any of it for markup. Ordinary prose is unchanged.
func appendText(dst []byte, s string, at place) []byte {
	if form := reserved(s, at); form != "" {
		return append(dst, form...)
	}
	harmless := uint64(harmlessAnywhere)
	if at == inField || at == inCell {
		harmless |= harmlessInProse
	}
	done := 0
	for i := 0; i < len(s); {
		if c := s[i]; i > 0 && i+1 < len(s) && (isLetter(c) || (c < 64 && harmless>>c&1 != 0)) {
			i++
			continue
		}
		how, size := treat(s, i, at)
		if how != keep {
			dst = append(dst, s[done:i]...)
			dst = appendTreated(dst, s[i:i+size], how)
			done = i + size
		}
		i += size
	}
	return append(dst, s[done:]...)
}

// Bit sets of characters below 64 that need no escape inside a text. Together with letters they
// make up most of a text and take the fast path.
const (
	harmlessAnywhere = 0x3FF<<'0' | 1<<' ' | 1<<'!' | 1<<'"' | 1<<'$' | 1<<'%' | 1<<'\'' | 1<<'/' | 1<<';' | 1<<'?'
	harmlessInProse  = 1<<'#' | 1<<'(' | 1<<')' | 1<<'+' | 1<<',' | 1<<'-' | 1<<'.' | 1<<':' | 1<<'=' | 1<<'>'
)

// reserved returns the escaped form of a text that as a whole has another meaning.
func reserved(s string, at place) string {
	switch {
	case s == "":
		return mdEmptyText
	case s == mdEmptyText:
		return `\"\"`
	case s == mdConflict:
		return "&#67;ONFLICT"
	case s == mdNone && at == inList:
		return `\(none)`
	case s == NotApplicable && at == inCell:
		return `N\/A`
	case s == mdElsewhere && at == inCell:
		return "&#8230;"
	}
	return ""
}

func appendTreated(dst []byte, char string, how treatment) []byte {
	switch how {
	case slash:
		return append(append(dst, '\\'), char...)
	case newline:
		return append(dst, "<br>"...)
	case substitute:
		return utf8.AppendRune(dst, utf8.RuneError)
	default:
		r, _ := utf8.DecodeRuneInString(char)
		dst = strconv.AppendInt(append(dst, "&#"...), int64(r), 10)
		return append(dst, ';')
	}
}

// treat returns the treatment and length of the character at s[i].
func treat(s string, i int, at place) (treatment, int) {
	c := s[i]
	switch {
	case c >= utf8.RuneSelf:
		return treatRune(s, i)
	case c == '\n':
		return newline, 1
	case c < ' ' || c == 0x7F:
		return refer, 1
	case c == ' ':
		if i == 0 || i == len(s)-1 {
			return refer, 1
		}
		return keep, 1
	}
	if markup(s, i) || markupAt(s, i, at) {
		return slash, 1
	}
	return keep, 1
}

func treatRune(s string, i int) (treatment, int) {
	r, size := utf8.DecodeRuneInString(s[i:])
	edge := i == 0 || i+size == len(s)
	switch {
	case r == utf8.RuneError && size == 1:
		return substitute, 1
	case text.Invisible(r), edge && unicode.IsSpace(r):
		return refer, size
	}
	return keep, size
}

// markup reports whether the punctuation at s[i] could be markup at any place.
func markup(s string, i int) bool {
	next := byte(0)
	if i+1 < len(s) {
		next = s[i+1]
	}
	switch s[i] {
	case '\\', '`', '*', '~', '|':
		return true
	case '<': // a tag, a comment or an autolink, unlike "p < 0.05"
		return next == '/' || next == '!' || next == '?' || isLetter(next)
	case ']':
		return next == '('
	case '&':
		return entityLength(s[i:]) > 0
	case '_': // within a word, one is harmless and two make bold text
		return next == '_' || (i > 0 && s[i-1] == '_')
	}
	return false
}

// markupAt reports whether the punctuation at s[i] is markup at this place.
func markupAt(s string, i int, at place) bool {
	switch at {
	case inList:
		return s[i] == ','
	case inName:
		rest := s[i:]
		return strings.HasPrefix(rest, mdScore[:len(mdScore)-1]) || strings.HasPrefix(rest, mdKilled) || rest == "#"
	case inKey:
		switch s[i] {
		case ':', '(', ')', '[':
			return true
		case '#', '>', '+', '-', '=': // would begin a block
			return i == 0
		case '.': // a numbered list
			return i > 0 && i < 10 && strings.Trim(s[:i], "0123456789") == ""
		}
	}
	return false
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// entityLength returns the length of an apparent reference at the start of s ("&#10;"), or 0.
func entityLength(s string) int {
	const longest = 34 // the longest HTML entity name has 33 letters
	i := 1
	if i < len(s) && s[i] == '#' {
		i++
	}
	start := i
	for i < len(s) && i < longest && (isLetter(s[i]) || isDigit(s[i])) {
		i++
	}
	if i == start || i == len(s) || s[i] != ';' {
		return 0
	}
	return i + 1
}

// spanEscapes returns the characters that become escapes in the JSON of a code span, even within a
// table: those that could end either. They occur only within JSON strings. Artifacts of the first rules
// escape more, because their bytes are published.
func spanEscapes(rules string) string {
	switch rules {
	case "", "merge/1":
		return "`|<>&"
	}
	return "`|"
}

// appendQuotable writes JSON with invisible characters, and those in also, as escapes. YAML has no
// surrogates, so a wide character gets an eight-digit escape there.
func appendQuotable(dst, json []byte, also string, yaml bool) []byte {
	for i := 0; i < len(json); {
		c := json[i]
		if c < utf8.RuneSelf {
			if c == 0x7F || strings.IndexByte(also, c) >= 0 {
				dst = appendHex(dst, 'u', rune(c), 4)
			} else {
				dst = append(dst, c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(json[i:])
		switch {
		case !text.Invisible(r):
			dst = append(dst, json[i:i+size]...)
		case r < 0x10000:
			dst = appendHex(dst, 'u', r, 4)
		case yaml:
			dst = appendHex(dst, 'U', r, 8)
		default:
			dst = appendHex(dst, 'u', 0xD800+(r-0x10000)>>10, 4)
			dst = appendHex(dst, 'u', 0xDC00+(r-0x10000)&0x3FF, 4)
		}
		i += size
	}
	return dst
}

func appendHex(dst []byte, letter byte, r rune, digits int) []byte {
	dst = append(dst, '\\', letter)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[r>>shift&0xF])
	}
	return dst
}

// plainWord reports whether s needs no escape at any place.
func plainWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '_' && c != '-' {
			return false
		}
	}
	return s != "" && isLetter(s[0]) && !strings.Contains(s, "__")
}

// plainName reports whether a field's name can be its label unescaped.
func plainName(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./ ", r) {
			return false
		}
	}
	return s != "" && s[0] != ' ' && s[len(s)-1] != ' '
}

// readText is the inverse of appendText.
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

// readEscape reads one character, escaped or not, and returns its length in s.
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

// readReference reads the inside of "&…;". A name that people do not type is literal text.
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

// indexPlain returns the index of the first unescaped byte of chars, or -1.
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

func cutPlain(s string, sep string) (before, after string, found bool) {
	i := indexPlain(s, sep)
	if i < 0 {
		return s, "", false
	}
	return trim(s[:i]), trim(s[i+1:]), true
}

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

// readSpan returns the inside of a value that is exactly one code span.
func readSpan(raw string) (string, bool) {
	if len(raw) < 2 || raw[0] != '`' || raw[len(raw)-1] != '`' {
		return "", false
	}
	inside := raw[1 : len(raw)-1]
	return inside, inside != "" && strings.IndexByte(inside, '`') < 0
}

// readStrikes takes all marks of a strike-through off a text, and reports whether they enclose all of its words.
func readStrikes(raw string) (plain string, struck bool) {
	if !strings.Contains(raw, mdStrike) {
		return raw, false
	}
	parts := strings.Split(raw, mdStrike)
	struck = len(parts)%2 == 1
	for i := 0; i < len(parts); i += 2 {
		struck = struck && strings.Trim(parts[i], killSigns) == ""
	}
	return trim(strings.Join(parts, "")), struck
}

func readStruck(raw string) (string, bool) {
	if len(raw) <= 2*len(mdStrike) || !strings.HasPrefix(raw, mdStrike) || !strings.HasSuffix(raw, mdStrike) {
		return raw, false
	}
	return trim(raw[len(mdStrike) : len(raw)-len(mdStrike)]), true
}
