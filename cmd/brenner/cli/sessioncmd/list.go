package sessioncmd

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/flow"
)

func sessionListCommand(a *ui.App) *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the sessions of the project, the one with the latest event first",
		Long: `Lists the sessions of the project, the one in which something happened last first. With
--quiet it prints their ids only.`,
		Example: `  brenner session list
  brenner session list --json
  brenner session list -q | xargs -n 1 brenner session resume

Exit codes: 0 listed, even if there are none; 1 the store, or a session of those that are
listed, is damaged; 2 the configuration is wrong.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return listSessions(c.Context(), a, project) },
	}
	ui.AddProjectFlag(c, &project)
	return c
}

func listSessions(ctx context.Context, a *ui.App, project string) error {
	p, err := a.Open(project, "", nil)
	if err != nil {
		return err
	}
	l, err := p.Sessions(ctx)
	if err != nil {
		return err
	}
	if l.Damaged() {
		a.Exit = ui.ExitFailed
	}
	return a.Show(sessionList{l})
}

// sessionList is all sessions of a project.
type sessionList struct{ *audit.List }

func (l sessionList) Print(a *ui.App) error {
	var b strings.Builder
	if a.Quiet {
		for i := range l.Sessions {
			b.WriteString(ui.Clean(l.Sessions[i].Thread) + "\n")
		}
		return a.Write([]byte(b.String()))
	}
	if len(l.Sessions) == 0 {
		a.Say("There are no sessions yet: `brenner session start` begins one.\n")
		return nil
	}
	rows := [][]string{{"SESSION", "PHASE", "ROUND", "VERSION", "CONFLICTS", "UPDATED", "QUESTION"}}
	for i := range l.Sessions {
		rows = append(rows, listCells(&l.Sessions[i]))
	}
	return a.Write([]byte(ui.Columns(rows)))
}

func listCells(r *audit.Row) []string {
	updated := ui.Seconds(r.Updated)
	if r.Phase == session.PhaseDamaged {
		return []string{r.Thread, r.Phase, "-", "-", "-", updated, r.Problem}
	}
	phase := r.Phase
	if r.Reason != "" && r.Reason != flow.EndRounds {
		phase += " (" + ui.Clean(r.Reason) + ")"
	}
	question := ui.Cut(ui.Clean(strings.Join(strings.Fields(r.Question), " ")))
	if r.Rehearsal {
		question = "(rehearsal) " + question
	}
	return []string{
		ui.Clean(r.Thread), phase, strconv.Itoa(r.Round) + " of " + strconv.Itoa(r.Rounds), strconv.Itoa(r.Version),
		strconv.Itoa(r.Conflicts), updated, question,
	}
}
