package storecmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/internal/text"
)

// ContextCommand returns the context commands.
func ContextCommand(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:     "context",
		GroupID: ui.Other,
		Short:   "See what an agent of a role would be given of the records, and why",
	}, contextBuildCommand(a), contextExplainCommand(a))
}

func contextBuildCommand(a *ui.App) *cobra.Command {
	return contextCommand(a, false, &cobra.Command{
		Use:   "build --role ROLE",
		Short: "Print the context that an agent of a role would be given",
		Long: `Assembles what an agent of a role would be given of the project's records: an overview of the
project, the task, and the records that its view shows, within its bound of tokens.
Nothing is sent, and nothing is written.`,
		Example: `  brenner context build --role test_designer --module fate --purpose "Design a test."
  brenner context build --task task-memo

Exit codes: 0 printed; 2 there is no such role, task or record, or the overview and the task
alone are over the bound (CONTEXT_TOO_LARGE).`,
	})
}

func contextExplainCommand(a *ui.App) *cobra.Command {
	return contextCommand(a, true, &cobra.Command{
		Use:   "explain --role ROLE",
		Short: "Say of every record why it is in a context, or which rule left it out",
		Long: `Assembles the same context as build, and says of every record of the project how it is shown
and for which reason (an input of the task, a link, a tag, recency), or which rule left it out.`,
		Example: `  brenner context explain --role test_designer --module fate
  brenner context explain --role test_designer --module fate --input note-3 --json

Exit codes: 0 explained; 2 there is no such role, task or record, or the overview and the task
alone are over the bound (CONTEXT_TOO_LARGE).`,
	})
}

// contextCommand completes a command that assembles a context, and prints or explains it.
func contextCommand(a *ui.App, explain bool, c *cobra.Command) *cobra.Command {
	var records RecordFlags
	q := govern.Request{All: explain}
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error {
		if q.Role == "" && q.Task == "" {
			return ui.Usage(c, "--role or --task is needed: who is to read it?", "")
		}
		asText := func(_ *ui.App, g *govern.Given) string { return g.Text }
		if explain {
			asText = explainText
		}
		var g *govern.Given
		err := showRecords(a, c, &records, false, asText, func(ctx context.Context, r *Records) (_ *govern.Given, err error) {
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
	f.StringVar(&q.Role, "role", "", "the role; needed unless --task names one")
	f.StringVar(&q.Task, "task", "", "a task spec: its text, role, module and inputs are taken")
	f.StringVar(&q.Purpose, "purpose", "", "what the agent is to do")
	f.StringArrayVar(&q.Modules, "module", nil, "a module in scope; repeatable")
	f.StringArrayVar(&q.Tags, "tag", nil, "a tag of the task; repeatable")
	f.StringArrayVar(&q.Inputs, "input", nil, "a record that the task is about; repeatable")
	f.BoolVar(&q.Cross, "cross-module", false, "the task is about the whole project")
	return c
}

// explainText says of each record why it is in a context, or is not.
func explainText(a *ui.App, r *govern.Given) string {
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
