// Package stalematecmd implements `brenner stalemate`.
package stalematecmd

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/artifact"
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
		Short: "List, request and rule on stalemates",
		Long: `A session opens a stalemate when it makes no progress: a conflict survives a round, the
same error occurs three times, a refused change is sent again unchanged, or a field is
written back and forth. A record opens one when its patches are refused for the same
reason three times; these commands accept its id in place of a session.

The ruling comes from an arbiter that is not a party (session start --arbiter, stalemate
request --arbiter) or from a person.`,
	}, ui.SessionArg(a, 0, stalemateOpenCommand(a)), ui.SessionArg(a, 0, stalemateListCommand(a)), ui.SessionArg(a, 0, stalemateShowCommand(a)),
		ui.SessionArg(a, 0, stalemateRequestCommand(a)), ui.SessionArg(a, 0, stalemateRuleCommand(a)))
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
		Short: "Open a stalemate about a field or a record",
		Long: `Opens a stalemate about the conflict at PLACE (such as H2.claim) of a session, or about
the refused patches of a record (without PLACE; by default of its latest version).

--request provides a request written by hand. Its question must not name a party.
Placeholder evidence causes a warning, and such a request cannot be sent.`,
		Example: `  brenner stalemate open RS-20261115-cell-fate A1.status
  brenner stalemate open RS-20261115-cell-fate H2.claim --request request.json --as Sydney
  brenner stalemate open memo-fate@v3

Exit codes: 0 opened; 1 storing failed; 2 no such session, record, field or conflict,
nothing was refused, or the request is unreadable or not neutral; 4 --as is not an
authority; 75 the store is busy.`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && aboutRecord(args[0]), len(args) == 2 && !aboutRecord(args[0]):
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

type ruleOptions struct {
	author     sessioncmd.AuthorFlags
	ruling     string
	value      string
	cause      string
	reasons    []string
	reject     []string
	confidence string
}

func stalemateRuleCommand(a *ui.App) *cobra.Command {
	var opt ruleOptions
	c := &cobra.Command{
		Use:   "rule ID STALEMATE [VERDICT]",
		Short: "Rule on a stalemate",
		Long: `Rules on a stalemate with a verdict from a file (JSON, or a reply that contains JSON; "-"
is standard input) or from flags. A verdict names the position it supports, the root
cause, the reasons, and why each other position and explanation is rejected. It is merged
as an EDIT under the name given by --as, an authority that is not a party.

An agent's verdict is applied in its name only by the session (session start --arbiter).`,
		Example: `  brenner stalemate rule RS-20261115-cell-fate ST-1a2b3c4d5e6f7a8b verdict.json
  brenner stalemate rule RS-20261115-cell-fate ST-1a2b3c4d5e6f7a8b --for GreenValley --root-cause "Two meanings of late." \
    --reason "EV-001 says so." --reject "BlueLake=not measured" --reject "D1=one case" --reject "D2=it is known"

Exit codes: 0 ruled and merged; 1 storing failed; 2 no such session or stalemate, invalid
verdict, or --as is a party; 4 --as is not an authority; 5 ruled, but the merge rejected
it: a decision is needed; 75 the store is busy.`,
		Args: ui.Args(2, 3, "`brenner stalemate list` lists the stalemates"),
		RunE: func(c *cobra.Command, args []string) error { return ruleStalemate(a, c, &opt, args) },
	}
	opt.author.Add(c)
	f := c.Flags()
	f.StringVar(&opt.ruling, "for", "", "position that the ruling supports: a party, or D1 to D3")
	f.StringVar(&opt.value, "value", "", "new value of the field, as JSON or text (default: the party's); required for D1 to D3")
	f.StringVar(&opt.cause, "root-cause", "", "root cause of the disagreement")
	f.StringArrayVar(&opt.reasons, "reason", nil, "step of the reasoning; repeatable")
	f.StringArrayVar(&opt.reject, "reject", nil, "why another position or explanation is rejected, as NAME=WHY; repeatable")
	f.StringVar(&opt.confidence, "confidence", "1", "confidence from 0 to 1")
	return c
}

func ruleStalemate(a *ui.App, c *cobra.Command, opt *ruleOptions, args []string) error {
	verdict, err := verdict(a, c, opt, args[2:])
	if err != nil {
		return err
	}
	if aboutRecord(args[0]) {
		return ruleOnRecord(a, c, &opt.author, args, verdict)
	}
	d, err := sessioncmd.OpenWritable(a, c, &opt.author, args[0])
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Editor.Store)
	h, out, err := d.Editor.Rule(c.Context(), d.Thread, args[1], verdict)
	if err != nil {
		return err
	}
	res, err := audit.ShowStalemate(c.Context(), h, args[1])
	if err != nil {
		return err
	}
	if out != nil {
		sessioncmd.Applied(c.Context(), a, d, h, out) // rewrites the artifact's files
	}
	if now, _ := h.State.Stalemate(args[1]); now.State != stalemate.Applied {
		a.Exit = ui.ExitPerson
	}
	return ui.Show(a, res, nil, stalemateText)
}

// verdict returns the verdict from the file or the flags.
func verdict(a *ui.App, c *cobra.Command, opt *ruleOptions, file []string) ([]byte, error) {
	if len(file) == 1 {
		if err := ui.Unused(c, "cannot be combined with VERDICT", "for", "value", "root-cause", "reason", "reject", "confidence"); err != nil {
			return nil, err
		}
		return a.ReadFile("the verdict", file[0])
	}
	if !c.Flags().Changed("for") {
		return nil, ui.Usage(c, "missing verdict", "pass a VERDICT file, or --for, --root-cause, --reason and --reject")
	}
	v := stalemate.Verdict{For: opt.ruling, RootCause: opt.cause, Reasoning: opt.reasons}
	var err error
	if v.Confidence, err = strconv.ParseFloat(opt.confidence, 64); err != nil || !(v.Confidence >= 0 && v.Confidence <= 1) { // also rejects NaN
		return nil, ui.Usage(c, "--confidence: "+ui.Clean(fault.Shown(opt.confidence))+" is not a number from 0 to 1", "")
	}
	for _, r := range opt.reject {
		name, why, ok := strings.Cut(r, "=")
		if !ok {
			return nil, ui.Usage(c, "--reject: "+ui.Clean(fault.Shown(r))+" is not NAME=WHY", "")
		}
		v.Rejected = append(v.Rejected, stalemate.Rejection{Hypothesis: strings.TrimSpace(name), Why: strings.TrimSpace(why)})
	}
	if c.Flags().Changed("value") {
		if v.Value, err = artifact.ParseValue([]byte(opt.value), artifact.MaxDepth); err != nil {
			v.Value = artifact.Text(opt.value)
		}
	}
	return v.JSON(), nil
}
