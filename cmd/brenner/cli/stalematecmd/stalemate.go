// Package stalematecmd holds the commands of `brenner stalemate`.
package stalematecmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/sessioncmd"
	"brenner/cmd/brenner/cli/storecmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/session/stalemate"
)

// Command returns the stalemate commands.
func Command(a *ui.App) *cobra.Command {
	return ui.Family(&cobra.Command{
		Use:     "stalemate",
		GroupID: ui.Other,
		Short:   "What sessions are stuck on: ask for rulings, and rule",
		Long: `A session that goes round in circles opens a stalemate instead: a conflict that survived
a round, the same error three times, a change sent again as it was refused, a field
written back and forth. So does a record whose patches are refused in the same way for
the third time; commands then take its id where they take that of a session. Somebody
who is no party rules: the arbiter that the session was started with (session start
--arbiter) or that is asked about a record (stalemate request --arbiter), or a person.`,
	}, stalemateOpenCommand(a), stalemateListCommand(a), stalemateShowCommand(a), stalemateRequestCommand(a), stalemateRuleCommand(a))
}

func stalemateListCommand(a *ui.App) *cobra.Command {
	var all bool
	c := ui.InProject(&cobra.Command{
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
				return listRecordStalemates(a, c, args[0], all)
			}
			if len(args) == 1 {
				return a.WithWhole(c, args[0], func(ctx context.Context, _ *project.Source, h *session.History) error {
					l := audit.NewStalemateList()
					return showStalemates(a, l, l.AddSession(ctx, h, all))
				})
			}
			p, err := a.Open()
			if err != nil {
				return err
			}
			l, err := p.Stalemates(c.Context(), all)
			return showStalemates(a, l, err)
		},
	})
	c.Flags().BoolVar(&all, "all", false, "also those that were ruled or settled")
	return c
}

// showStalemates shows a list. One that may lack something says so by its exit code, whoever
// else is needed.
func showStalemates(a *ui.App, l *audit.StalemateList, err error) error {
	switch {
	case err != nil:
	case len(l.Damaged) > 0:
		a.Exit = ui.ExitFailed
	case l.Waits():
		a.Exit = ui.ExitPerson
	}
	return ui.Show(a, l, err, stalemateListText)
}

func stalemateListText(_ *ui.App, l *audit.StalemateList) string {
	if len(l.Stalemates)+len(l.Damaged) == 0 {
		return "nothing is stuck\n"
	}
	table := [][]string{{"STALEMATE", "ABOUT", "STATE", "KIND", "PLACE", "PARTIES"}}
	for _, r := range l.Stalemates {
		table = append(table, []string{r.ID, r.Thread, r.State, r.Kind, r.Place, strings.Join(r.Parties, ", ")})
	}
	for _, d := range l.Damaged {
		table = append(table, []string{"-", d.Thread, session.PhaseDamaged, "-", "-", d.Problem})
	}
	return ui.Columns(table)
}

// aboutRecord reports whether an argument names a record, where a session or an export
// could stand.
func aboutRecord(arg string) bool {
	_, _, isFile := project.ExportFile(arg)
	return !isFile && !project.MissingFile(arg) && !strings.HasPrefix(arg, "RS-")
}

// showRuled shows a stalemate about a record.
func showRuled(a *ui.App, s *govern.Stalemate, err error) error {
	if err != nil {
		return err
	}
	return show(a, project.RecordStalemate(s), nil)
}

func showRecordStalemate(a *ui.App, c *cobra.Command, of, id string) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{}, false, func(ctx context.Context, r *storecmd.Records) error {
		s, err := r.Stalemate(ctx, of, id)
		return showRuled(a, s, err)
	})
}

func listRecordStalemates(a *ui.App, c *cobra.Command, of string, all bool) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{}, false, func(ctx context.Context, r *storecmd.Records) error {
		h, _, err := r.Find(ctx, of)
		if err != nil {
			return err
		}
		about, err := r.Stalemates(ctx, h.ID)
		if err != nil {
			return err
		}
		l := audit.NewStalemateList()
		project.AddRecordStalemates(l, about, all)
		return showStalemates(a, l, nil)
	})
}

// openOnRecord opens a stalemate about patches of a record.
func openOnRecord(a *ui.App, c *cobra.Command, flags *sessioncmd.DoorFlags, address string, request []byte) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{As: flags.As}, true, func(ctx context.Context, r *storecmd.Records) error {
		s, warnings, err := r.OpenStalemate(ctx, r.Who, address, request)
		if err != nil {
			return err
		}
		res := project.RecordStalemate(s)
		res.Warn(warnings)
		return ui.Show(a, res, nil, stalemateText)
	})
}

// sendOnRecord gives the request about a record out, to be ruled on by whoever gets it.
func sendOnRecord(a *ui.App, c *cobra.Command, f *storecmd.HelperFlags, args []string) (stalemate.Request, error) {
	var out stalemate.Request
	err := storecmd.WithRecords(a, c, &f.RecordFlags, true, func(ctx context.Context, r *storecmd.Records) error {
		s, err := r.Send(ctx, r.Who, args[0], args[1])
		if err == nil {
			out = s.Request
		}
		return err
	})
	return out, err
}

// arbitrateOnRecord has an agent rule on patches of a record.
func arbitrateOnRecord(a *ui.App, c *cobra.Command, f *storecmd.HelperFlags, arbiter string, args []string) error {
	if f.Name, f.Via, f.Model = project.ArbiterWords(arbiter); f.Name == "" || f.Via == "" && f.Model == "" {
		return ui.Usage(c, "--arbiter "+ui.Clean(fault.Shown(arbiter))+" does not say who is asked, and how", "write NAME=KIND:MODEL, such as Judge=openai:gpt-5")
	}
	return storecmd.WithRecords(a, c, &f.RecordFlags, true, func(ctx context.Context, r *storecmd.Records) error {
		h, done, err := f.Helper(a, c, r, stalemate.ArbiterRole)
		if err != nil {
			return err
		}
		defer done()
		s, err := r.Arbitrate(ctx, r.Who, h, args[0], args[1])
		return showRuled(a, s, err)
	})
}

// ruleOnRecord puts the verdict of a person on patches of a record.
func ruleOnRecord(a *ui.App, c *cobra.Command, flags *sessioncmd.DoorFlags, args []string, verdict []byte) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{As: flags.As}, true, func(ctx context.Context, r *storecmd.Records) error {
		s, err := r.Rule(ctx, r.Who, args[0], args[1], verdict)
		return showRuled(a, s, err)
	})
}
