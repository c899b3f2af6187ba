package storecmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
)

func storeLineageCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var up, down, versions bool
	var depth int
	var form string
	c := &cobra.Command{
		Use:   "lineage ADDRESS",
		Short: "Walk from a version to what it rests on, or to what rests on it",
		Long: `Walks the links of a version: --up to what it rests on (notes, results, tasks, sessions), --down
to what rests on it. Up is meant where nothing is said. Each line names who made the version.

--format dot and mermaid draw it. From a sentence of a session's artifact to the deltas and
replies behind it: ` + "`brenner trace find`" + `.`,
		Example: `  brenner store lineage intro
  brenner store lineage note-1 --down
  brenner store lineage memo-fate --format mermaid

Exit codes: 0 shown; 2 there is no such version.`,
		Args: oneOf("a record"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case up && down:
				return ui.Usage(c, "--up and --down contradict each other", "")
			case versions && down:
				return ui.Usage(c, "--versions goes with --up", "")
			case depth < 0:
				return ui.Usage(c, "--depth must not be below 0", "")
			case form != "text" && form != "dot" && form != "mermaid":
				return ui.Usage(c, "--format "+ui.Clean(form)+" is none", "it is text, dot or mermaid")
			}
			asText := lineageText
			switch form {
			case "dot":
				asText = func(_ *ui.App, l *govern.Lineage) string { return ui.CleanLines(l.DOT(), "") }
			case "mermaid":
				asText = func(_ *ui.App, l *govern.Lineage) string { return ui.CleanLines(l.Mermaid(), "") }
			}
			return showRecords(a, c, &f, false, asText, func(ctx context.Context, r *Records) (*govern.Lineage, error) {
				return r.Lineage(ctx, args[0], !down, versions, depth)
			})
		},
	}
	f.add(c)
	c.Flags().BoolVar(&up, "up", false, "to what it rests on")
	c.Flags().BoolVar(&down, "down", false, "to what rests on it")
	c.Flags().BoolVar(&versions, "versions", false, "with --up, through earlier versions as well")
	c.Flags().IntVar(&depth, "depth", 0, "how many steps; 0 is no limit")
	c.Flags().StringVar(&form, "format", "text", "text, dot or mermaid")
	return c
}

// lineageText writes a lineage as a tree.
func lineageText(_ *ui.App, r *govern.Lineage) string {
	nodes := make(map[string]*govern.Node)
	for i := range r.Nodes {
		n := &r.Nodes[i]
		nodes[n.Ref.String()] = n
	}
	var b strings.Builder
	t := &lineageTree{nodes: nodes, next: make(map[string][]govern.Edge), elsewhere: r.Elsewhere, seen: make(map[string]bool)}
	for _, e := range r.Edges {
		if !r.Up {
			e.From, e.To = e.To, e.From
		}
		t.next[e.From] = append(t.next[e.From], e)
	}
	t.branch(&b, r.Root, "", 0)
	if r.Cut {
		b.WriteString("… and more\n")
	}
	return b.String()
}

// lineageTree is a lineage on its way to the terminal.
type lineageTree struct {
	nodes map[string]*govern.Node
	next  map[string][]govern.Edge // away from the root
	// elsewhere are links to what another project has.
	elsewhere []govern.Edge
	seen      map[string]bool
}

// deepestIndent is how far a tree goes to the right; beyond, the depth is a number.
const deepestIndent = 30

// branch writes a version and what hangs on it. What was shown before is named, and
// no more.
func (t *lineageTree) branch(b *strings.Builder, ref, relation string, depth int) {
	n := t.nodes[ref]
	if n == nil {
		return
	}
	if relation != "" {
		relation += " "
	}
	b.WriteString(strings.Repeat("  ", min(depth, deepestIndent)))
	if depth > deepestIndent {
		fmt.Fprintf(b, "[%d] ", depth)
	}
	b.WriteString(relation + ui.Clean(ref))
	switch {
	case t.seen[ref]:
		b.WriteString(" (above)\n")
		return
	case n.Missing:
		b.WriteString(" (not in the store)\n")
	default:
		fmt.Fprintf(b, "  %s, %s, by %s: %s\n", ui.Clean(n.Type), n.Status, ui.Clean(n.Creator), ui.Clean(ui.Clip(n.Summary)))
	}
	t.seen[ref] = true
	for _, e := range t.next[ref] {
		t.branch(b, e.To, e.Relation, depth+1)
	}
	for _, e := range t.elsewhere {
		if e.From == ref {
			fmt.Fprintf(b, "%s%s %s (of another project; another record has this name here)\n", strings.Repeat("  ", min(depth+1, deepestIndent)), ui.Clean(e.Relation), ui.Clean(e.To))
		}
	}
}
