package patch

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// An anchor that looks right but does not match is never applied; the problem names the
// difference and its line.
func TestNearMissesOfAnchorsAreExplained(t *testing.T) {
	for _, c := range []struct {
		name, base, anchor string
		line               int
		kind, text, patch  string
	}{
		{"no-break space in the base", "one\ndef f(a,\u00a0b):\n", "def f(a, b):\n", 2, "character", "U+00A0 (no-break space)", "U+0020 (space)"},
		{"no-break space in the patch", "one\ndef f(a, b):\n", "def f(a,\u00a0b):\n", 2, "character", "U+0020 (space)", "U+00A0 (no-break space)"},
		{"zero width in the base", "one\nal\u200bpha\n", "alpha\n", 2, "character", "U+200B (zero width space)", "U+0070 (p)"},
		{"zero width in the patch", "one\nalpha\n", "al\u2060pha\n", 2, "character", "U+0070 (p)", "U+2060 (word joiner)"},
		{"decomposed", "one\n\ncafe\u0301\n", "café\n", 3, "character", "U+0065 (e) U+0301 (combining mark)", "U+00E9 (é)"},
		{"quotes", "x\nsay “hi” now\n", "say \"hi\" now", 2, "character", "U+201C (typographic quotation mark)", "U+0022 (quotation mark)"},
		{"dash", "x\ny\n10–20 nm\n", "10-20 nm", 3, "character", "U+2013 (en dash)", "U+002D (hyphen-minus)"},
		{"ellipsis", "x\nand so on…\n", "so on...", 2, "character", "U+2026 (ellipsis)", "U+002E (.)"},
		{"tab for spaces", "a\n\treturn x\n", "a\n    return x\n", 1, "whitespace", "1 line end + 1 tab", "1 line end + 4 spaces"},
		{"trailing space in the patch", "one\ntwo\n", "one \ntwo", 1, "whitespace", "1 line end", "1 space + 1 line end"},
		{"trailing space in the base", "one  \ntwo\n", "one\ntwo", 1, "whitespace", "2 spaces + 1 line end", "1 line end"},
		{"missing space", "if (x){\n", "if(x) {", 1, "whitespace", "1 space", "no whitespace"},
		{"leading space in the patch", "one\nalpha\n", "\n  alpha\n", 1, "whitespace", "1 line end", "1 line end + 2 spaces"},
		{"trailing space at the end", "one\nalpha\nbeta\n", "alpha \n", 2, "whitespace", "1 line end", "1 space + 1 line end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := text(t, c.base)
			p := patchOf(base, c.anchor, Op{Kind: DeleteBlock, Old: "whatever"})
			_, r := p.Apply(base)
			if codes(r.Problems) != "ANCHOR_NOT_FOUND" || len(r.Problems[0].Near) != 1 {
				t.Fatalf("%v", r.Err())
			}
			n := r.Problems[0].Near[0]
			if n.Line != c.line || n.Kind != c.kind || n.Text != c.text || n.Patch != c.patch {
				t.Errorf("%+v\n%s", n, r.Problems[0].Message)
			}
			if r.Problems[0].Line != c.line || !strings.Contains(r.Problems[0].Message, c.text) {
				t.Errorf("%+v", r.Problems[0])
			}
			if hint := strings.Contains(r.Problems[0].Hint, IgnoreWhitespace); hint != (c.kind == "whitespace") {
				t.Errorf("hint: %s", r.Problems[0].Hint)
			}
		})
	}
}

func TestNearMissesOfBlocksAreExplained(t *testing.T) {
	for _, c := range []struct{ name, block, want string }{
		{"no-break space", "be\u00a0ta", "U+00A0"},
		{"spaces inside", "be  ta", "2 spaces"},
		{"joined", "beta", "no whitespace"},
	} {
		base := text(t, "alpha\nbe ta\n")
		p := patchOf(base, "alpha\n", Op{Kind: DeleteBlock, Old: c.block})
		_, r := p.Apply(base)
		if codes(r.Problems) != "BLOCK_NOT_ADJACENT" || !strings.Contains(r.Problems[0].Message, c.want) || r.Problems[0].Near[0].Line != 2 {
			t.Errorf("%s: %v", c.name, r.Err())
		}
	}
	base := text(t, "alpha\n  beta\n")
	p := patchOf(base, "alpha", Op{Kind: DeleteBlock, Old: "beta"})
	if _, r := p.Apply(base); r.Problems[0].Gap != 3 || !strings.Contains(r.Problems[0].Hint, "1 line end + 2 spaces") {
		t.Errorf("%+v", r.Problems[0])
	}
	p = patchOf(text(t, "alpha"), "alpha", Op{Kind: DeleteBlock, Old: "beta"})
	if _, r := p.Apply(text(t, "alpha")); !strings.Contains(r.Problems[0].Message, "the text ends there") {
		t.Errorf("%+v", r.Problems[0])
	}
}

func TestPartialMatchOfAnchorIsExplained(t *testing.T) {
	base := text(t, "one\ndef handle(request):\n    return 1\n")
	p := patchOf(base, "def handle(reply):\n", Op{Kind: DeleteBlock, Old: "x"})
	_, r := p.Apply(base)
	if got := r.Problems[0]; got.Line != 2 || !strings.Contains(got.Message, "first 13 characters are at line 2") {
		t.Errorf("%+v", got)
	}
}

func TestAmbiguousAnchorWarningListsLines(t *testing.T) {
	base := text(t, strings.Repeat("x = 1\n", 30))
	for mode, anchor := range map[string]string{Exact: "x = 1\n", IgnoreWhitespace: "x=1"} {
		p := patchOf(base, anchor, Op{Kind: ReplaceBlock, Old: "x", New: "y"})
		p.Groups[0].Anchor.Mode = mode
		_, r := p.Apply(base)
		if codes(r.Warnings) != "AMBIGUOUS_ANCHOR" || r.Warnings[0].Found != 30 || !strings.Contains(r.Warnings[0].Message, "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, and 20 more") {
			t.Errorf("%s: %+v, %v", mode, r.Warnings, r.Err())
		}
		p.Groups[0].Ops[0].Index = 2
		if _, r = p.Apply(base); len(r.Warnings) > 0 {
			t.Errorf("%v", r.Warnings)
		}
	}
}

// The fast path of fold for plain characters agrees with the slow one.
func TestFoldFastPathAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "bc", " ", "\t", "\n", "\u00a0", "\u200b", "e\u0301", "é", "–", "…", "\v", "漢"})).Draw(t, "s"), "")
		for _, bare := range []bool{false, true} {
			f := fold(s, bare)
			want, at := "", []int{}
			for i := 0; i < len(s); {
				n, out := segment(s[i:])
				for _, r := range out {
					if zeroWidth(r) || bare && unicode.IsSpace(r) {
						continue
					}
					one := string(r)
					if r >= utf8.RuneSelf {
						one = lookAlike(r)
					}
					want += one
					at = append(at, i)
				}
				i += n
			}
			if f.text != want {
				t.Fatalf("%q: got %q, want %q", s, f.text, want)
			}
			offset := 0
			for k, r := range []rune(f.text) {
				if got := f.place(offset); k < len(at) && len([]rune(want)) == len(at) && got != at[k] {
					t.Fatalf("%q: character %d is at %d, want %d", s, k, got, at[k])
				}
				offset += utf8.RuneLen(r)
			}
		}
	})
}
