package inset

import "testing"

func TestBelow(t *testing.T) {
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
		"- a\n  ```\n  b\n  ```\nc":      "- a\n  ```\n  b\n  ```\nc",
		"- ```\n  ```\n  ```\nc":         "- ```\n  ```\n  ```\nc",
		"- ```\n  a":                     "- ```\n  a",
		"- a\nb\n  ```\nc":               "- a\nb\n```\nc\n```",
		"  a\n  ```\n  b\n    ```":       "a\n```\n  b\n    ```\n```",
		"a\r~~~\rb":                      "a\n~~~\nb\n~~~",
		"a\n\nSource: brief@v1\n\nb":     "a\n\n> Source: brief@v1\n\nb",
		" **source:** x":                 "> **source:** x",
		"Source *:* x":                   "> Source *:* x",
		"Sources of error\nopen source":  "Sources of error\nopen source",
		"```\nSource: x\n```":            "```\nSource: x\n```",
		"* Source: x\n  ```\na":          "> * Source: x\n```\na\n```",
		"~~~\n~~~\u00a0\n# code":         "~~~\n~~~\u00a0\n# code\n~~~",
	} {
		if got := Below(in, 2); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
