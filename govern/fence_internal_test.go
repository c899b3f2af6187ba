package govern

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

// behind is what a snapshot puts behind a page.
const behind = "Source: brief/001@v1"

// hides gives what is wrong with a page of a snapshot as goldmark reads it: tags and
// comments, a heading above the level of ours, or that the line behind is no paragraph.
func hides(src []byte, level int) string {
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(src))
	wrong := ""
	_ = ast.Walk(root, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.HTMLBlock, *ast.RawHTML:
			wrong = "has HTML"
		case *ast.Heading:
			if n.Level < level && n.Parent() == root && byHashes(src, n) {
				wrong = "has a heading above ours"
			}
		}
		return ast.WalkContinue, nil
	})
	last, ok := root.LastChild().(*ast.Paragraph)
	if !ok || string(last.Lines().Value(src)) != behind {
		wrong = "swallows what is behind it"
	}
	return wrong
}

// byHashes tells whether a heading begins with them. Of those that are underlined, some
// are left as they are: what else they may be is worse to get wrong.
func byHashes(src []byte, n *ast.Heading) bool {
	if n.Lines().Len() == 0 {
		return true
	}
	begin := n.Lines().At(0).Start
	return bytes.Contains(src[bytes.LastIndexByte(src[:begin], '\n')+1:begin], []byte("#"))
}

func hidesNothing(t *testing.T, page string) {
	t.Helper()
	got := escapeHTML(demoteHeadings(page, 2) + "\n\n" + behind)
	if wrong := hides([]byte(got), 3); wrong != "" {
		t.Errorf("%s: %q, from %q", wrong, got, page)
	}
}

func TestPagesHideNothing(t *testing.T) {
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
	} {
		hidesNothing(t, page)
	}
	// Where a carriage return ends a line for the reader of the page, it does for us.
	if got := escapeHTML("~~~\r~~~\r<!-- hidden"); got != "~~~\n~~~\n&lt;!-- hidden" {
		t.Errorf("got %q", got)
	}
}

// Code is as somebody wrote them.
func TestCodeKeepsItsTags(t *testing.T) {
	for _, text := range []string{"```html\n<b>\n```\n", "a\n~~~\n<!-- b\n~~~", "a < b, 1 <2", "`<T>` and ``a ` <b>``, as\n`<T>` is"} {
		if got := escapeHTML(text); got != text {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

// pageText makes a page of lines that look like code, lists and tags, chosen by bytes.
func pageText(choices []byte) string {
	prefixes := []string{"", "", "", "> ", "- ", "* ", "1. ", "2. ", "-", "10) ", " ", "  ", "   ", "    ", "\t", "-\t", "-     "}
	bodies := []string{
		"```", "```", "~~~", "````", "```x", "~~~ x", "text", "", "", "# heading", "---", "===", "-", "<!--", "-->", "<div>",
		"`", "`` <b> `", "` <details> `", "[a]: <", "<pre>", "* * *", "a <b", "```\u00a0", "\\`", "| a | <i> |", "| - | - |", "| ` | <b> ` |",
		"`<b>` a", "``<b>`` `", "[a](`) <b> `", "[a](<`", "\\` <b> `", "`a", "<b> `",
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

// FuzzPagesHideNothing: whatever a page is, goldmark sees no tag in it, no heading above
// ours, and what stands behind it.
func FuzzPagesHideNothing(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x0d"))
	f.Fuzz(func(t *testing.T, choices []byte) { hidesNothing(t, pageText(choices)) })
}

// The same of any text at all.
func FuzzTextsHideNothing(f *testing.F) {
	for _, seed := range []string{"", "# a", "```", "~~~\n```", "a\n=", "a\n-", "````\n```\n", "- ```\n  ```\n<!--"} {
		f.Add(seed)
	}
	f.Fuzz(hidesNothing)
}

// The same on some thousand pages, always the same ones, in every test run.
func TestManyPagesHideNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 3))
	for range 5000 {
		choices := make([]byte, 3*(2+random.IntN(9)))
		for i := range choices {
			choices[i] = byte(random.Uint32())
		}
		hidesNothing(t, pageText(choices))
	}
}
