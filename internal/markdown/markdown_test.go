package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// found formats the blocks of a text, without the prose.
func found(src string) string {
	var out []string
	for b := range Blocks([]byte(src), First) {
		word := "other"
		switch {
		case b.Kind == Prose:
			continue
		case b.Kind == Verbatim:
			word = "verbatim"
		case b.Fence.Is("delta"):
			word = fmt.Sprintf("delta %q", strings.TrimSpace(src[b.Start:b.End]))
		case b.Fence.Is("", "json"):
			word = "loose"
		}
		switch {
		case b.Quoted:
			word = "quoted"
		case b.Kind == Fenced && !b.Closed:
			word += " open"
		}
		out = append(out, fmt.Sprintf("%d %s", b.Line, word))
	}
	return strings.Join(out, ", ")
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"plain", "```delta\n{}\n```\n", `1 delta "{}"`},
		{"tildes", "~~~delta\n{}\n~~~\n", `1 delta "{}"`},
		{"long fence", "`````delta\n```\n`````\n", "1 delta \"```\""},
		{"longer close", "```delta\n{}\n``````\n", `1 delta "{}"`},
		{"shorter close", "````delta\n```\n", "1 delta \"```\" open"},
		{"indented", "   ```delta\n   {}\n   ```\n", `1 delta "{}"`},
		{"indented too far", "    ```delta\n    {}\n    ```\n", ""},
		{"indented in a paragraph", "words\n    ```delta\n    {}\n", ""},
		{"case", "```DELTA\n{}\n```\n", `1 delta "{}"`},
		{"space before the word", "```  delta\n{}\n```\n", `1 delta "{}"`},
		{"attributes", "```delta {#x .y}\n{}\n```\n", `1 delta "{}"`},
		{"json behind", "```delta json\n{}\n```\n", `1 delta "{}"`},
		{"braces", "```{.delta}\n{}\n```\n", `1 delta "{}"`},
		{"another word", "```deltablock\n{}\n```\n", "1 other"},
		{"crlf", "```delta\r\n{}\r\n```\r\n", `1 delta "{}"`},
		{"byte order mark", "\ufeff```delta\n{}\n```\n", `1 delta "{}"`},
		{"no close", "```delta\n{}", `1 delta "{}" open`},
		{"right after a paragraph", "words\n```delta\n{}\n```\nwords", `2 delta "{}"`},
		{"backtick in the info", "```delta `x`\n{}\n", ""},
		{"colons", ":::delta\n{}\n:::\n", `1 delta "{}"`},
		{"colons with a space and more", "::::  Delta {#x}\n{}\n::::\n", `1 delta "{}"`},
		{"colons without delta", ":::note\n```delta\n{}\n```\n:::\n", `2 delta "{}"`},
		{"json", "```json\n{}\n```\n", `1 loose`},
		{"no word", "```\n{}\n```\n", `1 loose`},
		{"quoted", "> ```delta\n> {}\n> ```\n", "1 quoted"},
		{"quoted, then meant", "> ```delta\n> {}\n```delta\n{}\n```\n", `1 quoted, 3 delta "{}"`},
		{"quoted in a list", "- a\n  > ```delta\n  > {}\n", "2 quoted"},
		{"in a list item", "- a\n\n  ```delta\n  {}\n  ```\n", `3 delta "{}"`},
		{"on the marker's line", "1. ```delta\n   {}\n   ```\n", `1 delta "{}"`},
		{"behind a tab", "-\t```delta\n\t{}\n\t```\n", `1 delta "{}"`},
		{"item ends", "- ```delta\n  {}\nwords\n", `1 delta "{}" open`},
		{"nested in a longer fence", "````markdown\n```delta\n{}\n```\n````\n", "1 other"},
		{"nested in another fence", "~~~\n```delta\n{}\n```\n~~~\n", "1 loose"},
		{"in a comment", "<!--\n```delta\n{}\n```\n-->\n", "1 verbatim"},
		{"after a comment", "<!-- x -->\n```delta\n{}\n```\n", `1 verbatim, 2 delta "{}"`},
		{"in pre", "<pre>\n```delta\n{}\n```\n</pre>\n", "1 verbatim"},
		{"comment never ends", "<!--\n\n```delta\n{}\n```\n", "1 verbatim"},
		{"too deep", strings.Repeat("- ", 40) + "```delta\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := found(c.src); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if strings.Contains(c.src, ":::") || c.name == "braces" || c.name == "byte order mark" || c.name == "too deep" {
				return // not defined by CommonMark
			}
			want, _ := goldmarkFences([]byte(c.src))
			got, _ := scannedFences([]byte(c.src))
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("goldmark -, ours +:\n%s", d)
			}
		})
	}
}
