package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mode is where external text is shown or sent, which decides what it may contain.
type Mode int

// The modes.
const (
	// TerminalLine is one line of a terminal: every character that could move the cursor or alter
	// the display is escaped (\n, \u{1b}, \x{ff}).
	TerminalLine Mode = iota
	// TerminalText is TerminalLine, but keeps line ends and tabs.
	TerminalText
	// PromptLine is one line of a message to an agent: line ends are shown as ⏎, hidden characters
	// as their number ([U+202E]), and HTML is escaped with a backslash. Everything else is kept,
	// because agents quote what they read. The caller must put a prefix in front, so that #, >, -
	// and fences have no effect.
	PromptLine
	// PromptText is text of several lines in a message to an agent. Every kind of line end
	// becomes a newline, and hidden characters are marked as in PromptLine.
	PromptText
	// Words is one line of printable words separated by single spaces.
	Words
	// Printable replaces each unprintable character with U+FFFD.
	Printable
	// Output is the output of a program without escape sequences and unprintable characters.
	Output
)

// Clean returns external text as it may be shown or sent.
func Clean(s string, mode Mode) string {
	switch mode {
	case PromptLine:
		return prompt(strings.TrimSpace(s), true)
	case PromptText:
		return prompt(strings.TrimPrefix(s, "\ufeff"), false)
	case Words:
		return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\ufffd"), separates), " ")
	case Printable:
		return strings.Map(printable, s)
	case Output:
		return output(s)
	case TerminalText:
		return escape(s, "\n\t")
	default:
		return escape(s, "")
	}
}

// Hidden reports whether a character is invisible or changes how its neighbours are shown: it can
// carry words that a model reads and a person does not. The two joiners and the emoji variation
// selectors are not hidden, because scripts and emoji need them.
func Hidden(r rune) bool {
	return Invisible(r) || 0xFE00 <= r && r <= 0xFE0D || 0xE0100 <= r && r <= 0xE01EF
}

// Invisible is Hidden without the variation selectors: controls, line separators, direction marks,
// tags, byte order marks and noncharacters.
func Invisible(r rune) bool {
	switch {
	case r < 0x20, 0x7F <= r && r < 0xA0, r == 0xAD:
		return true
	case r < 0x600, r == 0x200C, r == 0x200D:
		return false
	case r == 0x2028, r == 0x2029, r&0xFFFE == 0xFFFE, 0xFDD0 <= r && r <= 0xFDEF:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// prompt returns text for an agent. Most text is unchanged.
func prompt(s string, oneLine bool) string {
	if stays(s, oneLine) {
		return s
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	slashes := 0 // backslashes right before i: an odd number already escapes
	for i, r := range s {
		switch {
		case endsLine(r) && oneLine:
			b.WriteString(" ⏎ ")
		case endsLine(r):
			b.WriteByte('\n')
		case r == '\t' && oneLine:
			b.WriteByte(' ')
		case r != '\t' && Hidden(r):
			fmt.Fprintf(&b, "[U+%04X]", r)
		case oneLine && r == '<' && slashes%2 == 0 && opensTag(s[i+1:]):
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

// stays reports whether prompt would leave the text unchanged.
func stays(s string, oneLine bool) bool {
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == '<':
			if oneLine {
				return false
			}
		case ' ' <= r && r < 0x7F:
		case r == utf8.RuneError || Hidden(r): // RuneError may stand for an invalid byte
			return false
		}
	}
	return true
}

// endsLine reports whether some reader treats r as the end of a line.
func endsLine(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// opensTag reports whether the text after a "<" makes it HTML or a link, unlike "p < 0.05".
func opensTag(rest string) bool {
	if rest == "" {
		return false
	}
	c := rest[0]
	return c == '/' || c == '!' || c == '?' || ('a' <= c|0x20 && c|0x20 <= 'z')
}

func separates(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return utf8.RuneError
}

// escape escapes the characters of s that are neither printable nor in keep.
func escape(s, keep string) string {
	bad := func(r rune) bool { return !unicode.IsPrint(r) && !strings.ContainsRune(keep, r) }
	if !strings.ContainsFunc(s, bad) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)): // a byte that some terminals interpret
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

// output removes from a program's output what could deceive a terminal.
func output(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\x1b':
			n = sequence(s[i:])
		case r == '\n' || r == '\t' || unicode.IsPrint(r) && r != utf8.RuneError:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// sequence returns the length of an escape sequence: ESC [ … letter, ESC ] … BEL, or ESC and one.
func sequence(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= '@' && s[i] <= '~' {
				return i + 1
			}
		}
		return len(s)
	case ']':
		if i := strings.IndexByte(s, '\a'); i >= 0 {
			return i + 1
		}
		return 2
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	return 1 + n
}

// Some returns the first of many names, cleaned, and how many more there are.
func Some(names []string) string { return FirstOf(names, 5) }

// FirstOf returns at most so many names, cleaned, and how many more there are.
func FirstOf(names []string, most int) string {
	text := Clean(strings.Join(names[:min(len(names), most)], ", "), TerminalLine)
	if more := len(names) - most; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}
