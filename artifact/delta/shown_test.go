package delta

import (
	"fmt"
	"strings"
	"testing"
)

// A delta block that is only shown is reported with its line and the reason.
func TestReadReportsShownBlocks(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"quoted", "> ```delta\n> {}\n> ```\n", "1 quoted"},
		{"quoted, then meant", "> ```delta\n> {}\n```delta\n{}\n```\n", "1 quoted, 3"},
		{"quoted in a list", "- a\n  > ```delta\n  > {}\n", "2 quoted"},
		{"nested in a longer fence", "````markdown\n```delta\n{}\n```\n````\n", "2 nested"},
		{"nested in another fence", "~~~\n```delta\n{}\n```\n~~~\n", "2 nested"},
		{"in a comment", "<!--\n```delta\n{}\n```\n-->\n", "2 commented"},
		{"in the last line of a comment", "<!--\n```delta -->\n", "2 commented"},
		{"in pre", "<pre>\n```delta\n{}\n```\n</pre>\n", "2 commented"},
		{"comment never ends", "<!--\n\n```delta\n{}\n```\n", "3 commented"},
		{"another word", "```deltablock\n{}\n```\n", "1 normalised"},
		{"indented too far", "    ```delta\n    {}\n    ```\n", "1"},
		{"indented in a paragraph", "words\n    ```delta\n    {}\n", "2 repaired truncated"},
		{"too deep", strings.Repeat("- ", 40) + "```delta\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, b := range Read([]byte(c.src), Options{}).Blocks {
				text := fmt.Sprint(b.Line)
				for _, f := range b.Flags {
					text += " " + f.Name
				}
				got = append(got, text)
			}
			if got := strings.Join(got, ", "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
