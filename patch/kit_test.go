package patch

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func text(t testing.TB, s string) *Text {
	t.Helper()
	out, problems := NewText([]byte(s))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return out
}

// patchOf returns a patch of one operation for a base.
func patchOf(base *Text, anchor string, op Op) Patch {
	return Patch{Base: base.Hash(), Groups: []Group{{Anchor: Anchor{Text: anchor, Mode: Exact}, Ops: []Op{op}}}}
}

func codes(problems []Problem) string {
	var all []string
	for _, p := range problems {
		all = append(all, string(p.Code))
	}
	return strings.Join(all, " ")
}

// lineText draws texts of few different lines, so that anchors repeat, with any line ends
// and byte order marks.
func lineText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		line := rapid.SampledFrom([]string{"", " ", "a", "b", "x = 1", "é", "e\u0301", "word word", "\t", "\u200b", "日本", "a\u00a0b"})
		end := rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\r", "", bom})
		var b strings.Builder
		if rapid.Bool().Draw(t, "mark") {
			b.WriteString(bom)
		}
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			b.WriteString(line.Draw(t, "line"))
			b.WriteString(end.Draw(t, "end"))
		}
		return b.String()
	})
}

// anyText draws lines, long words, or any string.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		lineText(),
		lineText(),
		rapid.StringOf(rapid.RuneFrom([]rune("ab \n"))),
		rapid.String(),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(rapid.SampledFrom([]string{"a", "ab ", "word of text ", "x\n", "é"}).Draw(t, "unit"), rapid.IntRange(0, 400).Draw(t, "times")) +
				rapid.SampledFrom([]string{"", "a", "\n", "end"}).Draw(t, "end")
		}),
	)
}
