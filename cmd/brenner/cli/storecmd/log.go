package storecmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/ui"
	"brenner/govern"
)

type logOptions struct {
	RecordFlags
	kind, module, status string
	refused, calls       bool
	most                 int
}

func storeLogCommand(a *ui.App) *cobra.Command {
	var opt logOptions
	c := &cobra.Command{
		Use:   "log [ID]",
		Short: "List records, or all versions of one with what became of them",
		Long: `Without an id it lists the records, the newest first. With one it lists all versions of that
record and every mark that they got: who promoted which, when and why.

--refused lists what agents tried outside the scope of their role, and --calls every call of an
agent for the store: which records went in, and which came out.`,
		Example: `  brenner store log --type paper_note --module fate
  brenner store log memo-fate
  brenner store log --refused

Exit codes: 0 listed; 2 there is no such record.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if opt.most < 0 {
				return ui.Usage(c, "-n must not be below 0", "")
			}
			if err := opt.check(c, args); err != nil {
				return err
			}
			return WithRecords(a, c, &opt.RecordFlags, false, func(ctx context.Context, r *Records) error {
				switch {
				case opt.refused:
					list, err := r.Refusals(ctx, opt.most)
					return ui.Show(a, list, err, refusalsText)
				case opt.calls:
					calls, err := r.Calls(ctx)
					return ui.Show(a, &callList{Schema: "brenner.store.calls/v1", Calls: calls}, err, callsText)
				case len(args) == 1:
					h, err := r.History(ctx, args[0])
					return ui.Show(a, h, err, historyText)
				}
				list, err := r.List(ctx, govern.ListOptions{Type: opt.kind, Module: opt.module, Status: opt.status, Most: opt.most})
				return ui.Show(a, list, err, listText)
			})
		},
	}
	opt.add(c)
	f := c.Flags()
	f.StringVar(&opt.kind, "type", "", "of this type only")
	f.StringVar(&opt.module, "module", "", "of this module only")
	f.StringVar(&opt.status, "status", "", "with this status only")
	f.BoolVar(&opt.refused, "refused", false, "what agents tried outside their scope")
	f.BoolVar(&opt.calls, "calls", false, "the calls of agents for the store")
	f.IntVarP(&opt.most, "number", "n", 50, "at most so many; 0 is all")
	return c
}

// check refuses flags that choose among records where something else is listed.
func (o *logOptions) check(c *cobra.Command, args []string) error {
	const choose = "chooses among records, and something else is listed"
	switch {
	case o.refused && o.calls:
		return ui.Usage(c, "--refused and --calls are two lists", "leave one of them out")
	case len(args) == 1 && (o.refused || o.calls):
		return ui.Usage(c, "--refused and --calls are about all records", "leave out "+ui.Clean(args[0]))
	case o.refused:
		return ui.Unused(c, choose, "type", "module", "status")
	case o.calls, len(args) == 1:
		return ui.Unused(c, choose, "type", "module", "status", "number")
	}
	return nil
}

func listText(a *ui.App, r *govern.RecordList) string {
	if a.Quiet {
		var b strings.Builder
		for i := range r.Records {
			b.WriteString(ui.Clean(r.Records[i].ID) + "\n")
		}
		return b.String()
	}
	if len(r.Records) == 0 {
		return "No records.\n"
	}
	rows := [][]string{{"RECORD", "TYPE", "MODULE", "STATUS", "CANONICAL", "SUMMARY"}}
	for i := range r.Records {
		h := &r.Records[i]
		canonical := "-"
		if h.Canonical > 0 {
			canonical = fmt.Sprintf("v%d", h.Canonical)
		}
		status := h.Status
		if h.Forked {
			status += ", forked"
		}
		rows = append(rows, []string{fmt.Sprintf("%s@v%d", h.ID, h.Latest), h.Type, h.Module, status, canonical, ui.Clip(h.Summary)})
	}
	text := ui.Columns(rows)
	if r.More {
		text += "and more: -n 0 lists all\n"
	}
	return text
}

func historyText(a *ui.App, r *govern.History) string {
	var b strings.Builder
	if !a.Quiet {
		fmt.Fprintf(&b, "%s: %s of %s\n\n", ui.Clean(r.Record.ID), ui.Clean(r.Record.Type), ui.Clean(r.Record.Module))
	}
	rows := [][]string{{"VERSION", "PARENT", "STATUS", "BY", "AT", "CHANGE"}}
	for i := len(r.Versions) - 1; i >= 0; i-- {
		v := &r.Versions[i]
		parent := "-"
		if v.Parent > 0 {
			parent = fmt.Sprintf("v%d", v.Parent)
		}
		rows = append(rows, []string{fmt.Sprintf("v%d", v.Version), parent, statusWord(v), v.Creator, v.At, ui.OrDash(ui.Clip(v.Change))})
	}
	b.WriteString(ui.Columns(rows))
	if len(r.Tips) > 1 && !a.Quiet {
		fmt.Fprintf(&b, "\nA fork: %s go different ways.\n", govern.Versions(r.Tips))
	}
	if len(r.Marks) > 0 && !a.Quiet {
		b.WriteByte('\n')
		for _, m := range r.Marks {
			fmt.Fprintf(&b, "v%d %s by %s, %s: %s\n", m.Version, m.Status, ui.Clean(m.By), m.At, ui.Clean(m.Reason))
		}
	}
	return b.String()
}

func refusalsText(_ *ui.App, r *govern.RefusalList) string {
	if len(r.Attempts) == 0 {
		return "Nobody tried anything outside the scope of a role.\n"
	}
	rows := [][]string{{"AT", "BY", "ROLE", "TRIED TO", "TYPE", "RECORD"}}
	for _, f := range r.Attempts {
		rows = append(rows, []string{f.At, f.By, f.Role, f.Action, ui.OrDash(f.Type), ui.OrDash(f.ID)})
	}
	return ui.Columns(rows)
}

// callList are the calls of agents for the store.
type callList struct {
	Schema string        `json:"schema"`
	Calls  []govern.Call `json:"calls"`
}

func callsText(a *ui.App, r *callList) string {
	if len(r.Calls) == 0 {
		return "No agent was asked for the store.\n"
	}
	var b strings.Builder
	for i := range r.Calls {
		c := &r.Calls[i]
		outcome := "answered"
		if c.Code != "" {
			outcome = string(c.Code)
		}
		fmt.Fprintf(&b, "%s: %s as %s, %s, %s\n", ui.Clean(c.ID), ui.Clean(c.Agent), ui.Clean(c.Role), outcome, c.At)
		if a.Quiet {
			continue
		}
		var in []string
		for _, s := range c.Context {
			in = append(in, fmt.Sprintf("%s@v%d (%s, %s)", ui.Clean(s.Ref.ID), s.Ref.Version, ui.Clean(s.Type), s.Form))
		}
		rows := [][]string{{"  In", ui.OrDash(strings.Join(in, ", "))}, {"  Out", ui.OrDash(strings.Join(c.Produced, ", "))}, {"  Model", ui.OrDash(c.Model) + ", answered by " + ui.OrDash(c.Observed)}}
		if c.View != "" { // an arbiter sees a request, and no view
			rows = append(rows, []string{"  View", "sha256 " + c.View})
		}
		rows = append(rows, []string{"  Prompt", "sha256 " + c.Prompt})
		if c.Reply != "" {
			rows = append(rows, []string{"  Reply", "sha256 " + c.Reply})
		}
		b.WriteString(ui.Columns(rows))
	}
	return b.String()
}
