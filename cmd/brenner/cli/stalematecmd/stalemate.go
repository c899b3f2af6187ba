// Package stalematecmd implements `brenner stalemate`.
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
		Use:   "stalemate",
		Short: "List, request, rule on and withdraw stalemates",
		Long: `A session opens a stalemate when it makes no progress: a conflict survives a round, the
same error occurs three times, a refused change is sent again unchanged, or a field is
written back and forth. A record or a file of the project opens one when its patches are
refused for the same reason three times; these commands accept the id of the record, or
the path of the file, in place of a session.

The ruling comes from an arbiter that is not a party (session start --arbiter, stalemate
request --arbiter) or from a person.`,
	}, subjectArg(a, stalemateOpenCommand(a)), subjectArg(a, stalemateListCommand(a)), subjectArg(a, stalemateShowCommand(a)),
		subjectArg(a, stalemateRequestCommand(a)), subjectArg(a, stalemateRuleCommand(a)), subjectArg(a, stalemateWithdrawCommand(a)))
}

func stalemateListCommand(a *ui.App) *cobra.Command {
	var all bool
	c := ui.InProject(&cobra.Command{
		Use:   "list [ID]",
		Short: "List pending stalemates",
		Long: `Lists the pending stalemates of all sessions and records, or of one. Damaged sessions are
listed as damaged.`,
		Example: `  brenner stalemate list
  brenner stalemate list RS-20261115-cell-fate --all

Exit codes: 0 nothing pending; 1 a session is damaged, the others are listed; 2 no such
session or record; 5 listed, a ruling is needed.`,
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
	c.Flags().BoolVar(&all, "all", false, "include stalemates that were ruled or settled")
	return c
}

// showStalemates prints a list and sets the exit code. A damaged session takes precedence
// over a pending ruling.
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
		return "no stalemates\n"
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

// aboutRecord reports whether an argument names a record rather than a session or an export.
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
func openOnRecord(a *ui.App, c *cobra.Command, flags *sessioncmd.AuthorFlags, address string, request []byte) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{As: flags.As}, true, func(ctx context.Context, r *storecmd.Records) error {
		s, warnings, err := r.OpenStalemate(ctx, r.Actor, address, request)
		if err != nil {
			return err
		}
		res := project.RecordStalemate(s)
		res.Warn(warnings)
		return ui.Show(a, res, nil, stalemateText)
	})
}

// sendOnRecord returns the request about a record and marks it as requested.
func sendOnRecord(a *ui.App, c *cobra.Command, f *storecmd.HelperFlags, args []string) (stalemate.Request, error) {
	var out stalemate.Request
	err := storecmd.WithRecords(a, c, &f.RecordFlags, true, func(ctx context.Context, r *storecmd.Records) error {
		s, err := r.Send(ctx, r.Actor, args[0], args[1])
		if err == nil {
			out = s.Request
		}
		return err
	})
	return out, err
}

// arbitrateOnRecord has an agent rule on patches of a record.
func arbitrateOnRecord(a *ui.App, c *cobra.Command, f *storecmd.HelperFlags, arbiter string, args []string) error {
	if f.Name, f.Via, f.Model = project.ParseArbiter(arbiter); f.Name == "" || f.Via == "" && f.Model == "" {
		return ui.Usage(c, "--arbiter: "+ui.Clean(fault.Shown(arbiter))+" is not NAME=KIND:MODEL", "for example: --arbiter Judge=openai:gpt-5")
	}
	return storecmd.WithRecords(a, c, &f.RecordFlags, true, func(ctx context.Context, r *storecmd.Records) error {
		h, done, err := f.Helper(a, c, r, stalemate.ArbiterRole)
		if err != nil {
			return err
		}
		defer done()
		s, err := r.Arbitrate(ctx, r.Actor, h, args[0], args[1])
		return showRuled(a, s, err)
	})
}

// ruleOnRecord applies a person's verdict on patches of a record.
func ruleOnRecord(a *ui.App, c *cobra.Command, flags *sessioncmd.AuthorFlags, args []string, verdict []byte) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{As: flags.As}, true, func(ctx context.Context, r *storecmd.Records) error {
		s, err := r.Rule(ctx, r.Actor, args[0], args[1], verdict)
		return showRuled(a, s, err)
	})
}

func stalemateOpenCommand(a *ui.App) *cobra.Command {
	var flags sessioncmd.AuthorFlags
	var request string
	c := &cobra.Command{
		Use:   "open ID [PLACE]",
		Short: "Open a stalemate about a field, a record or a file",
		Long: `Opens a stalemate about the conflict at PLACE (such as H2.claim) of a session, or about
the refused patches of a record (without PLACE; by default of its latest version) or of a
file of the project.

--request provides a request written by hand. Its question must not name a party.
Placeholder evidence causes a warning, and such a request cannot be sent.`,
		Example: `  brenner stalemate open RS-20261115-cell-fate A1.status
  brenner stalemate open RS-20261115-cell-fate H2.claim --request request.json --as Sydney
  brenner stalemate open memo-fate@v3
  brenner stalemate open notes/memo.md

Exit codes: 0 opened; 1 storing failed; 2 no such session, record, field or conflict,
nothing was refused, or the request is unreadable or not neutral; 4 --as is not an
authority; 75 the store is busy.`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && (aboutRecord(args[0]) || isFile(args[0])), len(args) == 2 && !aboutRecord(args[0]):
				return nil
			case len(args) == 2:
				return ui.Usage(c, ui.Clean(fault.Shown(args[0]))+" is a record and takes no PLACE", "to select a version, pass "+ui.Clean(args[0])+"@v1")
			}
			return ui.Args(2, 2, "pass a session and a field of it, or a record")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error { return openStalemate(a, c, &flags, args, request) },
	}
	flags.Add(c)
	c.Flags().StringVar(&request, "request", "", "file with a request written by hand")
	return c
}

func openStalemate(a *ui.App, c *cobra.Command, flags *sessioncmd.AuthorFlags, args []string, request string) error {
	var text []byte
	if request != "" {
		var err error
		if text, err = a.ReadFile("the request", request); err != nil {
			return err
		}
	}
	if len(args) == 1 && isFile(args[0]) {
		return openOnFile(a, c, flags, args[0], text)
	}
	if len(args) == 1 {
		return openOnRecord(a, c, flags, args[0], text)
	}
	d, err := sessioncmd.OpenWritable(a, c, flags, args[0])
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Editor.Store)
	h, id, warnings, err := d.Editor.OpenStalemate(c.Context(), d.Thread, args[1], text)
	if err != nil {
		return err
	}
	res, err := audit.ShowStalemate(c.Context(), h, id)
	if err != nil {
		return err
	}
	res.Warn(warnings)
	return ui.Show(a, res, nil, stalemateText)
}
