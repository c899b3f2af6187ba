package storecmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/store/record"
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
		Short: "List records, or the versions and marks of one",
		Long: `Without an id, lists the records, newest first. With an id, lists all versions of that record
and every mark on them, such as promotions: the author, the time and the reason.

--refused lists the attempts that were refused: reads, puts and pins outside the rights of a role
or a person, promotions that a gate refused, and deprecations. --calls lists the agent calls of
store commands, also those of ` + "`store run`" + ` and of tasks in loops, with the records that each call was
shown and produced.`,
		Example: `  brenner store log --type paper_note --module fate
  brenner store log memo-fate
  brenner store log --refused

Exit codes: 0 listed; 2 no such record.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if opt.most < 0 {
				return ui.Usage(c, "-n must not be negative", "")
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
					calls, err := r.AllCalls(ctx)
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
	f.StringVar(&opt.kind, "type", "", "list only this type")
	f.StringVar(&opt.module, "module", "", "list only this module")
	f.StringVar(&opt.status, "status", "", "list only this status")
	_ = c.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(record.Statuses(), cobra.ShellCompDirectiveNoFileComp))
	f.BoolVar(&opt.refused, "refused", false, "list refused attempts")
	f.BoolVar(&opt.calls, "calls", false, "list agent calls of store commands")
	f.IntVarP(&opt.most, "number", "n", 50, "maximum number to list; 0 means all")
	return c
}

// check rejects flags that filter records if something else is listed.
func (o *logOptions) check(c *cobra.Command, args []string) error {
	const only = "applies only to a list of records"
	switch {
	case o.refused && o.calls:
		return ui.Usage(c, "--refused and --calls are mutually exclusive", "")
	case len(args) == 1 && (o.refused || o.calls):
		return ui.Usage(c, "--refused and --calls cover all records", "omit "+ui.Clean(args[0]))
	case o.refused:
		return ui.Unused(c, only, "type", "module", "status")
	case o.calls, len(args) == 1:
		return ui.Unused(c, only, "type", "module", "status", "number")
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
		rows = append(rows, []string{fmt.Sprintf("v%d", v.Version), parent, statusOf(v), ui.Author(v.Creator, v.Asked), v.At, ui.OrDash(ui.Clip(v.Change))})
	}
	b.WriteString(ui.Columns(rows))
	if len(r.Tips) > 1 && !a.Quiet {
		fmt.Fprintf(&b, "\nUnmerged branches: %s\n", govern.Versions(r.Tips))
	}
	var lines []string
	for i := range r.Versions {
		v := &r.Versions[i]
		marked := slices.ContainsFunc(r.Marks, func(m govern.MarkRow) bool { return m.Version == v.Version && m.Status == v.Status })
		if v.Because != "" && !marked {
			lines = append(lines, fmt.Sprintf("v%d %s since it was put: %s\n", v.Version, v.Status, ui.Clean(v.Because)))
		}
	}
	if len(r.Marks)+len(lines) > 0 && !a.Quiet {
		b.WriteString("\n" + strings.Join(lines, ""))
		for _, m := range r.Marks {
			fmt.Fprintf(&b, "v%d %s by %s, %s: %s\n", m.Version, m.Status, ui.Clean(m.By), m.At, ui.Clean(m.Reason))
		}
	}
	return b.String()
}

func refusalsText(_ *ui.App, r *govern.RefusalList) string {
	if len(r.Attempts) == 0 {
		return "No refused attempts.\n"
	}
	rows := [][]string{{"AT", "BY", "ROLE", "ACTION", "TYPE", "RECORD", "WHY"}}
	for _, f := range r.Attempts {
		why := "no right to it"
		if len(f.Why) > 0 {
			why = strings.Join(f.Why, "; ")
		}
		rows = append(rows, []string{f.At, f.By, ui.OrDash(f.Role), f.Action, ui.OrDash(f.Type), ui.OrDash(f.ID), why})
	}
	return ui.Columns(rows)
}

// callList is the output of `store log --calls`.
type callList struct {
	Schema string        `json:"schema"`
	Calls  []govern.Call `json:"calls"`
}

func callsText(a *ui.App, r *callList) string {
	if len(r.Calls) == 0 {
		return "No agent calls.\n"
	}
	var b strings.Builder
	for i := range r.Calls {
		c := &r.Calls[i]
		outcome := "answered"
		switch {
		case c.Code != "":
			outcome = string(c.Code)
		case c.Reply == "":
			outcome = "no answer yet"
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
		if c.Asked != "" {
			rows = append(rows, []string{"  Asked", ui.Clean(c.Asked)})
		}
		if c.View != "" { // an arbiter sees a request instead of a view
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
	var up, down, versions, html bool
	var depth int
	var form string
	c := &cobra.Command{
		Use:   "lineage ADDRESS",
		Short: "Show what a version depends on, or what depends on it",
		Long: `Follows the links of a version: --up, the default, to its dependencies (notes, results, tasks,
sessions), --down to its dependents. Each line names the creator of the version.

--html prints one page with a drawing and a table of all versions; --format dot, mermaid and svg
print a graph. A drawing shows messages and tasks as dashed lines only. To trace a sentence of a session's artifact to the
deltas and replies behind it, use ` + "`brenner trace find`" + `.`,
		Example: `  brenner store lineage intro
  brenner store lineage note-1 --down
  brenner store lineage memo-fate --format mermaid
  brenner store lineage intro --html > intro.html

Exit codes: 0 shown; 2 no such version.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case up && down:
				return ui.Usage(c, "--up and --down are mutually exclusive", "")
			case versions && down:
				return ui.Usage(c, "--versions and --down are mutually exclusive", "")
			case depth < 0:
				return ui.Usage(c, "--depth must not be negative", "")
			case html && (a.JSON || c.Flags().Changed("format")):
				return ui.Usage(c, "--html cannot be combined with --json and --format", "")
			case html:
				form = "html"
			}
			asText, known := lineageForms()[form]
			if !known {
				return ui.Usage(c, "--format: unknown format "+ui.Clean(form), "use text, dot, mermaid or svg")
			}
			return showRecords(a, c, &f, false, asText, func(ctx context.Context, r *Records) (*govern.Lineage, error) {
				return r.Lineage(ctx, args[0], !down, versions, depth)
			})
		},
	}
	f.add(c)
	c.Flags().BoolVar(&up, "up", false, "show dependencies; the default")
	c.Flags().BoolVar(&down, "down", false, "show dependents")
	c.Flags().BoolVar(&versions, "versions", false, "with --up, include earlier versions")
	c.Flags().IntVar(&depth, "depth", 0, "maximum number of steps; 0 means no limit")
	c.Flags().StringVar(&form, "format", "text", "text, dot, mermaid or svg")
	c.Flags().BoolVar(&html, "html", false, "print one self-contained HTML file")
	return c
}

// lineageForms returns the ways to print a lineage.
func lineageForms() map[string]func(*ui.App, *govern.Lineage) string {
	clean := func(text string) string { return ui.CleanLines(text, "") }
	return map[string]func(*ui.App, *govern.Lineage) string{
		"text":    lineageText,
		"dot":     func(_ *ui.App, l *govern.Lineage) string { return clean(l.DOT()) },
		"mermaid": func(_ *ui.App, l *govern.Lineage) string { return clean(l.Mermaid()) },
		"svg":     func(_ *ui.App, l *govern.Lineage) string { return l.SVG() },
		"html":    func(_ *ui.App, l *govern.Lineage) string { return l.HTML() },
	}
}

// lineageText formats a lineage as a tree.
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
	t.write(&b, r.Root, "", 0)
	if r.Cut {
		b.WriteString("… and more\n")
	}
	return b.String()
}

// lineageTree writes a lineage as a tree.
type lineageTree struct {
	nodes map[string]*govern.Node
	next  map[string][]govern.Edge // away from the root
	// elsewhere are links to records of other projects.
	elsewhere []govern.Edge
	seen      map[string]bool // already written
}

// deepestIndent bounds the indentation; deeper levels show their depth as a number.
const deepestIndent = 30

// write writes a version and everything below it. A version that was written before is only
// named.
func (t *lineageTree) write(b *strings.Builder, ref, relation string, depth int) {
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
		fmt.Fprintf(b, "  %s, %s, by %s: %s\n", ui.Clean(n.Type), n.Status, ui.Clean(n.Author()), ui.Clean(ui.Clip(n.Summary)))
	}
	t.seen[ref] = true
	for _, e := range t.next[ref] {
		t.write(b, e.To, e.Relation, depth+1)
	}
	for _, e := range t.elsewhere {
		if e.From == ref {
			fmt.Fprintf(b, "%s%s %s (of another project; a different record has this name here)\n", strings.Repeat("  ", min(depth+1, deepestIndent)), ui.Clean(e.Relation), ui.Clean(e.To))
		}
	}
}
