package govern

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner/store"
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

func edgesOf(all []record.Edge) []Edge {
	out := make([]Edge, len(all))
	for i, e := range all {
		out[i] = Edge{e.From.String(), e.Relation, e.To.String()}
	}
	return out
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
}

const maxNodes = 20_000

// ParentRelation is the relation of a version to its parent in a lineage.
const ParentRelation = "goes_on_from"

// Lineage follows the links of all relations from a version. Depth 0 means no limit; cycles are
// followed once. On the way up, versions includes earlier versions of the same records.
func (rs *Records) Lineage(ctx context.Context, address string, up, versions bool, depth int) (*Lineage, error) {
	r, _, err := rs.Standing(ctx, address)
	if err != nil {
		return nil, err
	}
	l := &Lineage{Schema: "brenner.store.lineage/v1", Root: r.Ref().String(), Up: up}
	seen := map[record.Ref]int{r.Ref(): 0}
	order := []record.Ref{r.Ref()}
	level := []record.Ref{r.Ref()}
	for n := 1; len(level) > 0; n++ {
		edges, elsewhere, err := rs.step(ctx, level, up, versions)
		if err != nil {
			return nil, err
		}
		if depth > 0 && n > depth || len(order) > maxNodes {
			l.Cut = len(edges) > 0 || up && len(elsewhere) > 0
			break
		}
		if up { // downwards, parents belong to another record
			l.Elsewhere = append(l.Elsewhere, edgesOf(elsewhere)...)
		}
		l.Edges = append(l.Edges, edgesOf(edges)...)
		level = unseen(edges, up, n, seen)
		order = append(order, level...)
	}
	asked, err := rs.asked(ctx)
	if err != nil {
		return nil, err
	}
	for _, ref := range order {
		node, err := rs.node(ctx, ref, seen[ref])
		if err != nil {
			return nil, err
		}
		node.Asked = asked[ref.String()]
		l.Nodes = append(l.Nodes, node)
	}
	return l, nil
}

// unseen returns, sorted, the versions that edges reach for the first time.
func unseen(edges []record.Edge, up bool, depth int, seen map[record.Ref]int) []record.Ref {
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

// step returns the links of one level, and those to records of other projects.
func (rs *Records) step(ctx context.Context, level []record.Ref, up, versions bool) (edges, elsewhere []record.Edge, err error) {
	if !up {
		return rs.edges(ctx, store.EdgeQuery{To: level})
	}
	edges, elsewhere, err = rs.edges(ctx, store.EdgeQuery{From: level})
	if err != nil || !versions {
		return edges, elsewhere, err
	}
	for _, ref := range level {
		r, err := rs.lookup(ctx, ref)
		if err != nil {
			return nil, nil, err
		}
		if r != nil && r.Parent > 0 {
			edges = append(edges, record.Edge{From: ref, Relation: ParentRelation, To: record.Ref{ID: ref.ID, Version: r.Parent}})
		}
	}
	return edges, elsewhere, nil
}

// edges returns links within this project, and those to records of other projects.
func (rs *Records) edges(ctx context.Context, q store.EdgeQuery) (here, elsewhere []record.Edge, err error) {
	all, err := rs.Store.Edges(ctx, q)
	if err != nil || rs.LinkTarget == nil {
		return all, nil, err
	}
	for _, e := range all {
		other, err := rs.isElsewhere(ctx, e)
		switch {
		case err != nil:
			return nil, nil, err
		case other:
			elsewhere = append(elsewhere, e)
		default:
			here = append(here, e)
		}
	}
	return here, elsewhere, nil
}

// isElsewhere reports whether a link refers to a record other than the local one of that name.
func (rs *Records) isElsewhere(ctx context.Context, e record.Edge) (bool, error) {
	kind, content, known, err := rs.LinkTarget(ctx, e.From, e.To)
	if err != nil || !known {
		return false, err
	}
	r, err := rs.lookup(ctx, e.To)
	if err != nil || r == nil {
		return false, err
	}
	return content != "" && r.Content != content || kind != "" && r.Type != kind, nil
}

func (rs *Records) node(ctx context.Context, ref record.Ref, depth int) (Node, error) {
	r, err := rs.lookup(ctx, ref)
	if err != nil || r == nil {
		return Node{Ref: ref, Depth: depth, Missing: true}, err
	}
	return Node{Ref: ref, Depth: depth, Type: r.Type, Module: r.Module, Status: r.Status, Summary: r.Summary, Creator: r.Creator}, nil
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
