package web

import (
	"bytes"
	"html/template"
	"net/url"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	mdtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"brenner/internal/text"
)

// maxProse bounds the characters of one text on a page. The command prints all of it.
const maxProse = 20_000

// prose renders an agent's Markdown. HTML in it stays text, pictures become links, and links lead to
// the web only.
func (m markdown) prose(s string) template.HTML {
	if !strings.ContainsAny(s, "\n\t\\`*_{}[]<>()#+-!|~:.=&0123456789\"'") && s != "" && s == strings.TrimSpace(s) && len(s) < maxProse {
		return template.HTML("<p>" + s + "</p>\n") //nolint:gosec // it has no character that means anything
	}
	return m.rendered([]byte(text.Clip(s, maxProse)))
}

// markdown renders texts. It may be used concurrently.
type markdown struct{ goldmark.Markdown }

func newMarkdown() markdown {
	return markdown{goldmark.New(goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough), goldmark.WithParserOptions(
		parser.WithASTTransformers(util.Prioritized(harmless{}, 0)),
	))}
}

// rendered is prose for a text of any length.
func (m markdown) rendered(source []byte) template.HTML {
	var b bytes.Buffer
	if err := m.Convert(source, &b); err != nil { // cannot happen: the buffer takes everything
		return template.HTML(template.HTMLEscapeString(string(source))) //nolint:gosec // escaped
	}
	// A wide table scrolls in itself, also by keyboard. These tags are goldmark's: those of the text are escaped.
	tables := strings.NewReplacer("<table>", `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>`, "</table>", "</table></div>", "<th></th>", "<td></td>")
	return template.HTML(tables.Replace(b.String())) //nolint:gosec // goldmark escapes HTML, and harmless checked the links
}

// harmless changes a parsed text so that nothing in it acts.
type harmless struct{}

// Transform replaces pictures by links, links to elsewhere by their text, and HTML by text.
func (harmless) Transform(doc *ast.Document, reader mdtext.Reader, _ parser.Context) {
	var found []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			found = append(found, n)
		}
		return ast.WalkContinue, nil
	})
	source := reader.Source()
	for _, n := range found {
		switch n := n.(type) {
		case *ast.Image:
			link := ast.NewLink()
			link.Destination = n.Destination
			move(n, link)
			checkLink(link)
		case *ast.Link:
			checkLink(n)
		case *ast.AutoLink:
			if !toWeb(n.URL(source)) {
				replace(n, ast.NewString(n.Label(source)))
			} else {
				n.SetAttributeString("rel", []byte("noreferrer"))
			}
		case *ast.RawHTML:
			replace(n, ast.NewString(n.Segments.Value(source)))
		case *ast.HTMLBlock:
			p := ast.NewParagraph()
			raw := n.Lines().Value(source)
			if n.HasClosure() {
				raw = append(bytes.Clone(raw), n.ClosureLine.Value(source)...)
			}
			p.AppendChild(p, ast.NewString(raw))
			replace(n, p)
		}
	}
}

func replace(old, now ast.Node) { old.Parent().ReplaceChild(old.Parent(), old, now) }

// move puts the content of a node into another one, in its place.
func move(old, now ast.Node) {
	for c := old.FirstChild(); c != nil; {
		next := c.NextSibling()
		now.AppendChild(now, c)
		c = next
	}
	replace(old, now)
}

// checkLink marks a link to the web, and replaces any other by its text.
func checkLink(link *ast.Link) {
	if toWeb(link.Destination) {
		link.SetAttributeString("rel", []byte("noreferrer"))
		return
	}
	parent := link.Parent()
	for c := link.FirstChild(); c != nil; {
		next := c.NextSibling()
		parent.InsertBefore(parent, link, c)
		c = next
	}
	parent.RemoveChild(parent, link)
}

func toWeb(address []byte) bool {
	u, err := url.Parse(string(address))
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}
