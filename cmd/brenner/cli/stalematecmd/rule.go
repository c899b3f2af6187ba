package stalematecmd

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/sessioncmd"
	"brenner/cmd/brenner/cli/storecmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/session/audit"
	"brenner/session/stalemate"
)

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
as an EDIT under the name given by --as, an authority that is not a party. A verdict that
lacks something, or that the merge does not take, changes nothing: correct it and rule again.

An agent's verdict is applied in its name only by the session (session start --arbiter).`,
		Example: `  brenner stalemate rule RS-20261115-cell-fate ST-1a2b3c4d5e6f7a8b verdict.json
  brenner stalemate rule RS-20261115-cell-fate ST-1a2b3c4d5e6f7a8b --for GreenValley --root-cause "Two meanings of late." \
    --reason "EV-001 says so." --reject "BlueLake=not measured" --reject "D1=one case" --reject "D2=it is known"

Exit codes: 0 ruled and merged; 1 storing failed; 2 no such session or stalemate, invalid
verdict, one that the merge does not take, or --as is a party; 4 --as is not an
authority; 75 the store is busy.`,
		Args: ui.Args(2, 3, "`brenner stalemate list` lists the stalemates"),
		RunE: func(c *cobra.Command, args []string) error { return ruleStalemate(a, c, &opt, args) },
	}
	opt.author.Add(c)
	f := c.Flags()
	f.StringVar(&opt.ruling, "for", "", "position that the ruling supports: a party, D1 to D3, or neither")
	f.StringVar(&opt.value, "value", "", "new value of the field, as JSON or text (default: the party's); required for D1 to D3 and neither")
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
	if len(args) == 2 {
		return inFlags(carryOut(a, c, opt, args, verdict))
	}
	return carryOut(a, c, opt, args, verdict)
}

func carryOut(a *ui.App, c *cobra.Command, opt *ruleOptions, args []string, verdict []byte) error {
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
		v.Value = stalemate.ValueOf(opt.value)
	}
	return v.JSON(), nil
}

// flagFor returns the flag for a field of a verdict, and what to pass.
func flagFor(field string) (flag, hint string) {
	switch field {
	case "ruling_for":
		return "--for", "pass --for NAME: a party, D1 to D3, or " + stalemate.Neither
	case "root_cause":
		return "--root-cause", "pass --root-cause TEXT"
	case "reasoning":
		return "--reason", "pass --reason TEXT, once for each step"
	case "rejected":
		return "--reject", "pass --reject NAME=WHY, once for each other position and explanation"
	case "value":
		return "--value", "pass --value TEXT, what the field should say"
	case "arbiter":
		return "--as", "pass --as NAME, an authority that is not a party"
	}
	return "", ""
}

// inFlags returns the faults of a verdict in terms of the flags that it was made from.
func inFlags(err error) error {
	all := fault.All(err)
	if len(all) == 0 {
		return err
	}
	list := make(fault.List, len(all))
	for i, f := range all {
		one := *f
		field, _, _ := strings.Cut(f.Place, "[")
		if f.Code == stalemate.NothingToWrite {
			field = "value"
		}
		if flag, hint := flagFor(field); flag != "" {
			one.Place, one.Hint = flag, hint
			one.Detail = strings.TrimPrefix(one.Detail, field+" ")
			switch one.Detail {
			case "is missing or empty", "is not a list of non-empty strings":
				one.Detail = "missing"
			}
		}
		list[i] = &one
	}
	return list.Err()
}

func stalemateWithdrawCommand(a *ui.App) *cobra.Command {
	var author sessioncmd.AuthorFlags
	var why string
	c := &cobra.Command{
		Use:   "withdraw ID STALEMATE",
		Short: "Close a stalemate without a ruling",
		Long: `Closes a stalemate that was opened by mistake or no longer matters, without a ruling. The
program does not open it again; a person may. --as must be allowed to rule: an authority
that is not a party.`,
		Example: `  brenner stalemate withdraw RS-20261115-cell-fate ST-1a2b3c4d5e6f7a8b --reason "Both values are right."

Exit codes: 0 withdrawn; 1 storing failed; 2 no such session, record or stalemate, already
closed, no reason, or --as is a party; 4 --as is not an authority; 75 the store is busy.`,
		Args: stalemateArgs,
		RunE: func(c *cobra.Command, args []string) error { return withdraw(a, c, &author, args, why) },
	}
	author.Add(c)
	c.Flags().StringVar(&why, "reason", "", "why it is withdrawn (required)")
	return c
}

func withdraw(a *ui.App, c *cobra.Command, author *sessioncmd.AuthorFlags, args []string, why string) error {
	if strings.TrimSpace(why) == "" {
		return ui.Usage(c, "--reason: missing", "say why it is withdrawn: --reason TEXT")
	}
	if aboutRecord(args[0]) {
		return storecmd.WithRecords(a, c, &storecmd.RecordFlags{As: author.As}, true, func(ctx context.Context, r *storecmd.Records) error {
			s, err := r.Withdraw(ctx, r.Actor, args[0], args[1], why)
			return showRuled(a, s, err)
		})
	}
	d, err := sessioncmd.OpenWritable(a, c, author, args[0])
	if err != nil {
		return err
	}
	defer a.CloseStore(d.Editor.Store)
	h, err := d.Editor.WithdrawStalemate(c.Context(), d.Thread, args[1], why)
	if err != nil {
		return err
	}
	res, err := audit.ShowStalemate(c.Context(), h, args[1])
	return show(a, res, err)
}
