package storecmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/internal/text"
	"brenner/store/record"
)

func storeShowCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var content bool
	c := &cobra.Command{
		Use:   "show ADDRESS",
		Short: "Show a version: its fields, links and content",
		Long: `Shows a version with all its fields. The default version is the canonical one, or else the
latest. --content prints only the content, byte for byte. With --role it is read as an agent of
that role: types outside its scope are refused, and the attempt is recorded.`,
		Example: `  brenner store show memo-fate
  brenner store show memo-fate@v2 --content
  brenner store show memo@canonical --json

Exit codes: 0 shown; 1 the store is damaged; 2 no such record or version, or the id is
ambiguous; 4 the role may not read this type.`,
		Args: ui.One,
		RunE: func(c *cobra.Command, args []string) error {
			asText := recordText
			if content {
				asText = func(_ *ui.App, r *govern.RecordText) string { return r.Text }
			}
			return showRecords(a, c, &f, false, asText, func(ctx context.Context, r *Records) (*govern.RecordText, error) {
				return r.Show(ctx, r.Actor, args[0])
			})
		},
	}
	f.AddActor(c)
	c.Flags().BoolVar(&content, "content", false, "print only the content")
	return c
}

func recordText(a *ui.App, r *govern.RecordText) string {
	d := &r.Record
	latest := ""
	if d.Version != r.Latest {
		latest = fmt.Sprintf(" (the latest is v%d)", r.Latest)
	}
	parent := "none"
	if d.Parent > 0 {
		parent = fmt.Sprintf("v%d", d.Parent)
	}
	summary := ui.Clean(d.Summary)
	switch {
	case d.Stale:
		summary += " (of an earlier version)"
	case d.SummaryBy == record.Extracted:
		summary += " (extracted)"
	}
	rows := [][]string{
		{"Record", nameOf(d) + latest},
		{"Type", ui.Clean(d.Type)},
		{"Module", ui.Clean(d.Module)},
		{"Status", statusOf(d)},
	}
	if d.Because != "" {
		rows = append(rows, []string{"Stale", d.Because})
	}
	rows = append(rows, [][]string{
		{"Parent", parent},
		{"Summary", summary},
		{"By", ui.Author(d.Creator, d.Asked) + ", " + d.At},
	}...)
	if d.Change != "" {
		rows = append(rows, []string{"Change", d.Change})
	}
	if len(d.Tags) > 0 {
		rows = append(rows, []string{"Tags", strings.Join(d.Tags, ", ")})
	}
	for _, l := range d.Links {
		rows = append(rows, []string{"Link", fmt.Sprintf("%s %s@v%d", l.Relation, l.ID, l.Version)})
	}
	rows = append(rows, []string{"Content", "sha256 " + d.Content})
	if a.Quiet {
		return ui.CleanLines(r.Text, "")
	}
	return ui.Columns(rows) + "\n" + ui.CleanLines(r.Text, "  ")
}

func storeDiffCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	c := &cobra.Command{
		Use:   "diff ADDRESS [ADDRESS]",
		Short: "Show what changed between two versions, and why",
		Long: `Shows what changed between two versions: the change notes of their authors, and the differences
of fields, links and lines. With one address, compares that version with its parent.`,
		Example: `  brenner store diff memo-fate@v2 memo-fate@v5
  brenner store diff memo-fate

Exit codes: 0 shown; 2 no such record or version.`,
		Args: ui.OneOrTwo,
		RunE: func(c *cobra.Command, args []string) error {
			return showRecords(a, c, &f, false, diffText, func(ctx context.Context, r *Records) (*govern.Diff, error) {
				return r.Diff(ctx, args[0], append(args, "")[1])
			})
		},
	}
	f.add(c)
	return c
}

func diffText(a *ui.App, r *govern.Diff) string {
	var b strings.Builder
	if !a.Quiet {
		fmt.Fprintf(&b, "%s → %s\n", nameOf(&r.From), nameOf(&r.To))
		for _, c := range r.Changes {
			fmt.Fprintf(&b, "  v%d, %s: %s\n", c.Version, ui.Author(c.Creator, c.Asked), ui.OrDash(c.Text))
		}
		for _, f := range r.Fields {
			fmt.Fprintf(&b, "  %s: %s → %s\n", f.Field, ui.Quoted(f.From), ui.Quoted(f.To))
		}
		for _, l := range r.Added {
			fmt.Fprintf(&b, "  + %s %s@v%d\n", ui.Clean(l.Relation), ui.Clean(l.ID), l.Version)
		}
		for _, l := range r.Removed {
			fmt.Fprintf(&b, "  - %s %s@v%d\n", ui.Clean(l.Relation), ui.Clean(l.ID), l.Version)
		}
		b.WriteByte('\n')
	}
	for _, line := range r.Lines {
		b.WriteString(strings.TrimRight(ui.CleanText(line), " ") + "\n")
	}
	return b.String()
}

func storeStatusCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	c := &cobra.Command{
		Use:   "status",
		Short: "Show the spine of the project, and everything that is not current",
		Long: `Shows the number of records, the canonical records of the project's spine (brief, summary, the
memo of each module), and what needs attention: versions with outdated dependencies, results of
tasks whose inputs changed, forks, stale summaries, modules whose memo is due.`,
		Example: `  brenner store status

Exit codes: 0 everything is current; 5 something needs attention.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return showRecords(a, c, &f, false, statusText, func(ctx context.Context, r *Records) (*govern.Status, error) {
				s, err := r.Status(ctx)
				if err == nil && !s.Current {
					a.Exit = ui.ExitPerson
				}
				return s, err
			})
		},
	}
	f.add(c)
	return c
}

func statusText(a *ui.App, r *govern.Status) string {
	var b strings.Builder
	if !a.Quiet {
		fmt.Fprintf(&b, "%s\n\n", text.Count(r.Records, "record"))
		rows := [][]string{{"SPINE", "MODULE", "HOLDER", "STATUS"}}
		for _, s := range r.Spine {
			rows = append(rows, []string{s.Type, s.Module, ui.OrDash(s.Holder), ui.OrDash(s.Status)})
		}
		b.WriteString(ui.Columns(rows) + "\n")
	}
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-14s %s\n", name, fmt.Sprintf(format, args...))
	}
	if p := r.Brief; p != nil {
		line("brief", "%s: %s; %s", ui.Clean(p.Ref), p.Detail, p.Fix)
	}
	for _, o := range r.NeedsUpdate {
		line(record.NeedsUpdate, "%s@v%d (%s): %s", ui.Clean(o.Ref.ID), o.Ref.Version, ui.Clean(o.Type), ui.Clean(o.Reason))
	}
	for _, o := range r.NeedsRebase {
		line(record.NeedsRebase, "%s@v%d (%s): %s", ui.Clean(o.Ref.ID), o.Ref.Version, ui.Clean(o.Type), ui.Clean(o.Reason))
	}
	for _, f := range r.Forks {
		if len(f.Rivals) > 0 {
			line("fork", "several records are the %s of %s: %s", ui.Clean(f.Type), ui.Clean(f.Module), ui.Some(f.Rivals))
			continue
		}
		line("fork", "%s (%s): unmerged branches: %s", ui.Clean(f.ID), ui.Clean(f.Type), govern.Versions(f.Tips))
	}
	for _, s := range r.StaleSummaries {
		line("stale_summary", "%s", ui.Clean(s))
	}
	for _, d := range r.Due {
		line("compression", "%s: %s records are in no memo; `brenner store consolidate --module %s`", ui.Clean(d.Module), d.Count(), ui.Clean(d.Module))
	}
	if r.Refused > 0 && !a.Quiet {
		line("refused", "%s; `brenner store log --refused`", text.Count(r.Refused, "attempt"))
	}
	if r.Current && !a.Quiet {
		b.WriteString("Everything is current.\n")
	}
	return b.String()
}

func storeSnapshotCommand(a *ui.App) *cobra.Command {
	return snapshotCommand(a, "brenner store snapshot > state.md")
}

// snapshotCommand is `store snapshot` and `project snapshot`.
func snapshotCommand(a *ui.App, example string) *cobra.Command {
	var f RecordFlags
	c := &cobra.Command{
		Use:   "snapshot",
		Short: "Print the state of the project, from canonical versions only",
		Long: `Prints, in Markdown, the project's question and scope, its hypotheses and models, the evidence,
the memo of each module, the sections of the manuscript and the open questions: from canonical
versions, each with its source.`,
		Example: "  " + example + "\n\nExit codes: 0 printed; 1 the store is damaged.",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return showRecords(a, c, &f, false, snapshotText, func(ctx context.Context, r *Records) (*govern.Snapshot, error) {
				return r.Snapshot(ctx)
			})
		},
	}
	f.add(c)
	return c
}

func snapshotText(_ *ui.App, r *govern.Snapshot) string { return ui.CleanLines(r.Text, "") }

// ContextCommand returns the context commands.
func ContextCommand(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:   "context",
		Short: "Show which records an agent of a role would see, and why",
	}, contextBuildCommand(a), contextExplainCommand(a))
}

func contextBuildCommand(a *ui.App) *cobra.Command {
	return contextCommand(a, false, &cobra.Command{
		Use:   "build --role ROLE",
		Short: "Print the context that an agent of a role would see",
		Long: `Assembles the context of an agent from the project's records: an overview of the project, the
task, and the records that the role's view shows, within its token limit and that of a call
(session.context_tokens). Nothing is sent or written.`,
		Example: `  brenner context build --role test_designer --module fate --purpose "Design a test."
  brenner context build --task task-memo

Exit codes: 0 printed; 2 no such role, task or record, or the overview and the task alone exceed
the token limit (CONTEXT_TOO_LARGE).`,
	})
}

func contextExplainCommand(a *ui.App) *cobra.Command {
	return contextCommand(a, true, &cobra.Command{
		Use:   "explain --role ROLE",
		Short: "Explain for every record why it is in a context, or which rule excluded it",
		Long: `Assembles the same context as build, and lists for every record of the project its form and
the reason (an input of the task, a link, a tag, recency), or the rule that excluded it.

The messages of a session have more than records. One that is over session.context_tokens leaves
out records first; "session start --dry-run" and "trace show" say what each message leaves out.`,
		Example: `  brenner context explain --role test_designer --module fate
  brenner context explain --role test_designer --module fate --input note-3 --json

Exit codes: 0 explained; 2 no such role, task or record, or the overview and the task alone exceed
the token limit (CONTEXT_TOO_LARGE).`,
	})
}

// contextCommand completes a command that prints or explains a context.
func contextCommand(a *ui.App, explain bool, c *cobra.Command) *cobra.Command {
	var records RecordFlags
	q := govern.Request{All: explain}
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error {
		if q.Role == "" && q.Task == "" {
			return ui.Usage(c, "--role or --task is required", "")
		}
		asText := func(_ *ui.App, g *govern.AssembledContext) string { return g.Text }
		if explain {
			asText = explainText
		}
		var g *govern.AssembledContext
		err := showRecords(a, c, &records, false, asText, func(ctx context.Context, r *Records) (_ *govern.AssembledContext, err error) {
			if err := r.CheckModules(ctx, q.Modules...); err != nil {
				return nil, err
			}
			g, err = r.Context(ctx, q)
			return g, err
		})
		if err == nil && !explain && !a.Quiet && !a.JSON {
			a.Say(fmt.Sprintf("%d of %d tokens, %s\n", g.Tokens, g.Bound, text.Count(len(g.Shown), "record")))
		}
		return err
	}
	records.add(c)
	f := c.Flags()
	f.StringVar(&q.Role, "role", "", "the role; required unless --task names one")
	f.StringVar(&q.Task, "task", "", "a task spec, which sets purpose, role, modules and inputs")
	f.StringVar(&q.Purpose, "purpose", "", "the task, as text")
	f.StringArrayVar(&q.Modules, "module", nil, "a module in scope; repeatable")
	f.StringArrayVar(&q.Tags, "tag", nil, "a tag of the task; repeatable")
	f.StringArrayVar(&q.Inputs, "input", nil, "an input of the task; repeatable")
	f.BoolVar(&q.Cross, "cross-module", false, "put all modules in scope")
	return c
}

// explainText lists why each record is in a context, or is not.
func explainText(a *ui.App, r *govern.AssembledContext) string {
	var b strings.Builder
	if !a.Quiet {
		fmt.Fprintf(&b, "%s: %d of %d tokens, view %s\n\n", ui.Clean(r.Role), r.Tokens, r.Bound, r.Spec[:12])
	}
	rows := [][]string{{"RECORD", "TYPE", "SHOWN", "BECAUSE", "TOKENS"}}
	for _, s := range r.Shown {
		rows = append(rows, []string{s.Ref.String(), s.Type, string(s.Form), s.Because, fmt.Sprint(s.Tokens)})
	}
	for _, l := range r.LeftOut {
		rows = append(rows, []string{l.Ref.String(), l.Type, "no", l.Rule})
	}
	b.WriteString(ui.Columns(rows))
	return b.String()
}
