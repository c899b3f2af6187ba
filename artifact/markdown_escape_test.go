package artifact

import (
	"strings"
	"testing"
)

func TestAppendText(t *testing.T) {
	for _, c := range []struct {
		text string
		at   place
		want string
	}{
		// Ordinary prose is unchanged.
		{"Cells (most of them) read §161-§163: \"fate\", it's [inference] – p < 0.05 & R&D", inField, ""},
		{"snake_case and _stress_, a/b, 50%, #1, x = y, 1. one - two + three > four!", inField, ""},
		{"日本語 é 😀 می\u200cخواهم", inField, ""},
		{"N/A", inField, ""},
		{"(none)", inField, ""},
		{"H1", inKey, ""},
		{"likelihood-ratio_2", inKey, ""},
		// Characters that a line cannot contain.
		{"a\nb", inField, "a<br>b"},
		{"a\r\nb\tc\x00", inField, "a&#13;<br>b&#9;c&#0;"},
		{" a ", inField, "&#32;a&#32;"},
		{" ", inField, "&#32;"},
		{"\u00a0a\u3000", inField, "&#160;a&#12288;"},
		{"a\u202eb\u2028c\ufeffd\u0085e", inField, "a&#8238;b&#8232;c&#65279;d&#133;e"},
		{"tag\U000e0041", inField, "tag&#917569;"},
		{"bad\xffbyte", inField, "bad\ufffdbyte"},
		// Markup.
		{"*a* `b` ~c~ d|e \\", inField, "\\*a\\* \\`b\\` \\~c\\~ d\\|e \\\\"},
		{"__init__", inField, `\_\_init\_\_`},
		{"<b>x</b><!--y--><?z?>", inField, `\<b>x\</b>\<!--y-->\<?z?>`},
		{"<br>", inField, `\<br>`},
		{"[x](y) ![z](w)", inField, `[x\](y) ![z\](w)`},
		{"&amp; &#10; &x", inField, `\&amp; \&#10; &x`},
		// Reserved values.
		{"", inField, `""`},
		{`""`, inField, `\"\"`},
		{"CONFLICT", inField, "&#67;ONFLICT"},
		{"CONFLICTS", inField, ""},
		{"(none)", inList, `\(none)`},
		{"N/A", inCell, `N\/A`},
		{"…", inCell, "&#8230;"},
		// Places.
		{"a, b", inList, `a\, b`},
		{"x (Score: 9/12)", inName, `x \(Score: 9/12)`},
		{"x [KILLED]", inName, `x \[KILLED]`},
		{"C #", inName, `C \#`},
		{"a: (b)", inKey, `a\: \(b\)`},
		{"[x]: y", inKey, `\[x]\: y`},
		{"# x", inKey, `\# x`},
		{"- x", inKey, `\- x`},
		{"12. x", inKey, `12\. x`},
	} {
		want := c.want
		if want == "" {
			want = c.text
		}
		got := string(appendText(nil, c.text, c.at))
		if got != want {
			t.Errorf("appendText(%q, %d) = %q, want %q", c.text, c.at, got, want)
		}
		if back := readText(got); back != strings.ToValidUTF8(c.text, "\ufffd") {
			t.Errorf("readText(%q) = %q, want %q", got, back, c.text)
		}
	}
}

// Hand-written markup is understood, too.
func TestReadText(t *testing.T) {
	for raw, want := range map[string]string{
		"a<br/>b<br />c":                       "a\nb\nc",
		`C:\dir\n`:                             `C:\dir\n`,
		"&lt;&amp;&gt;":                        "<&>",
		"&#x41;&#65;":                          "AA",
		"&copy; &#xD800; &#99999999; &#; &#x;": "&copy; &#xD800; &#99999999; &#; &#x;",
		"**bold** `code` <i>":                  "**bold** `code` <i>",
		`end\`:                                 `end\`,
	} {
		if got := readText(raw); got != want {
			t.Errorf("readText(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestAppendSpan(t *testing.T) {
	v := MapOf(Entry{"a|b", List{Text("`<&>"), Number(0.5), Null{}, Text("\u2028\u202e\x7f\U000e0041é")}})
	want := `{"a\u007cb":["\u0060\u003c\u0026\u003e",0.5,null,"\u2028\u202e\u007f\udb40\udc41é"]}`
	got := appendQuotable(nil, Canonical(v), spanEscapes("merge/1"), false)
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if later := appendQuotable(nil, Canonical(Text("`<&>|")), spanEscapes("merge/2"), false); string(later) != `"\u0060<&>\u007c"` {
		t.Errorf("by later rules: %s", later)
	}
	back, err := ParseValue(got, MaxDepth)
	if err != nil || !Equal(back, v) {
		t.Errorf("got back %v, %v", back, err)
	}
}

func TestPlainYAML(t *testing.T) {
	for _, s := range []string{"RS-20251230-x", "merge/1", "GPT-5.2", "Opus 4.5", "2025-12-30T12:00:00Z", "a@b.c"} {
		if !plainYAML(s) {
			t.Errorf("%q should be plain", s)
		}
	}
	for _, s := range []string{
		"", "null", "Yes", "off", "N", "1", "1.5", "1e3", "0x1", "2025-12-30", "12:30:00", "-", "- a", "a: b", "a:b", "a #b", " a", "a ",
		"~", "{}", "[", "*a", "&a", "!a", "%a", "@a", "`a", "'a'", "\"a\"", "a\nb", "é", "<<", "=", "---", "...", "?", ".inf",
	} {
		if plainYAML(s) {
			t.Errorf("%q should be quoted", s)
		}
	}
}
