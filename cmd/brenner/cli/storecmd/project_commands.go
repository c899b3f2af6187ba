package storecmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/project"
	"brenner/store/record"
)

// ProjectCommand returns the project commands.
func ProjectCommand(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:     "project",
		GroupID: ui.Other,
		Short:   "The project's brief, and its state for people",
	}, projectInitCommand(a), projectBriefCommand(a), snapshotCommand(a, "brenner project snapshot > state.md"))
}

func projectInitCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var question, file string
	c := &cobra.Command{
		Use:   "init --question QUESTION|--file FILE",
		Short: "Make a project: its brenner.yaml if there is none, and the first draft of its brief",
		Long: `Makes brenner.yaml where there is none, and puts the first draft of the project's brief: from a
file, or from a question, with headings for goals, constraints, scope and open questions to fill
in. Nothing is canonical before somebody promotes it.`,
		Example: `  brenner project init --question "How does a cell know what to become?"
  brenner project init --file brief.md

Exit codes: 0 made; 1 the folder cannot be written to; 2 there is a brief already, or nothing
says what it is about.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if (question == "") == (file == "") {
				return ui.Usage(c, "either --question or --file is needed", "")
			}
			b := project.NewBrief{Question: question}
			if file != "" {
				data, err := a.ReadFile("the brief", file)
				if err != nil {
					return err
				}
				b.Text = data
			}
			return showRecords(a, c, &f, true, writtenText, func(ctx context.Context, r *Records) (*govern.Written, error) {
				return r.InitBrief(ctx, &b)
			})
		},
	}
	f.AddWho(c)
	c.Flags().StringVar(&question, "question", "", "what the project is about")
	c.Flags().StringVar(&file, "file", "", "a file with the brief")
	return c
}

func projectBriefCommand(a *ui.App) *cobra.Command {
	var f RecordFlags
	var message, summary string
	c := &cobra.Command{
		Use:   "brief [FILE|-]",
		Short: "Show the project's brief, or put a new version of it",
		Long: `Without a file it prints the canonical brief, or else the latest draft. With one it puts a new
version, which holds once it is promoted.`,
		Example: `  brenner project brief
  brenner project brief brief.md -m "plant cells are out of scope"
  brenner store promote project-brief -m "agreed by all"

Exit codes: 0 printed or put; 2 there is no brief yet, or the file cannot be used; 75 the store is
busy.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return showRecords(a, c, &f, false, briefText, func(ctx context.Context, r *Records) (*govern.RecordText, error) { return r.ShowBrief(ctx) })
			}
			data, err := a.ReadFile("the brief", args[0])
			if err != nil {
				return err
			}
			return showRecords(a, c, &f, true, writtenText, func(ctx context.Context, r *Records) (*govern.Written, error) {
				return r.PutBrief(ctx, govern.Draft{Content: data, Change: message, Summary: summary})
			})
		},
	}
	f.AddWho(c)
	c.Flags().StringVarP(&message, "message", "m", "", "what changed, and why")
	c.Flags().StringVar(&summary, "summary", "", "what it says, in a sentence or two")
	return c
}

func briefText(a *ui.App, b *govern.RecordText) string {
	if b.Record.Status != record.Canonical && !a.Quiet {
		a.Say(fmt.Sprintf("%s@v%d is %s: nobody has promoted it as it is\n", b.Record.ID, b.Record.Version, b.Record.Status))
	}
	return ui.CleanLines(b.Text, "")
}
