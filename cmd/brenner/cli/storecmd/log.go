package storecmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
)

type logOptions struct {
	RecordFlags
	kind, module, status string
	refused, calls       bool
	most                 int
}

func storeLogCommand(a *ui.App) *cobra.Command {
	var opt logOptions
	c := &cobra.Command{
		Use:   "log [ID]",
		Short: "List records, or all versions of one with what became of them",
		Long: `Without an id it lists the records, the newest first. With one it lists all versions of that
record and every mark that they got: who promoted which, when and why.

--refused lists what agents tried outside the scope of their role, and --calls every call of an
agent for the store: which records went in, and which came out.`,
		Example: `  brenner store log --type paper_note --module fate
  brenner store log memo-fate
  brenner store log --refused

Exit codes: 0 listed; 2 there is no such record.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if opt.most < 0 {
				return ui.Usage(c, "-n must not be below 0", "")
			}
			if err := opt.check(c, args); err != nil {
				return err
			}
			return WithRecords(a, c, &opt.RecordFlags, false, func(ctx context.Context, r *Records) error {
				switch {
				case opt.refused:
					list, err := r.Refusals(ctx, opt.most)
					return ui.Show(a, list, err, refusalsText)
				case opt.calls:
					calls, err := r.Calls(ctx)
					return ui.Show(a, &callList{Schema: "brenner.store.calls/v1", Calls: calls}, err, callsText)
				case len(args) == 1:
					h, err := r.History(ctx, args[0])
					return ui.Show(a, h, err, historyText)
				}
				list, err := r.List(ctx, govern.ListOptions{Type: opt.kind, Module: opt.module, Status: opt.status, Most: opt.most})
				return ui.Show(a, list, err, listText)
			})
		},
	}
	opt.add(c)
	f := c.Flags()
	f.StringVar(&opt.kind, "type", "", "of this type only")
	f.StringVar(&opt.module, "module", "", "of this module only")
	f.StringVar(&opt.status, "status", "", "with this status only")
	f.BoolVar(&opt.refused, "refused", false, "what agents tried outside their scope")
	f.BoolVar(&opt.calls, "calls", false, "the calls of agents for the store")
	f.IntVarP(&opt.most, "number", "n", 50, "at most so many; 0 is all")
	return c
}

// check refuses flags that choose among records where something else is listed.
func (o *logOptions) check(c *cobra.Command, args []string) error {
	const choose = "chooses among records, and something else is listed"
	switch {
	case o.refused && o.calls:
		return ui.Usage(c, "--refused and --calls are two lists", "leave one of them out")
	case len(args) == 1 && (o.refused || o.calls):
		return ui.Usage(c, "--refused and --calls are about all records", "leave out "+ui.Clean(args[0]))
	case o.refused:
		return ui.Unused(c, choose, "type", "module", "status")
	case o.calls, len(args) == 1:
		return ui.Unused(c, choose, "type", "module", "status", "number")
	}
	return nil
}

func listText(a *ui.App, r *govern.RecordList) string {
	if a.Quiet {
		return ui.EachLine(r.Records, func(h *govern.RecordRow) string { return h.ID })
	}
	if len(r.Records) == 0 {
		return "No records.\n"
	}
	rows := [][]string{{"RECORD", "TYPE", "MODULE", "STATUS", "CANONICAL", "SUMMARY"}}
	for i := range r.Records {
		h := &r.Records[i]
		canonical := "-"
		if h.Canonical > 0 {
			canonical = fmt.Sprintf("v%d", h.Canonical)
		}
		status := h.Status
		if h.Forked {
			status += ", forked"
		}
		rows = append(rows, []string{fmt.Sprintf("%s@v%d", h.ID, h.Latest), h.Type, h.Module, status, canonical, ui.Clip(h.Summary)})
	}
	text := ui.Columns(rows)
	if r.More {
		text += "and more: -n 0 lists all\n"
	}
	return text
}

func historyText(a *ui.App, r *govern.History) string {
	var b strings.Builder
	if !a.Quiet {
		fmt.Fprintf(&b, "%s: %s of %s\n\n", ui.Clean(r.Record.ID), ui.Clean(r.Record.Type), ui.Clean(r.Record.Module))
	}
	rows := [][]string{{"VERSION", "PARENT", "STATUS", "BY", "AT", "CHANGE"}}
	for i := len(r.Versions) - 1; i >= 0; i-- {
		v := &r.Versions[i]
		parent := "-"
		if v.Parent > 0 {
			parent = fmt.Sprintf("v%d", v.Parent)
		}
		rows = append(rows, []string{fmt.Sprintf("v%d", v.Version), parent, statusWord(v), v.Creator, v.At, ui.OrDash(ui.Clip(v.Change))})
	}
	b.WriteString(ui.Columns(rows))
	if len(r.Tips) > 1 && !a.Quiet {
		fmt.Fprintf(&b, "\nA fork: %s go different ways.\n", govern.Versions(r.Tips))
	}
	if len(r.Marks) > 0 && !a.Quiet {
		b.WriteByte('\n')
		for _, m := range r.Marks {
			fmt.Fprintf(&b, "v%d %s by %s, %s: %s\n", m.Version, m.Status, ui.Clean(m.By), m.At, ui.Clean(m.Reason))
		}
	}
	return b.String()
}

func refusalsText(_ *ui.App, r *govern.RefusalList) string {
	if len(r.Attempts) == 0 {
		return "Nobody tried anything outside the scope of a role.\n"
	}
	rows := [][]string{{"AT", "BY", "ROLE", "TRIED TO", "TYPE", "RECORD"}}
	for _, f := range r.Attempts {
		rows = append(rows, []string{f.At, f.By, f.Role, f.Action, ui.OrDash(f.Type), ui.OrDash(f.ID)})
	}
	return ui.Columns(rows)
}

// callList are the calls of agents for the store.
type callList struct {
	Schema string        `json:"schema"`
	Calls  []govern.Call `json:"calls"`
}

func callsText(a *ui.App, r *callList) string {
	if len(r.Calls) == 0 {
		return "No agent was asked for the store.\n"
	}
	var b strings.Builder
	for i := range r.Calls {
		c := &r.Calls[i]
		outcome := "answered"
		if c.Code != "" {
			outcome = string(c.Code)
		}
		fmt.Fprintf(&b, "%s: %s as %s, %s, %s\n", ui.Clean(c.ID), ui.Clean(c.Agent), ui.Clean(c.Role), outcome, c.At)
		if a.Quiet {
			continue
		}
		var in []string
		for _, s := range c.Context {
			in = append(in, fmt.Sprintf("%s@v%d (%s, %s)", ui.Clean(s.Ref.ID), s.Ref.Version, ui.Clean(s.Type), s.Form))
		}
		rows := [][]string{{"  In", ui.OrDash(strings.Join(in, ", "))}, {"  Out", ui.OrDash(strings.Join(c.Produced, ", "))}, {"  Model", ui.OrDash(c.Model) + ", answered by " + ui.OrDash(c.Observed)}}
		if c.View != "" { // an arbiter sees a request, and no view
			rows = append(rows, []string{"  View", "sha256 " + c.View})
		}
		rows = append(rows, []string{"  Prompt", "sha256 " + c.Prompt})
		if c.Reply != "" {
			rows = append(rows, []string{"  Reply", "sha256 " + c.Reply})
		}
		b.WriteString(ui.Columns(rows))
	}
	return b.String()
}

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
