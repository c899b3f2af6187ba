package govern

import (
	"fmt"
	"slices"
	"strings"
)

// DOT gives the lineage in the language of Graphviz.
func (l *Lineage) DOT() string {
	var b strings.Builder
	b.WriteString("digraph lineage {\n  rankdir=LR;\n  node [shape=box];\n")
	for _, n := range l.Nodes {
		style := ""
		if n.Ref.String() == l.Root {
			style = ", style=bold"
		}
		fmt.Fprintf(&b, "  %s [label=%s%s];\n", dotText(n.Ref.String()), dotText(n.Ref.String()+"\n"+n.label()), style)
	}
	for _, e := range l.Edges {
		fmt.Fprintf(&b, "  %s -> %s [label=%s];\n", dotText(e.From), dotText(e.To), dotText(e.Relation))
	}
	for _, ref := range l.othersElsewhere() {
		fmt.Fprintf(&b, "  %s [label=%s, style=dashed];\n", dotText(ref+elsewhereMark), dotText(ref+"\n"+elsewhereText))
	}
	for _, e := range l.Elsewhere {
		fmt.Fprintf(&b, "  %s -> %s [label=%s];\n", dotText(e.From), dotText(e.To+elsewhereMark), dotText(e.Relation))
	}
	return b.String() + "}\n"
}

// Mermaid gives the lineage in the language of Mermaid.
func (l *Lineage) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	names := make(map[string]string)
	for i, n := range l.Nodes {
		names[n.Ref.String()] = fmt.Sprintf("n%d", i)
		fmt.Fprintf(&b, "  n%d[\"%s<br/>%s\"]\n", i, mermaidText(n.Ref.String()), mermaidText(n.label()))
	}
	for _, e := range l.Edges {
		if names[e.From] != "" && names[e.To] != "" {
			fmt.Fprintf(&b, "  %s -->|%s| %s\n", names[e.From], mermaidText(e.Relation), names[e.To])
		}
	}
	others := make(map[string]string)
	for i, ref := range l.othersElsewhere() {
		others[ref] = fmt.Sprintf("e%d", i)
		fmt.Fprintf(&b, "  e%d[\"%s<br/>%s\"]\n", i, mermaidText(ref), mermaidText(elsewhereText))
	}
	for _, e := range l.Elsewhere {
		fmt.Fprintf(&b, "  %s -->|%s| %s\n", names[e.From], mermaidText(e.Relation), others[e.To])
	}
	return b.String()
}

// A record of another project is drawn for itself, whatever has its name here.
const (
	elsewhereMark = " elsewhere"
	elsewhereText = "of another project"
)

func (l *Lineage) othersElsewhere() []string {
	var all []string
	for _, e := range l.Elsewhere {
		if !slices.Contains(all, e.To) {
			all = append(all, e.To)
		}
	}
	return all
}

func (n *Node) label() string {
	if n.Missing {
		return "not in the store"
	}
	return n.Type + ", " + n.Status
}

// dotText quotes a text: only quotation marks and backslashes mean anything in it.
func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", " ").Replace(s) + `"`
}

// mermaidText writes what could mean anything as its number.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\"<>|[]{}()#;&`\n\r\\", r) {
			fmt.Fprintf(&b, "#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
