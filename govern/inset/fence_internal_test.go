package inset

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// trailer is the line that a snapshot puts after a page.
const trailer = "Source: brief/001@v1"

// flawOf returns the flaw of a snapshot page as goldmark parses it, or "": tags and comments, a
// heading above the level of ours, or a trailer that is not a paragraph.
func flawOf(src []byte, level int) string {
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(src))
	wrong := ""
	_ = ast.Walk(root, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.HTMLBlock, *ast.RawHTML:
			wrong = "has HTML"
		case *ast.Heading:
			if n.Level < level && n.Parent() == root && byHashes(src, n) {
				wrong = "has a heading above our level"
			}
		}
		return ast.WalkContinue, nil
	})
	last, ok := root.LastChild().(*ast.Paragraph)
	if !ok || string(last.Lines().Value(src)) != trailer {
		wrong = "swallows the trailer"
	}
	return wrong
}

// byHashes reports whether a heading begins with hashes. Some underlined headings are not
// demoted, since they could also be something else.
func byHashes(src []byte, n *ast.Heading) bool {
	if n.Lines().Len() == 0 {
		return true
	}
	begin := n.Lines().At(0).Start
	return bytes.Contains(src[bytes.LastIndexByte(src[:begin], '\n')+1:begin], []byte("#"))
}

func hidesNothing(t *testing.T, page string) {
	t.Helper()
	got := EscapeHTML(Below(page, 2) + "\n\n" + trailer)
	if wrong := flawOf([]byte(got), 3); wrong != "" {
		t.Errorf("%s: %q, from %q", wrong, got, page)
	}
}

func TestSnapshotPagesHideNothing(t *testing.T) {
	for _, page := range []string{
		"```\n```x\n```\n<!-- hidden",
		"    ```\n<!-- hidden",
		"a\n\n    ```\n<!-- hidden",
		"` <details> ``",
		"`\n` <details> `",
		"[a](<`>) <details> `",
		"[a](`) <details> `",
		"\\` <details> `",
		"a\n`` b `\n`` <details> ` c",
		"| a | b |\n| - | - |\n| ` | <details> ` |",
		"` a\n\n` <b> ` <details> `",
		"- ```\n  ```\n<!-- hidden",
		"1. ```\n   ```\n<!-- hidden",
		"a\n2. ```\n   ```\n<!-- hidden",
		"-\n\n  ```\n",
		"- 2.\n\n  ```\n",
		"- a\nb\n  ```\n  <!-- hidden",
		"~~~\n~~~\u00a0\n~~~\n<!-- hidden",
		"> ~~~\n~~~\n~~~\n<!-- hidden",
		"<details>",
		"<!doctype",
		"a <b\nc>",
		"* Source: a@v1\n  ```x\nb",
		"- a\n  Source: a@v1\n  ```x\nb",
		"Source: a@v1\n===\n~~~",
	} {
		hidesNothing(t, page)
	}
	// A carriage return ends a line, as for readers of the page.
	if got := EscapeHTML("~~~\r~~~\r<!-- hidden"); got != "~~~\n~~~\n&lt;!-- hidden" {
		t.Errorf("got %q", got)
	}
}

func TestEscapeHTMLKeepsCode(t *testing.T) {
	for _, text := range []string{"```html\n<b>\n```\n", "a\n~~~\n<!-- b\n~~~", "a < b, 1 <2", "`<T>` and ``a ` <b>``, as\n`<T>` is"} {
		if got := EscapeHTML(text); got != text {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

// pageText returns a page of lines that look like code, lists and tags, chosen by bytes.
func pageText(choices []byte) string {
	prefixes := []string{"", "", "", "> ", "- ", "* ", "1. ", "2. ", "-", "10) ", " ", "  ", "   ", "    ", "\t", "-\t", "-     "}
	bodies := []string{
		"```", "```", "~~~", "````", "```x", "~~~ x", "text", "", "", "# heading", "---", "===", "-", "<!--", "-->", "<div>",
		"`", "`` <b> `", "` <details> `", "[a]: <", "<pre>", "* * *", "a <b", "```\u00a0", "\\`", "| a | <i> |", "| - | - |", "| ` | <b> ` |",
		"`<b>` a", "``<b>`` `", "[a](`) <b> `", "[a](<`", "\\` <b> `", "`a", "<b> `", "Source: a@v1",
	}
	var b strings.Builder
	for ; len(choices) >= 3; choices = choices[3:] {
		for _, c := range choices[:2] {
			b.WriteString(prefixes[int(c)%len(prefixes)])
		}
		b.WriteString(bodies[int(choices[2])%len(bodies)] + "\n")
	}
	return b.String()
}

// In any page, goldmark finds no tag and no heading above our level, and it finds the trailer.
func FuzzPagesHideNothing(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x0d"))
	f.Fuzz(func(t *testing.T, choices []byte) { hidesNothing(t, pageText(choices)) })
}

// The same for arbitrary text.
func FuzzTextsHideNothing(f *testing.F) {
	for _, seed := range []string{"", "# a", "```", "~~~\n```", "a\n=", "a\n-", "````\n```\n", "- ```\n  ```\n<!--"} {
		f.Add(seed)
	}
	f.Fuzz(hidesNothing)
}

// The same for a few thousand fixed pages, in every test run.
func TestRandomPagesHideNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 3))
	for range 5000 {
		choices := make([]byte, 3*(2+random.IntN(9)))
		for i := range choices {
			choices[i] = byte(random.Uint32())
		}
		hidesNothing(t, pageText(choices))
	}
}
