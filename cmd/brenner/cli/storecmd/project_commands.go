package storecmd

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/setupcmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/config"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/store"
	"brenner/store/record"
)

// ProjectCommand returns the project commands.
func ProjectCommand(a *ui.App) *cobra.Command {
	c := &cobra.Command{
		Use:     "project",
		GroupID: ui.Other,
		Short:   "The project's brief, and its state for people",
	}
	c.AddCommand(projectInitCommand(a), projectBriefCommand(a), snapshotCommand(a, "brenner project snapshot > state.md"))
	ui.Group(c)
	return c
}

// briefID is what the brief is called where nobody calls it otherwise.
const briefID = "project-brief"

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
			content := []byte(briefTemplate(question))
			if file != "" {
				data, err := a.ReadFile("the brief", file)
				if err != nil {
					return err
				}
				content = data
			}
			return WithRecords(a, c, &f, true, func(ctx context.Context, r *Records) error {
				if heads, err := r.Store.Heads(ctx, store.HeadQuery{Types: []string{record.ProjectBrief}, Limit: 1}); err != nil || len(heads) > 0 {
					if err == nil {
						err = &fault.Error{Code: files.AlreadyExists, Detail: "the project has a brief already: " + heads[0].ID, Hint: "`brenner project brief FILE -m REASON` puts a new version of it"}
					}
					return err
				}
				put, err := r.Put(ctx, r.Who, govern.Draft{ID: briefID, Type: record.ProjectBrief, Content: content, Summary: oneLine(question)})
				if err != nil {
					return err
				}
				// Only now: of what is refused nothing is left.
				said := *a
				said.Quiet, said.JSON, said.Out = true, false, io.Discard
				dir := r.project.Config.Project.Dir // where the brief is, too
				if err := setupcmd.InitProject(&said, dir, config.Starter{Question: question}); err != nil && fault.CodeOf(err) != files.AlreadyExists {
					return err
				}
				return a.Show(putDocument(put))
			})
		},
	}
	f.AddWho(c)
	c.Flags().StringVar(&question, "question", "", "what the project is about")
	c.Flags().StringVar(&file, "file", "", "a file with the brief")
	return c
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func briefTemplate(question string) string {
	return fmt.Sprintf("# Brief\n\n%s\n\n## Goals\n\n- To be written.\n\n## Constraints\n\n- To be written.\n\n## Out of scope\n\n## Open questions\n\n- %s\n", question, oneLine(question))
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
				return WithRecords(a, c, &f, false, func(ctx context.Context, r *Records) error { return showBrief(ctx, a, r) })
			}
			data, err := a.ReadFile("the brief", args[0])
			if err != nil {
				return err
			}
			return WithRecords(a, c, &f, true, func(ctx context.Context, r *Records) error {
				h, err := briefOf(ctx, r)
				if err != nil {
					return err
				}
				put, err := r.Put(ctx, r.Who, govern.Draft{ID: h.ID, Type: record.ProjectBrief, Content: data, Change: message, Summary: summary})
				if err != nil {
					return err
				}
				return a.Show(putDocument(put))
			})
		},
	}
	f.AddWho(c)
	c.Flags().StringVarP(&message, "message", "m", "", "what changed, and why")
	c.Flags().StringVar(&summary, "summary", "", "what it says, in a sentence or two")
	return c
}

// briefOf finds the project's brief: the canonical one, or else the newest. Where
// there is none it is the one to come.
func briefOf(ctx context.Context, r *Records) (record.Head, error) {
	for _, canonical := range []bool{true, false} {
		heads, err := r.Store.Heads(ctx, store.HeadQuery{Types: []string{record.ProjectBrief}, Canonical: canonical, Live: true, Newest: true, Limit: 1})
		if err != nil {
			return record.Head{}, err
		}
		if len(heads) > 0 {
			return heads[0], nil
		}
	}
	return record.Head{ID: briefID}, nil
}

func showBrief(ctx context.Context, a *ui.App, r *Records) error {
	h, err := briefOf(ctx, r)
	if err != nil {
		return err
	}
	if h.Latest == 0 {
		return &fault.Error{Code: store.NoRecord, Detail: "the project has no brief yet", Hint: "`brenner project init` makes one, `brenner project brief FILE` puts one"}
	}
	one, data, err := r.Read(ctx, r.Who, h.ID)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Show(&shownRecord{Schema: "brenner.store.show/v1", Record: documentOf(&one, h.Canonical), Latest: h.Latest, Text: string(data)})
	}
	if one.Status != record.Canonical && !a.Quiet {
		a.Say(one.Ref().String() + " is " + one.Status + ": nobody has promoted it as it is\n")
	}
	return a.Write([]byte(ui.CleanLines(string(data), "")))
}
