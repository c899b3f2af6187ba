package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text from outside fit for a terminal: no control characters that could
// move the cursor or change what stands there, except those to keep. Without any to
// keep it is one line.
func Clean(s, keep string) string {
	bad := func(r rune) bool { return !unicode.IsPrint(r) && r != ' ' && !strings.ContainsRune(keep, r) }
	if !strings.ContainsFunc(s, bad) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)): // a byte that some terminals obey
			fmt.Fprintf(&b, `\x{%x}`, s[i])
		case !bad(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// Some names the first of many things, cleaned, and how many more there are.
func Some(names []string) string {
	const most = 5
	text := Clean(strings.Join(names[:min(len(names), most)], ", "), "")
	if more := len(names) - most; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}
