package view

import (
	"strings"
	"testing"
)

func TestInert(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"prose", "p < 0.05, a<3, x*y, `code`, § 161", "p < 0.05, a<3, x*y, `code`, § 161"},
		{"surrounding space", " \t a b \n", "a b"},
		{"line ends", "a\nb\r\nc\rd\u2028e\u0085f\vg\fh", "a ⏎ b ⏎ c ⏎ d ⏎ e ⏎ f ⏎ g ⏎ h"},
		{"tabs", "a\tb", "a b"},
		{"controls", "a\x00\x1b[2J\x7f", "a[U+0000][U+001B][2J[U+007F]"},
		{"invisible characters", "a\U000e0041\u202eb\u200bc\ufe00d", "a[U+E0041][U+202E]b[U+200B]c[U+FE00]d"},
		{"joiners and emoji", "\u0646\u200c\u0647 👩\u200d🔬 ❤\ufe0f", "\u0646\u200c\u0647 👩\u200d🔬 ❤\ufe0f"},
		{"invalid bytes", "a\xff\xfeb", "a\ufffdb"},
		{"tags", "<b> </b> <!-- --> <?x?> <http://x.y>", `\<b> \</b> \<!-- --> \<?x?> \<http://x.y>`},
		{"tags after backslashes", `\<b> \\<b> \\\<b>`, `\<b> \\\<b> \\\<b>`},
		{"a fence inside", "x ```go", "x ```go"},
		{"empty", "", ""},
	} {
		if got := inert(tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"short", 5, "short"},
		{"longer", 5, "long…"},
		{"ab cd ef", 4, "ab…"},
		{"中中中中", 4, "中中中中"},
		{"中中中中中", 4, "中中中…"},
		{strings.Repeat(" ", 3) + "word", 4, "word"},
		{strings.Repeat("x", 1<<20), 3, "xx…"},
		{"\x00\x00", 5, "[U+0…"},
		{"", 5, ""},
	} {
		if got := cut(tt.text, tt.most); got != tt.want {
			t.Errorf("%.20q at %d: %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}

func TestWord(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"H1", "H1"},
		{"potency_check", "potency_check"},
		{"d-8f0e.2", "d-8f0e.2"},
		{"Zoë", "Zoë"},
		{"", `""`},
		{"# x", `"# x"`},
		{"- x", `"- x"`},
		{"1.", `"1."`},
		{"a b", `"a b"`},
		{"> q\n```", "\"> q\\n```\""},
		{`<b>"`, `"\<b>\""`},
		{strings.Repeat("a", 65), `"` + strings.Repeat("a", 63) + `…"`},
	} {
		if got := Word(tt.name); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestRanges(t *testing.T) {
	for _, tt := range []struct{ ids, want string }{
		{"", ""},
		{"A1", "A1"},
		{"A1 A2", "A1, A2"},
		{"A3 A1 A2", "A1-A3"},
		{"A1 A2 A4 A5 A6 A9", "A1, A2, A4-A6, A9"},
		{"A2 nonsense A1 A3", "nonsense, A1-A3"},
	} {
		var got []string
		items := 0
		for _, r := range ranges(4, strings.Fields(tt.ids)) {
			got, items = append(got, r.name), items+r.items
		}
		if all := strings.Join(got, ", "); all != tt.want || items != len(strings.Fields(tt.ids)) {
			t.Errorf("%s: %s of %d items, want %s", tt.ids, all, items, tt.want)
		}
	}
}
