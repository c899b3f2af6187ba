package govern

import (
	"strings"
	"testing"
)

func TestSunk(t *testing.T) {
	for in, want := range map[string]string{
		"# A\n\ntext":                    "### A\n\ntext",
		"##### deep":                     "###### deep",
		"#hashtag":                       "#hashtag",
		"```\n# code\n```\n# A":          "```\n# code\n```\n### A",
		"~~~\n# code\n```\n~~~\n# A":     "~~~\n# code\n```\n~~~\n### A",
		"````\n```\n# code\n````\n# A":   "````\n```\n# code\n````\n### A",
		"```go\n# swallowed":             "```go\n# swallowed\n```",
		"Title\n=====\ntext":             "### Title\ntext",
		"Two\nlines\n---\ntext":          "#### Two lines\ntext",
		"- item\n---\ntext\n\n---\nmore": "- item\n---\ntext\n\n---\nmore",
		"a\n\n    # code":                "a\n\n    # code",
	} {
		if got := sunk(in, 2); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// Whatever a text is, a fence of it never reaches beyond it, and no heading of it is
// above ours.
func FuzzSunk(f *testing.F) {
	for _, seed := range []string{"", "# a", "```", "~~~\n```", "a\n=", "a\n-", "````\n```\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		open := ""
		for line := range strings.SplitSeq(sunk(text, 2), "\n") {
			bare := strings.TrimLeft(line, " ")
			if len(line)-len(bare) > 3 {
				continue
			}
			mark := fenceOf(bare)
			switch {
			case open == "" && mark != "":
				open = mark
			case open != "" && strings.HasPrefix(mark, open) && strings.TrimSpace(bare[len(mark):]) == "":
				open = ""
			case open == "" && atx(bare) > 0 && atx(bare) < 3:
				t.Errorf("%q: %q", text, line)
			}
		}
		if open != "" {
			t.Errorf("%q leaves %s open", text, open)
		}
	})
}
