package stalematecmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
)

// Command returns the stalemate commands.
func Command(a *ui.App) *cobra.Command {
	c := &cobra.Command{
		Use:     "stalemate",
		GroupID: ui.Other,
		Short:   "What sessions are stuck on: ask for rulings, and rule",
		Long: `A session that goes round in circles opens a stalemate instead: a conflict that survived
a round, the same error three times, a change sent again as it was refused, a field
written back and forth. So does a record whose patches are refused in the same way for
the third time; commands then take its id where they take that of a session. Somebody
who is no party rules: the arbiter that the session was started with (session start
--arbiter) or that is asked about a record (stalemate request --arbiter), or a person.`,
	}
	c.AddCommand(stalemateOpenCommand(a), stalemateListCommand(a), stalemateShowCommand(a), stalemateRequestCommand(a), stalemateRuleCommand(a))
	ui.Group(c)
	return c
}

func stalemateListCommand(a *ui.App) *cobra.Command {
	var dir string
	var all bool
	c := &cobra.Command{
		Use:   "list [ID]",
		Short: "List the stalemates that wait for somebody",
		Long: `Lists the stalemates of all sessions and records, or of one, that wait for somebody. A
session that cannot be read is named, and the others are listed all the same.`,
		Example: `  brenner stalemate list
  brenner stalemate list RS-20261115-cell-fate --all

Exit codes: 0 nothing waits; 1 a session is damaged, and the others are listed; 2 there is no such
session or record; 5 listed: a ruling is needed.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && aboutRecord(args[0]) {
				return listRecordStalemates(a, c, dir, args[0], all)
			}
			if len(args) == 1 {
				return a.WithSession(c, dir, args[0], func(ctx context.Context, src *project.Source, h *session.History) error {
					if err := ui.WholeSession(c, src.Address); err != nil {
						return err
					}
					l := audit.NewStalemateList()
					if err := l.AddSession(ctx, h, all); err != nil {
						return err
					}
					return showStalemates(a, l)
				})
			}
			return listAllStalemates(a, c, dir, all)
		},
	}
	ui.AddProjectFlag(c, &dir)
	c.Flags().BoolVar(&all, "all", false, "also those that were ruled or settled")
	return c
}

func listAllStalemates(a *ui.App, c *cobra.Command, project string, all bool) error {
	p, err := a.Open(project, "", nil)
	if err != nil {
		return err
	}
	l, err := p.Stalemates(c.Context(), all)
	if err != nil {
		return err
	}
	return showStalemates(a, l)
}

// showStalemates shows a list. One that may lack something says so by its exit code, whoever
// else is needed.
func showStalemates(a *ui.App, l *audit.StalemateList) error {
	switch {
	case len(l.Damaged) > 0:
		a.Exit = ui.ExitFailed
	case l.Waits():
		a.Exit = ui.ExitPerson
	}
	return a.Show(stalemateList{l})
}

// stalemateList is a list of stalemates, for people.
type stalemateList struct{ *audit.StalemateList }

func (l stalemateList) Print(a *ui.App) error {
	if len(l.Stalemates)+len(l.Damaged) == 0 {
		return a.Write([]byte("nothing is stuck\n"))
	}
	table := [][]string{{"STALEMATE", "ABOUT", "STATE", "KIND", "PLACE", "PARTIES"}}
	for _, r := range l.Stalemates {
		table = append(table, []string{r.ID, r.Thread, r.State, r.Kind, r.Place, strings.Join(r.Parties, ", ")})
	}
	for _, d := range l.Damaged {
		table = append(table, []string{"-", d.Thread, session.PhaseDamaged, "-", "-", d.Problem})
	}
	return a.Write([]byte(ui.Columns(table)))
}
