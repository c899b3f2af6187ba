package ui

import (
	"testing"
)

// A text keeps its lines and tabs, and nothing else that is no letter of it.
func TestCleanTexts(t *testing.T) {
	const text = "a\tb\r\n\n  c \x1b[2J\u202e\n\n"
	for _, tt := range []struct{ name, got, want string }{
		{"one line", Clean(text), `a\u{9}b\u{d}\n\n  c \u{1b}[2J\u{202e}\n\n`},
		{"as it is", CleanText(text), "a\tb\\u{d}\n\n  c \\u{1b}[2J\\u{202e}\n\n"},
		{"lines", CleanLines(text, ""), "a\tb\n\n  c \\u{1b}[2J\\u{202e}\n"},
		{"indented", CleanLines(text, "    "), "    a\tb\n\n      c \\u{1b}[2J\\u{202e}\n"},
		{"nothing", CleanLines("\r\n", "  "), ""},
		{"no UTF-8", Clean("a\x9b31m\ufffd\xffb"), "a\\x{9b}31m\ufffd\\x{ff}b"},
		{"a cell", Columns([][]string{{"a\x1b[2J", "b\nc"}}), "a\\u{1b}[2J  b\\nc\n"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q", tt.name, tt.got)
		}
	}
}
