package ui

import (
	"testing"
)

// CleanText keeps lines and tabs and escapes all other control characters.
func TestClean(t *testing.T) {
	const text = "a\tb\r\n\n  c \x1b[2J\u202e\n\n"
	for _, tt := range []struct{ name, got, want string }{
		{"one line", Clean(text), `a\u{9}b\u{d}\n\n  c \u{1b}[2J\u{202e}\n\n`},
		{"text", CleanText(text), "a\tb\\u{d}\n\n  c \\u{1b}[2J\\u{202e}\n\n"},
		{"lines", CleanLines(text, ""), "a\tb\n\n  c \\u{1b}[2J\\u{202e}\n"},
		{"indented", CleanLines(text, "    "), "    a\tb\n\n      c \\u{1b}[2J\\u{202e}\n"},
		{"empty", CleanLines("\r\n", "  "), ""},
		{"invalid UTF-8", Clean("a\x9b31m\ufffd\xffb"), "a\\x{9b}31m\ufffd\\x{ff}b"},
		{"table cell", Columns([][]string{{"a\x1b[2J", "b\nc"}}), "a\\u{1b}[2J  b\\nc\n"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}
