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

func storeStatusCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	c := &cobra.Command{
		Use:   "status",
		Short: "Show the spine of the project, and everything that is not current",
		Long: `Shows how many records there are, who holds the project's spine (brief, summary, the memo of
each module), and what needs somebody: versions that rest on what does not hold any more,
results of tasks whose inputs moved, forks, stale summaries, modules whose memo is due.`,
		Example: `  brenner store status

Exit codes: 0 everything is current; 5 something needs a person.`,
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
	for _, o := range r.NeedsUpdate {
		line(record.NeedsUpdate, "%s@v%d (%s): %s", ui.Clean(o.Ref.ID), o.Ref.Version, ui.Clean(o.Type), ui.Clean(o.Reason))
	}
	for _, o := range r.NeedsRebase {
		line(record.NeedsRebase, "%s@v%d (%s): %s", ui.Clean(o.Ref.ID), o.Ref.Version, ui.Clean(o.Type), ui.Clean(o.Reason))
	}
	for _, f := range r.Forks {
		line("fork", "%s (%s): %s go different ways", ui.Clean(f.ID), ui.Clean(f.Type), govern.Versions(f.Tips))
	}
	for _, s := range r.StaleSummaries {
		line("stale_summary", "%s", ui.Clean(s))
	}
	for _, d := range r.Due {
		line("compression", "%s: %s records, as they stand, are in no memo; `brenner store consolidate --module %s`", ui.Clean(d.Module), d.Count(), ui.Clean(d.Module))
	}
	if r.Refused > 0 && !a.Quiet {
		line("refused", "%s outside the scope of a role; `brenner store log --refused`", text.Count(r.Refused, "attempt"))
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
		Short: "Write the state of the project for people, from canonical versions alone",
		Long: `Writes, in Markdown, the project's question and scope, its hypotheses and models, the evidence,
what each module knows and what is open: from canonical versions, with the source of each.`,
		Example: "  " + example + "\n\nExit codes: 0 written; 1 the store is damaged.",
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
