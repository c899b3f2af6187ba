package artifact_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	gmtext "github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/artifacttest"
)

// tally counts what a Markdown viewer shows.
type tally struct {
	Headings, Tables, Rows, Bold, Lists int
}

// An independent Markdown parser confirms that no text of an artifact becomes a heading, a
// table, bold text, a list, a link, HTML or code.
func TestMarkdownTextAddsNoMarkup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := artifacttest.Any().Draw(t, "artifact")
		md := a.Markdown()
		body := md[bytes.Index(md, []byte("\n---\n"))+len("\n---\n"):]
		if got, want := witness(t, body), expected(&a, string(body)); got != want {
			t.Fatalf("got %+v, want %+v\n%s", got, want, body)
		}
	})
}

func witness(t *rapid.T, body []byte) tally {
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Footnote, extension.DefinitionList))
	var n tally
	err := ast.Walk(md.Parser().Parse(gmtext.NewReader(body)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Heading:
			n.Headings++
		case *east.Table:
			n.Tables++
		case *east.TableRow:
			n.Rows++
		case *ast.Emphasis:
			if node.Level == 2 {
				n.Bold++
			}
		case *ast.List:
			n.Lists++
			if node.IsOrdered() {
				t.Fatalf("an ordered list in:\n%s", body)
			}
		case *ast.RawHTML:
			if html := string(node.Segments.Value(body)); html != "<br>" {
				t.Fatalf("raw HTML %q in:\n%s", html, body)
			}
		case *ast.HTMLBlock, *ast.FencedCodeBlock, *ast.CodeBlock, *ast.Blockquote, *ast.ThematicBreak,
			*ast.Link, *ast.Image, *ast.AutoLink, *east.TaskCheckBox, *east.FootnoteLink, *east.DefinitionList:
			t.Fatalf("%s in:\n%s", node.Kind(), body)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// expected counts the artifact's own markup.
func expected(a *artifact.Artifact, body string) tally {
	n := tally{Headings: 1 + artifact.SectionCount}
	for _, s := range artifact.Sections() {
		if s != artifact.PredictionsTable {
			n.Headings += len(a.Items(s))
		}
	}
	if rows := len(a.Items(artifact.PredictionsTable)); rows > 0 {
		n.Tables, n.Rows = 1, rows
	}
	list, indent := false, 0
	for _, line := range strings.Split(body, "\n") {
		text := strings.TrimLeft(line, " ")
		entry := strings.HasPrefix(text, "- ")
		switch {
		case strings.HasPrefix(line, "### P"):
			n.Headings++
		case strings.HasPrefix(line, "### ~~P"):
			n.Headings++
		case strings.HasPrefix(line, "**"):
			n.Bold++
		case entry && (!list || len(line)-len(text) > indent):
			n.Lists++
		}
		list, indent = entry, len(line)-len(text)
	}
	return n
}
