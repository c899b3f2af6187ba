// Package lineage is what a version depends on, as a graph, and its form in graph languages. It is
// pure.
package lineage

import (
	"fmt"
	"slices"
	"strings"

	"brenner/store/record"
)

// Lineage is what a version depends on, or what depends on it, within the requested depth.
type Lineage struct {
	Schema string `json:"schema"`
	Root   string `json:"root"`
	Up     bool   `json:"up"` // towards dependencies
	// Nodes are ordered by level, then by id and version.
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
	// Elsewhere are links to another project's records named like local ones; not followed.
	Elsewhere []Edge `json:"elsewhere"`
	// Cut reports whether there is more after the last level.
	Cut bool `json:"cut"`
}

// Edge is a link between two versions of a lineage.
type Edge struct {
	From     string `json:"from"`
	Relation string `json:"relation"`
	To       string `json:"to"`
}

// Node is a version in a lineage.
type Node struct {
	Ref     record.Ref `json:",embed"`
	Depth   int        `json:"depth"`
	Type    string     `json:"type"`
	Module  string     `json:"module"`
	Status  string     `json:"status"`
	Creator string     `json:"creator"`
	Summary string     `json:"summary"`
	// Missing reports whether the version is missing in the store.
	Missing bool   `json:"missing"`
	Asked   string `json:"asked,omitempty"` // what was really asked, if an agent wrote it
	Role    string `json:"role,omitempty"`  // of the agent that wrote it
	Call    string `json:"call,omitempty"`  // that the agent answered
}

// Author returns who wrote the version: "Reader, as reader (llama3 at 127.0.0.1:8080)".
func (n *Node) Author() string {
	by := n.Creator
	if n.Role != "" {
		by += ", as " + n.Role
	}
	if n.Asked != "" {
		by += " (" + n.Asked + ")"
	}
	return by
}

// Edges returns links as edges.
func Edges(all []record.Edge) []Edge {
	out := make([]Edge, len(all))
	for i, e := range all {
		out[i] = Edge{e.From.String(), e.Relation, e.To.String()}
	}
	return out
}

// Unseen returns, sorted, the versions that edges reach for the first time.
func Unseen(edges []record.Edge, up bool, depth int, seen map[record.Ref]int) []record.Ref {
	var next []record.Ref
	for _, e := range edges {
		to := e.From
		if up {
			to = e.To
		}
		if _, ok := seen[to]; !ok {
			seen[to] = depth
			next = append(next, to)
		}
	}
	slices.SortFunc(next, record.CompareRefs)
	return next
}

// DOT returns the lineage in the Graphviz language.
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
	for _, ref := range l.elsewhereRefs() {
		fmt.Fprintf(&b, "  %s [label=%s, style=dashed];\n", dotText(ref+elsewhereMark), dotText(ref+"\n"+elsewhereText))
	}
	for _, e := range l.Elsewhere {
		fmt.Fprintf(&b, "  %s -> %s [label=%s];\n", dotText(e.From), dotText(e.To+elsewhereMark), dotText(e.Relation))
	}
	return b.String() + "}\n"
}

// Mermaid returns the lineage in the Mermaid language.
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
	for i, ref := range l.elsewhereRefs() {
		others[ref] = fmt.Sprintf("e%d", i)
		fmt.Fprintf(&b, "  e%d[\"%s<br/>%s\"]\n", i, mermaidText(ref), mermaidText(elsewhereText))
	}
	for _, e := range l.Elsewhere {
		fmt.Fprintf(&b, "  %s -->|%s| %s\n", names[e.From], mermaidText(e.Relation), others[e.To])
	}
	return b.String()
}

// A record of another project has its own node, even if a local record has its name.
const (
	elsewhereMark = " elsewhere"
	elsewhereText = "of another project"
)

func (l *Lineage) elsewhereRefs() []string {
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

func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", " ").Replace(s) + `"`
}

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
