package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"brenner/internal/text"
)

func TestClean(t *testing.T) {
	const (
		hidden = "a\U000e0041\u202eb\u200bc\ufe00d" // a tag, a direction, no width, a variant
		lines  = " a\n\tb\r\nc\u2028d "
		bytes  = "\ufeffa\x00\x1b[31mb\xff\xfec"
		html   = `p < 0.05 <b> \<i>`
	)
	for _, c := range []struct {
		name string
		mode text.Mode
		want [4]string // of the texts above
	}{
		{"TerminalLine", text.TerminalLine, [4]string{
			`a\u{e0041}\u{202e}b\u{200b}c` + "\ufe00d", ` a\n\u{9}b\u{d}\nc\u{2028}d `, `\u{feff}a\u{0}\u{1b}[31mb\x{ff}\x{fe}c`, html,
		}},
		{"TerminalText", text.TerminalText, [4]string{
			`a\u{e0041}\u{202e}b\u{200b}c` + "\ufe00d", " a\n\tb" + `\u{d}` + "\nc" + `\u{2028}d `, `\u{feff}a\u{0}\u{1b}[31mb\x{ff}\x{fe}c`, html,
		}},
		{"PromptLine", text.PromptLine, [4]string{
			"a[U+E0041][U+202E]b[U+200B]c[U+FE00]d", "a ⏎  b ⏎ c ⏎ d", "[U+FEFF]a[U+0000][U+001B][31mb\ufffdc", `p < 0.05 \<b> \<i>`,
		}},
		{"PromptText", text.PromptText, [4]string{
			"a[U+E0041][U+202E]b[U+200B]c[U+FE00]d", " a\n\tb\nc\nd ", "a[U+0000][U+001B][31mb\ufffdc", html,
		}},
		{"Words", text.Words, [4]string{"a b c\ufe00d", "a b c d", "a [31mb\ufffdc", html}},
		{"Printable", text.Printable, [4]string{
			"a\ufffd\ufffdb\ufffdc\ufe00d", " a\ufffd\ufffdb\ufffd\ufffdc\ufffdd ", "\ufffda\ufffd\ufffd[31mb\ufffd\ufffdc", html,
		}},
		{"Output", text.Output, [4]string{"abc\ufe00d", " a\n\tb\ncd ", "abc", html}},
	} {
		for i, s := range []string{hidden, lines, bytes, html} {
			if got := text.Clean(s, c.mode); got != c.want[i] {
				t.Errorf("%s of %q: got %q, want %q", c.name, s, got, c.want[i])
			}
		}
	}
}

func TestCleanKeepsOrdinaryText(t *testing.T) {
	const ordinary = "p < 0.05, a<3, x*y, `code`, naïve, 中文, § 161"
	for mode := text.TerminalLine; mode <= text.Output; mode++ {
		if got := text.Clean(ordinary, mode); got != ordinary {
			t.Errorf("mode %d: got %q, want %q", mode, got, ordinary)
		}
	}
	const lines = "a\n\n\tb 👩\u200d🔬 ❤\ufe0f \u0646\u200c\u0647\n"
	if got := text.Clean(lines, text.PromptText); got != lines {
		t.Errorf("PromptText: got %q, want %q", got, lines)
	}
}

// Prompts show every character, and cleaning is idempotent.
func TestPromptsShowEveryCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		for _, mode := range []text.Mode{text.PromptLine, text.PromptText} {
			got := text.Clean(s, mode)
			hidden := func(r rune) bool { return text.Hidden(r) && (mode == text.PromptLine || r != '\n' && r != '\t') }
			if strings.ContainsFunc(got, hidden) || !utf8.ValidString(got) {
				t.Fatalf("mode %d of %q hides something: %q", mode, s, got)
			}
			if again := text.Clean(got, mode); again != got {
				t.Fatalf("mode %d of %q: got %q, then %q", mode, s, got, again)
			}
		}
	})
}
