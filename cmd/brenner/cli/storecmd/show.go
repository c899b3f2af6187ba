package storecmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/store/record"
)

func storeShowCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var content bool
	c := &cobra.Command{
		Use:   "show ADDRESS",
		Short: "Show a version: its fields, its links and what it says",
		Long: `Shows a version with all its fields. Without a version it is the canonical one, or else
the latest. --content prints what it says alone, byte for byte. With --role it is read as an
agent of that role would: what that may not read is refused, and the attempt is recorded.`,
		Example: `  brenner store show memo-fate
  brenner store show memo-fate@v2 --content
  brenner store show memo@canonical --json

Exit codes: 0 shown; 1 the store is damaged; 2 there is no such record or version, or the id is
the beginning of several; 4 the role may not read this type.`,
		Args: oneOf("a record"),
		RunE: func(c *cobra.Command, args []string) error {
			asText := recordText
			if content {
				asText = func(_ *ui.App, r *govern.RecordText) string { return r.Text }
			}
			return showRecords(a, c, &f, false, asText, func(ctx context.Context, r *Records) (*govern.RecordText, error) {
				return r.Show(ctx, r.Who, args[0])
			})
		},
	}
	f.AddWho(c)
	c.Flags().BoolVar(&content, "content", false, "print what it says, and nothing else")
	return c
}

func recordText(a *ui.App, r *govern.RecordText) string {
	d := &r.Record
	of := ""
	if d.Version != r.Latest {
		of = fmt.Sprintf(" (the latest is v%d)", r.Latest)
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
		summary += " (taken by the program)"
	}
	rows := [][]string{
		{"Record", nameOf(d) + of},
		{"Type", ui.Clean(d.Type)},
		{"Module", ui.Clean(d.Module)},
		{"Status", statusWord(d)},
		{"Parent", parent},
		{"Summary", summary},
		{"By", ui.Clean(d.Creator) + ", " + d.At},
	}
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
		Short: "Say what changed between two versions, and why",
		Long: `Says what changed between two versions: in the words of those who changed it, field by
field, link by link, and line by line. With one address it is that version against its parent.`,
		Example: `  brenner store diff memo-fate@v2 memo-fate@v5
  brenner store diff memo-fate

Exit codes: 0 said; 2 there is no such record or version.`,
		Args: ui.OneOrTwo("a record is needed"),
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
			fmt.Fprintf(&b, "  v%d, %s: %s\n", c.Version, ui.Clean(c.Creator), ui.OrDash(c.Text))
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
