package markdown

import (
	"strings"
	"testing"
)

func TestWithReasoning(t *testing.T) {
	const block = "```delta\n{\"operation\": \"KILL\"}\n```\n"
	for reasoning, texts := range map[string][]string{
		"":                                {"text"},
		" \n":                             {"text"},
		"Maybe.\n\n" + block:              {"", "text", block, `{"prose": "p", "deltas": []}`},
		"a </think> b":                    {"text", block, "", block + "</think>\n" + block},
		"```delta\n{\"never\": 1":         {"text", block, "```"},
		"~~~~\nopen":                      {block, "~~~~\n" + block},
		"<!-- open":                       {block, "--> " + block},
		"<pre>\nopen":                     {block, "</pre>\n" + block},
		"<think>\nand\n</thinking>":       {block, "</think>" + block},
		"<|channel|>final<|message|> now": {block},
		"> quoted\n\n    code":            {block, "    code\n\n" + block},
		"- item\n\n  ```\n  x":            {block, "  " + block},
		"`a":                              {"b` c", block},
		"# Final answer":                  {block},
		"<example>\nx":                    {block, block + "</example>\n"},
	} {
		for _, text := range texts {
			got := WithReasoning(reasoning, text)
			reasoning := strings.TrimSpace(reasoning)
			if !strings.HasSuffix(got, text) || reasoning == "" && got != text {
				t.Fatalf("%q, %q: got %q", reasoning, text, got)
			}
			if got == text {
				continue
			}
			if !readsAlike(got, "<think>\nno\n</think>\n\n"+text, len(text)) {
				t.Errorf("%q changes how %q is read: %q", reasoning, text, got)
			}
			if !strings.Contains(got, reasoning) && !strings.Contains(strings.ReplaceAll(got, "\n> ", "\n"), reasoning) {
				t.Errorf("%q is not in %q", reasoning, got)
			}
		}
	}
}

func FuzzWithReasoning(f *testing.F) {
	f.Add("Maybe.\n\n```delta\n{}\n```", "```delta\n{}\n```\n")
	f.Add("<!-- ", "--> </think> `")
	f.Fuzz(func(t *testing.T, reasoning, text string) {
		got := WithReasoning(reasoning, text)
		if !strings.HasSuffix(got, text) || got != text && !readsAlike(got, "<think>\nno\n</think>\n\n"+text, len(text)) {
			t.Errorf("%q changes how %q is read: %q", reasoning, text, got)
		}
	})
}
