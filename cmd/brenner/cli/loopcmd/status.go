package loopcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
	"brenner/session"
)

func loopStatusCommand(a *ui.App) *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:   "status [NAME]",
		Short: "Say where a loop stands, from any terminal; without a name, list all of them",
		Example: `  brenner loop status
  brenner loop status night --json

Exit codes: 0 shown; 1 the store, or a loop of those that are listed, is damaged; 2 there is
no such loop.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := a.Open(project, "", nil)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return listLoops(c.Context(), a, p)
			}
			s, err := p.LoopStatus(c.Context(), args[0])
			if err != nil {
				return err
			}
			return a.Show(summaryView{s})
		},
	}
	ui.AddProjectFlag(c, &project)
	return c
}

func listLoops(ctx context.Context, a *ui.App, p *project.Project) error {
	list, err := p.Loops(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list.Loops, func(r project.LoopRow) bool { return r.Phase == session.PhaseDamaged }) {
		a.Exit = ui.ExitFailed
	}
	return a.Show(listView{list})
}

type listView struct{ *project.LoopList }

func (v listView) Print(a *ui.App) error {
	l := v.Loops
	if a.Quiet {
		var b strings.Builder
		for i := range l {
			b.WriteString(ui.Clean(l[i].Loop) + "\n")
		}
		return a.Write([]byte(b.String()))
	}
	if len(l) == 0 {
		a.Say("There are no loops yet: `brenner loop run PLAN.yaml` begins one.\n")
		return nil
	}
	var problems strings.Builder
	rows := [][]string{{"LOOP", "PHASE", "ROUND", "DONE", "FAILED", "TOKENS", "UPDATED"}}
	for i := range l {
		r := &l[i]
		phase := r.Phase
		if r.Reason != "" {
			phase += " (" + ui.Clean(r.Reason) + ")"
		}
		if r.RetryAt != "" {
			phase += ", waiting until " + a.Clock(r.RetryAt)
		}
		if r.Phase == session.PhaseDamaged {
			rows = append(rows, []string{r.Loop, phase, "-", "-", "-", "-", ui.Seconds(r.Updated)})
			problems.WriteString("\n" + ui.Clean(r.Loop) + ": " + ui.Clean(r.Problem) + "\n")
			continue
		}
		rows = append(rows, []string{
			ui.Clean(r.Loop), phase, fmt.Sprintf("%d of %d", r.Round, r.Rounds), fmt.Sprintf("%d of %d", r.Done, r.Planned), fmt.Sprint(r.Failed),
			fmt.Sprint(r.Tokens), ui.Seconds(r.Updated),
		})
	}
	return a.Write([]byte(ui.Columns(rows) + problems.String()))
}
