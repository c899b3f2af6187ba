// Package stalematecmd holds the commands of `brenner stalemate`.
package stalematecmd

import (
	"context"
	"fmt"
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
		s, warnings, err := r.OpenStalemate(ctx, r.Actor, address, request)
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
		return ui.Usage(c, "--arbiter "+ui.Clean(fault.Shown(arbiter))+" does not say who is asked, and how", "write NAME=KIND:MODEL, such as Judge=openai:gpt-5")
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

// ruleOnRecord puts the verdict of a person on patches of a record.
func ruleOnRecord(a *ui.App, c *cobra.Command, flags *sessioncmd.DoorFlags, args []string, verdict []byte) error {
	return storecmd.WithRecords(a, c, &storecmd.RecordFlags{As: flags.As}, true, func(ctx context.Context, r *storecmd.Records) error {
		s, err := r.Rule(ctx, r.Actor, args[0], args[1], verdict)
		return showRuled(a, s, err)
	})
}

func stalemateOpenCommand(a *ui.App) *cobra.Command {
	var flags sessioncmd.DoorFlags
	var request string
	c := &cobra.Command{
		Use:   "open ID [PLACE]",
		Short: "Say that a field, or a record, is stuck, without waiting",
		Long: `Opens a stalemate about a conflict that stands at PLACE (H2.claim) of a session, about the
patches that a record refused, or about what a request says that somebody wrote
(--request FILE). Its question may name no party. Evidence in it that is only a placeholder is
warned of; such a request cannot be sent. A record is named without a PLACE; without a version the latest is meant.`,
		Example: `  brenner stalemate open RS-20261115-cell-fate A1.status
  brenner stalemate open RS-20261115-cell-fate H2.claim --request request.json --as Sydney
  brenner stalemate open memo-fate@v3

Exit codes: 0 opened; 1 it could not be stored; 2 there is no such session, record, field or
conflict, nothing was refused, or the request cannot be read or is not fair; 4 --as names no authority; 75 the store is busy.`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && aboutRecord(args[0]), len(args) == 2 && !aboutRecord(args[0]):
				return nil
			case len(args) == 2:
				return ui.Usage(c, ui.Clean(fault.Shown(args[0]))+" is a record, which has no places", "name its version, such as "+ui.Clean(args[0])+"@v1, or nothing more")
			}
			return ui.Usage(c, fmt.Sprintf("a session and a place, or a record, are needed, %d given", len(args)), "")
		},
		RunE: func(c *cobra.Command, args []string) error { return openStalemate(a, c, &flags, args, request) },
	}
	flags.Add(c)
	c.Flags().StringVar(&request, "request", "", "a request that somebody wrote")
	return c
}

func openStalemate(a *ui.App, c *cobra.Command, flags *sessioncmd.DoorFlags, args []string, request string) error {
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
	d, err := sessioncmd.OpenDoor(a, c, flags, args[0])
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Door.Store)
	h, id, warnings, err := d.Door.OpenStalemate(c.Context(), d.Thread, args[1], text)
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
	door       sessioncmd.DoorFlags
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
		Short: "Rule on a stalemate: the ruling goes through the merge",
		Long: `Rules on a stalemate, with a verdict from a file (JSON, or a reply with JSON in it; "-" is
standard input), or by flags. A verdict says whom it is for, the root cause, the reasons,
and of every other position and explanation why it does not hold. It becomes an EDIT
under the name of --as, who must be an authority and no party. What somebody else than
a person answered is ruled in their name only by the session itself (session start --arbiter).`,
		Example: `  brenner stalemate rule RS-20261115-cell-fate ST-1a2b3c4d5e6f7a8b verdict.json
  brenner stalemate rule RS-20261115-cell-fate ST-1a2b3c4d5e6f7a8b --for GreenValley --root-cause "Two meanings of late." \
    --reason "EV-001 says so." --reject "BlueLake=not measured" --reject "D1=one case" --reject "D2=it is known"

Exit codes: 0 ruled, and written into the artifact; 1 it could not be stored; 2 there is no
such session or stalemate, the verdict is none, or --as names a party; 4 --as names no
authority; 5 ruled, but nothing could be written: a person is needed; 75 the store is busy.`,
		Args: ui.Args(2, 3, "a session, a stalemate and a verdict are needed", ""),
		RunE: func(c *cobra.Command, args []string) error { return ruleStalemate(a, c, &opt, args) },
	}
	opt.door.Add(c)
	f := c.Flags()
	f.StringVar(&opt.ruling, "for", "", "whom the ruling is for: a party, or D1 to D3")
	f.StringVar(&opt.value, "value", "", "what the field should say, if not what the party wrote or states; needed for D1 to D3; JSON, or a text")
	f.StringVar(&opt.cause, "root-cause", "", "why there was a disagreement")
	f.StringArrayVar(&opt.reasons, "reason", nil, "a step of the reasoning; repeatable")
	f.StringArrayVar(&opt.reject, "reject", nil, "NAME=WHY: why another position or explanation does not hold; repeatable")
	f.StringVar(&opt.confidence, "confidence", "1", "how sure, from 0 to 1")
	return c
}

func ruleStalemate(a *ui.App, c *cobra.Command, opt *ruleOptions, args []string) error {
	verdict, err := verdict(a, c, opt, args[2:])
	if err != nil {
		return err
	}
	if aboutRecord(args[0]) {
		return ruleOnRecord(a, c, &opt.door, args, verdict)
	}
	d, err := sessioncmd.OpenDoor(a, c, &opt.door, args[0])
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Door.Store)
	h, out, err := d.Door.Rule(c.Context(), d.Thread, args[1], verdict)
	if err != nil {
		return err
	}
	res, err := audit.ShowStalemate(c.Context(), h, args[1])
	if err != nil {
		return err
	}
	if out != nil {
		sessioncmd.Applied(c.Context(), a, d, h, out) // writes the artifact's files anew
	}
	if now, _ := h.State.Stalemate(args[1]); now.State != stalemate.Applied {
		a.Exit = ui.ExitPerson
	}
	return ui.Show(a, res, nil, stalemateText)
}

// verdict returns the verdict of a file or of the flags.
func verdict(a *ui.App, c *cobra.Command, opt *ruleOptions, file []string) ([]byte, error) {
	if len(file) == 1 {
		if err := ui.Unused(c, "does not go with a VERDICT: either a file says it, or --for and the others do", "for", "value", "root-cause", "reason", "reject", "confidence"); err != nil {
			return nil, err
		}
		return a.ReadFile("the verdict", file[0])
	}
	if !c.Flags().Changed("for") {
		return nil, ui.Usage(c, "nothing says what the ruling is", "give a file with a VERDICT, or --for, --root-cause, --reason and --reject")
	}
	v := stalemate.Verdict{For: opt.ruling, RootCause: opt.cause, Reasoning: opt.reasons}
	var err error
	if v.Confidence, err = strconv.ParseFloat(opt.confidence, 64); err != nil || !(v.Confidence >= 0 && v.Confidence <= 1) { // NaN is none either
		return nil, ui.Usage(c, "--confidence "+ui.Clean(fault.Shown(opt.confidence))+" is no number from 0 to 1", "")
	}
	for _, r := range opt.reject {
		name, why, ok := strings.Cut(r, "=")
		if !ok {
			return nil, ui.Usage(c, "--reject "+ui.Clean(fault.Shown(r))+" is not NAME=WHY", "")
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
